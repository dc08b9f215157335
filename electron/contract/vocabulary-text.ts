import type { VocabularyEntry, VocabularyTerm } from './vocabulary.ts';

// Without schemas, so that the window can use it.

/** Terms of one vocabulary. */
export const MAX_VOCABULARY = 1000;
export const MAX_VOCABULARY_WEIGHT = 10;
export const MAX_TERM_LENGTH = 200;
/** A line of a vocabulary's text is read back as it was written, so no term has a line break. */
export const TERM_PATTERN = /^[^\p{Cc}]*[\p{L}\p{N}][^\p{Cc}]*$/u;

export const termOf = (entry: VocabularyEntry): VocabularyTerm =>
  typeof entry === 'string' ? { term: entry } : entry;

/** One line: `term`, `term = misheard as; or as this`, `term ^2`, `term ^2 = misheard as`. */
const LINE = /^(.*?)(?:\s+\^(\d+(?:\.\d+)?))?(?:\s+=\s+(.+))?$/u;

const entryOf = (line: string): VocabularyEntry => {
  const [, term = line, weight, sounds] = LINE.exec(line) ?? [];
  if (weight === undefined && sounds === undefined) return term;
  return {
    term,
    ...(sounds === undefined ? {} : { sounds_like: sounds.split(';').map((part) => part.trim()) }),
    ...(weight === undefined ? {} : { weight: Number(weight) }),
  };
};

/** The terms of a vocabulary's text with their lines, from 1. Lines that are empty or start with `#` have none. */
export const vocabularyLines = (text: string): { readonly line: number; readonly entry: VocabularyEntry }[] =>
  text
    .split(/\r?\n/u)
    .map((content, index) => ({ line: index + 1, content: content.trim() }))
    .filter(({ content }) => content !== '' && !content.startsWith('#'))
    .map(({ line, content }) => ({ line, entry: entryOf(content) }));

/** Reads a vocabulary's text. Checks nothing. */
export const parseVocabulary = (text: string): VocabularyEntry[] =>
  vocabularyLines(text).map(({ entry }) => entry);

/** Reads terms that commas or line breaks separate. Checks nothing. */
export const parseTerms = (text: string): VocabularyEntry[] => parseVocabulary(text.replaceAll(',', '\n'));

/** The first of some terms that a vocabulary does not take. */
export const refusedTerm = (entries: readonly VocabularyEntry[]): string | undefined => {
  const isText = (text: string) => text.length <= MAX_TERM_LENGTH && TERM_PATTERN.test(text);
  return entries
    .map(termOf)
    .find(
      ({ term, sounds_like: sounds = [], weight = 0 }) =>
        ![term, ...sounds].every(isText) || weight > MAX_VOCABULARY_WEIGHT,
    )?.term;
};

/** Terms, and those of another list that are not among them. */
export const joinVocabularies = (
  entries: readonly VocabularyEntry[],
  others: readonly VocabularyEntry[],
): VocabularyEntry[] => {
  const terms = new Set(entries.map((entry) => termOf(entry).term));
  return [...entries, ...others.filter((entry) => !terms.has(termOf(entry).term))];
};

/** The text of a vocabulary, which {@link parseVocabulary} reads back. */
export const formatVocabulary = (entries: readonly VocabularyEntry[]): string =>
  entries
    .map(termOf)
    .map(({ term, sounds_like: sounds, weight }) =>
      [
        term,
        ...(weight === undefined ? [] : [`^${weight}`]),
        ...(sounds ? [`= ${sounds.join('; ')}`] : []),
      ].join(' '),
    )
    .map((line) => `${line}\n`)
    .join('');
