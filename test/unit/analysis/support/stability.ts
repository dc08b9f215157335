import fc from 'fast-check';
import { expect } from 'vitest';
import { PII_SUBSTITUTIONS, type PiiSubstitution } from '../../../../electron/contract/analysis.ts';
import { analyze } from '../../../../electron/core/analysis/analyze.ts';
import type { AnalysisTranscript } from '../../../../electron/core/analysis/types.ts';
import { anyCharacter } from '../../../support/any-text.ts';
import { transcriptOf } from './transcripts.ts';

export type RedactionCase = {
  /** The texts of the segments. */
  readonly texts: readonly string[];
  readonly substitution: PiiSubstitution;
  readonly language: string;
  /** Profanity is masked, too. */
  readonly masks: boolean;
};

/** What detectors, tokens and masks react to, and what may stand between. */
const FRAGMENTS = [
  'maria',
  'Lopez',
  'Maria Lopez',
  "O'Brien's",
  'five',
  'oh',
  'double',
  '555',
  '014-2367',
  '555-014-2367',
  'maria@example.com',
  'www.example.com',
  'https://acme.com/x',
  'at',
  'dot',
  'com',
  'example',
  'card',
  '4111',
  '4111 1111 1111 1111',
  'DE89 3704 0044 0532 0130 00',
  'my iban is',
  'my name is',
  'i am',
  'call',
  'in',
  'Paris',
  'May',
  '2021',
  '12/27',
  'password',
  'the password is',
  'hunter2',
  'pin',
  'passport',
  'username',
  'password = ',
  'password changed to',
  'passport no. X1234567',
  '555 - 014 - 2367',
  '555_014_2367',
  '٥٥٥-٠١٤-٢٣٦٧',
  '５５５',
  '(at)',
  '(dot)',
  'maria＠example.com',
  '\u200b',
  '\u2011',
  '“hunter2”',
  '$20 million',
  '[X_12345678]',
  '[PERSON_NAME_deadbeef]',
  '[PASSWORD_12345678]',
  '*',
  '**',
  '***',
  '****',
  '***-***-****',
  '“No,”',
  '"',
  "'",
  '(',
  ')',
  '(303)',
  '“',
  '”',
  ',',
  '.',
  '!',
  '?',
  ':',
  '-',
  '_',
  '@',
  '+49',
  '😀',
  'the',
  'is',
  '[',
  '[[[[PASSWORD',
  'PASSWORD_',
  '12345678]',
  ']',
  'Dr.',
  'Mr. Smith',
  'and',
  'my',
  'SSN',
  '123-45-6789',
  'driver license B7654321',
  'diabetes',
  'aspirin',
  '42 years old',
  'aged',
  'German',
  'catholic',
  'as an engineer',
  'born on March 3, 1980',
  '221B Baker Street',
  'Google',
  '10.0.0.1',
  '::1',
  '127 dot 0 dot 0 dot 1',
  'maria dot lopez at example dot com',
  'M A R I A',
  'zwei',
  'drei',
  'Passwort ist',
  'mot de passe',
  'contraseña',
  '李',
  '田中',
  'Мария',
  'محمد',
  'a55-',
  'damn',
  'e\u0301',
  '№',
  '#',
  '/',
  '\\',
  '|',
  '<',
  '>',
  '`',
  '~',
  '=',
  '->',
  '…',
  '—',
  '\n',
  '\u00a0',
  '\ud83d',
  'X1234567',
];

const fragment = fc.oneof(
  { weight: 14, arbitrary: fc.constantFrom(...FRAGMENTS) },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 6 }) },
);
/** Fragments joined with and without a space, so that marks, masks and tokens touch what follows. */
const glued = fc
  .array(fc.tuple(fragment, fc.constantFrom(' ', ' ', '', ', ', '. ')), { maxLength: 14 })
  .map((parts) => parts.map((part) => part.join('')).join(''));

/** Any mixture of fragments and of random characters. */
export const redactionCases = fc.record<RedactionCase>({
  texts: fc.array(glued, { minLength: 1, maxLength: 3 }),
  substitution: fc.constantFrom(...PII_SUBSTITUTIONS),
  language: fc.constantFrom('en', 'en', 'en', 'de', 'fr', 'es', 'ja'),
  masks: fc.constantFrom(false, false, true),
});

export const redact = async (
  transcript: AnalysisTranscript,
  redact_pii_sub: PiiSubstitution,
  content_safety = false,
) => {
  const options = { redact_pii: true, redact_pii_sub, content_safety };
  const { redacted } = await analyze(transcript, options, { secret: 'secret' });
  if (!redacted) throw new Error('redact_pii gave no redacted transcript');
  return redacted;
};

/** Of `items` the one whose turn it is at place `at` of a list of cases. */
export const turnOf = <T>(items: readonly T[], at: number): readonly T[] => {
  const turn = at % items.length;
  return items.slice(turn, turn + 1);
};

const lettersOf = (texts: readonly string[]): string => texts.join('').replace(/[^\p{L}\p{N}]/gu, '');

/** Redacting twice equals redacting once, and the words are those of the text. */
export const expectStable = async ({ texts, substitution, language, masks }: RedactionCase) => {
  const original = transcriptOf(texts, language);
  const once = await redact(original, substitution, masks);
  const again = { ...original, text: once.text, segments: once.segments };
  const twice = await redact(again, substitution, masks);
  expect(twice.text).toBe(once.text);
  expect(twice.segments).toEqual(once.segments);
  expect(twice.redacted_words).toEqual([]);
  expect(lettersOf(once.segments.flatMap(({ words }) => words.map(({ word }) => word)))).toBe(
    lettersOf([once.text]),
  );
};
