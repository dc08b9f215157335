import { z } from 'zod';
import { success, Timestamp } from './common.ts';

export const MAX_VOCABULARY = 1000;
export const MAX_VOCABULARY_WEIGHT = 10;
const MAX_TERM_LENGTH = 200;

/** A line of a vocabulary's text is read back as it was written, so no term has a line break. */
const Term = z
  .string()
  .trim()
  .min(1)
  .max(MAX_TERM_LENGTH)
  .regex(/^[^\p{Cc}]*[\p{L}\p{N}][^\p{Cc}]*$/u, 'must contain a letter or digit, and no line break');

export const VocabularyTerm = z
  .strictObject({
    term: Term.describe('Written exactly like this.'),
    sounds_like: z
      .array(Term)
      .min(1)
      .max(20)
      .optional()
      .describe('What the term is misheard as, such as `cube control` for kubectl.'),
    weight: z
      .number()
      .min(0)
      .max(MAX_VOCABULARY_WEIGHT)
      .optional()
      .describe(
        'How much the recognition prefers the term; default 1. With 0 only its spelling is corrected.',
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

export const OneVocabulary = success(UserVocabulary);
export const PutVocabulary = z.strictObject({ terms: Vocabulary }).meta({ id: 'PutVocabulary' });

/** The texts that can be terms, each once, as many as a vocabulary takes. */
export const toTerms = (texts: readonly string[]): string[] =>
  [...new Set(texts.flatMap((text) => Term.safeParse(text).data ?? []))].slice(0, MAX_VOCABULARY);

export const termOf = (entry: VocabularyEntry): VocabularyTerm =>
  typeof entry === 'string' ? { term: entry } : entry;

/** One line: `term`, `term = misheard as; or as this`, `term ^2`, `term ^2 = misheard as`. */
const LINE = /^(.*?)(?:\s+\^(\d+(?:\.\d+)?))?(?:\s+=\s+(.+))?$/u;

/** Reads a vocabulary's text: a term a line; lines that are empty or start with `#` are left out. Checks nothing. */
export const parseVocabulary = (text: string): VocabularyEntry[] =>
  text
    .split(/\r?\n/u)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, term = line, weight, sounds] = LINE.exec(line) ?? [];
      if (weight === undefined && sounds === undefined) return term;
      return {
        term,
        ...(sounds === undefined ? {} : { sounds_like: sounds.split(';').map((part) => part.trim()) }),
        ...(weight === undefined ? {} : { weight: Number(weight) }),
      };
    });

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
