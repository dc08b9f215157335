import { z } from 'zod';
import { idSchema, success, Timestamp } from './common.ts';

// Without schemas, so that the window can use it.

/** Terms of one vocabulary. */
export const MAX_VOCABULARY = 1000;
const MAX_VOCABULARY_WEIGHT = 10;
const MAX_TERM_LENGTH = 200;
/** A line of a vocabulary's text is read back as it was written, so no term has a line break. */
const TERM_PATTERN = /^[^\p{Cc}]*[\p{L}\p{N}][^\p{Cc}]*$/u;

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

export const MAX_SOUNDS_LIKE = 20;

const Term = z
  .string()
  .trim()
  .min(1)
  .max(MAX_TERM_LENGTH)
  .regex(TERM_PATTERN, 'must contain a letter or digit, and no line break');

export const VocabularyTerm = z
  .strictObject({
    term: Term.describe('Written exactly like this.'),
    sounds_like: z
      .array(Term)
      .min(1)
      .max(MAX_SOUNDS_LIKE)
      .optional()
      .describe('What the term is misheard as, such as `cube control` for kubectl.'),
    weight: z
      .number()
      .min(0)
      .max(MAX_VOCABULARY_WEIGHT)
      .optional()
      .describe(
        'How much the recognition prefers the term; default 1. With 0 only what it is misheard as is corrected.',
      ),
  })
  .meta({ id: 'VocabularyTerm' });
export type VocabularyTerm = z.output<typeof VocabularyTerm>;

export const VocabularyEntry = z.union([Term, VocabularyTerm]).meta({ id: 'VocabularyEntry' });
export type VocabularyEntry = z.output<typeof VocabularyEntry>;

export const Vocabulary = z.array(VocabularyEntry).max(MAX_VOCABULARY);

export const UserVocabulary = z
  .object({
    terms: Vocabulary,
    updated_at: Timestamp.nullable().describe('Null for a list that was never set.'),
  })
  .meta({ id: 'UserVocabulary' });
export type UserVocabulary = z.output<typeof UserVocabulary>;

export const SuggestedTerm = z
  .object({
    id: idSchema('cor', 'Identifies the suggestion until one of its corrections is undone or deleted.'),
    term: z.string(),
    heard: z.string().describe('What the term was written for.'),
    count: z.int().describe('In how many places.'),
  })
  .meta({ id: 'SuggestedTerm' });
export type SuggestedTerm = z.output<typeof SuggestedTerm>;

export const TermSuggestions = z
  .object({
    enabled: z.boolean(),
    suggestions: z.array(SuggestedTerm).describe('At most 100, the most frequent first.'),
  })
  .meta({ id: 'TermSuggestions' });
export type TermSuggestions = z.output<typeof TermSuggestions>;

export const OneTermSuggestions = success(TermSuggestions);
export const PatchTermSuggestions = z.strictObject({
  enabled: z.boolean().describe('`false` also forgets all that was learned.'),
});
export const SuggestionDismissed = z.object({ success: z.literal(true), message: z.string() });

export const OneVocabulary = success(UserVocabulary);
export const PutVocabulary = z.strictObject({ terms: Vocabulary }).meta({ id: 'PutVocabulary' });

/** Whether a text can be a term. */
export const isTerm = (text: string): boolean => Term.safeParse(text).success;

/** The texts that can be terms, each once, as many as a vocabulary takes. */
export const toTerms = (texts: readonly string[]): string[] =>
  [...new Set(texts.flatMap((text) => Term.safeParse(text).data ?? []))].slice(0, MAX_VOCABULARY);
