import type { Doc } from './document.ts';
import type { SegmentText } from './edit.ts';

/** A match from word `first` to word `last`, inclusive. */
export type Match = { readonly first: number; readonly last: number };

export type FindOptions = { readonly matchCase: boolean; readonly wholeWord: boolean };
export const ANYWHERE: FindOptions = { matchCase: false, wholeWord: false };

const escapePattern = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The pattern of a query; undefined for an empty one. */
const patternOf = (query: string, { matchCase, wholeWord }: FindOptions): RegExp | undefined => {
  const text = escapePattern(query.trim());
  if (text === '') return undefined;
  // `\b` knows ASCII letters alone.
  const pattern = wholeWord ? `(?<![\\p{L}\\p{N}])${text}(?![\\p{L}\\p{N}])` : text;
  return new RegExp(pattern, matchCase ? 'gu' : 'giu');
};

/** Finds `query`, also across words and segments. */
export const findMatches = (doc: Doc, query: string, options: FindOptions = ANYWHERE): Match[] => {
  const pattern = patternOf(query, options);
  if (pattern === undefined) return [];
  const offsets = new Float64Array(doc.words.length);
  const parts: string[] = [];
  let length = 0;
  for (const [index, word] of doc.words.entries()) {
    offsets[index] = length;
    parts.push(word.text);
    length += word.text.length + 1;
  }
  const matches: Match[] = [];
  let word = 0;
  for (const { index: from, 0: found } of parts.join(' ').matchAll(pattern)) {
    while (word + 1 < offsets.length && (offsets[word + 1] ?? 0) <= from) word++;
    let last = word;
    while (last + 1 < offsets.length && (offsets[last + 1] ?? 0) < from + found.length) last++;
    matches.push({ first: word, last });
  }
  return matches;
};

/** Number of replacements that `replaceMatches` makes without `only`. */
export const countMatches = (doc: Doc, query: string, options: FindOptions = ANYWHERE): number => {
  const pattern = patternOf(query, options);
  if (pattern === undefined) return 0;
  return doc.segments.reduce((total, { text }) => total + (text.match(pattern)?.length ?? 0), 0);
};

/** Gives a replacement in small letters the capitals of what it replaces: `Peter` becomes `Paul`, `NATO` becomes `OTAN`. */
const withCapitalsOf = (found: string, replacement: string): string => {
  if (replacement !== replacement.toLowerCase()) return replacement;
  const letters = found.match(/\p{L}/gu) ?? [];
  if (letters.length > 1 && letters.every((letter) => letter !== letter.toLowerCase()))
    return replacement.toUpperCase();
  const [first] = letters;
  return first !== undefined && first !== first.toLowerCase()
    ? replacement.replace(/\p{L}/u, (letter) => letter.toUpperCase())
    : replacement;
};

/** Replaces `query` everywhere, or only one occurrence; returns the changed texts. Unless case must match, capitals are kept. */
export const replaceMatches = (
  doc: Doc,
  query: string,
  replacement: string,
  only?: { readonly segment: number; readonly occurrence: number },
  options: FindOptions = ANYWHERE,
): SegmentText[] => {
  const pattern = patternOf(query, options);
  if (pattern === undefined) return [];
  const changes: SegmentText[] = [];
  for (const [index, segment] of doc.segments.entries()) {
    if (only !== undefined && only.segment !== index) continue;
    let seen = 0;
    const text = segment.text.replace(pattern, (found) => {
      if (only !== undefined && seen++ !== only.occurrence) return found;
      return options.matchCase ? replacement : withCapitalsOf(found, replacement);
    });
    if (text !== segment.text) changes.push({ id: segment.id, text });
  }
  return changes;
};
