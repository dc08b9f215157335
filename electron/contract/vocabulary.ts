import { z } from 'zod';
import { success, Timestamp } from './common.ts';
import { MAX_TERM_LENGTH, MAX_VOCABULARY, MAX_VOCABULARY_WEIGHT, TERM_PATTERN } from './vocabulary-text.ts';

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
