import type { Doc } from './document.ts';
import type { SegmentText } from './edit.ts';

/** A match from word `first` to word `last`, inclusive. */
export type Match = { readonly first: number; readonly last: number };

/** Finds `query` case-insensitively, also across words and segments. */
export const findMatches = (doc: Doc, query: string): Match[] => {
  const needle = query.trim().toLocaleLowerCase();
  if (needle === '') return [];
  const offsets = new Float64Array(doc.words.length);
  let text = '';
  const parts: string[] = [];
  let length = 0;
  for (const [index, word] of doc.words.entries()) {
    offsets[index] = length;
    parts.push(word.text);
    length += word.text.length + 1;
  }
  text = parts.join(' ').toLocaleLowerCase();
  const matches: Match[] = [];
  let word = 0;
  for (let from = text.indexOf(needle); from !== -1; from = text.indexOf(needle, from + needle.length)) {
    const to = from + needle.length;
    while (word + 1 < offsets.length && (offsets[word + 1] ?? 0) <= from) word++;
    let last = word;
    while (last + 1 < offsets.length && (offsets[last + 1] ?? 0) < to) last++;
    matches.push({ first: word, last });
  }
  return matches;
};

const escapePattern = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Number of replacements that `replaceMatches` makes without `only`. */
export const countMatches = (doc: Doc, query: string): number => {
  if (query.trim() === '') return 0;
  const pattern = new RegExp(escapePattern(query.trim()), 'giu');
  return doc.segments.reduce((total, { text }) => total + (text.match(pattern)?.length ?? 0), 0);
};

/** Replaces `query` everywhere, or only one occurrence; returns the changed texts. */
export const replaceMatches = (
  doc: Doc,
  query: string,
  replacement: string,
  only?: { readonly segment: number; readonly occurrence: number },
): SegmentText[] => {
  if (query.trim() === '') return [];
  const pattern = new RegExp(escapePattern(query.trim()), 'giu');
  const changes: SegmentText[] = [];
  for (const [index, segment] of doc.segments.entries()) {
    if (only !== undefined && only.segment !== index) continue;
    let seen = 0;
    const text = segment.text.replace(pattern, (found) =>
      only === undefined || seen++ === only.occurrence ? replacement : found,
    );
    if (text !== segment.text) changes.push({ id: segment.id, text });
  }
  return changes;
};
