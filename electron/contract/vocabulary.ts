import { z } from 'zod';
import { idSchema, success, Timestamp } from './common.ts';
import { MAX_TERM_LENGTH, MAX_VOCABULARY, MAX_VOCABULARY_WEIGHT, TERM_PATTERN } from './vocabulary-text.ts';

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
