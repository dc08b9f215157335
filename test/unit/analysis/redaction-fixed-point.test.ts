import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PII_SUBSTITUTIONS } from '../../../electron/contract/analysis.ts';
import { SEED } from '../../support/random.ts';
import { expectStable, redact, redactionCases } from './support/stability.ts';
import { transcriptOf } from './support/transcripts.ts';

/** `test/fuzz/redaction.nightly.test.ts` tries more. */
const CASES = 50;

describe('asterisks and redaction tokens', () => {
  it.each([
    ['emphasis', 'Write to *maria@example.com* or call *555-014-2367*'],
    ['strong emphasis', 'Write to **maria@example.com** or call **555-014-2367**.'],
    ['emphasis with quotes and stops', 'Write to "*maria@example.com*", or call (*555-014-2367*).'],
    ['one asterisk before', 'Write to *maria@example.com or call *555-014-2367'],
    ['one asterisk after', 'Write to maria@example.com* or call 555-014-2367*, okay?'],
    ['a mask glued before', 'Write to ****maria@example.com or call ****555-014-2367'],
    ['a mask glued after', 'Write to maria@example.com**** or call 555-014-2367****'],
    ['a token glued before', '[X_12345678]maria@example.com and [X_12345678]555-014-2367'],
    ['a token glued after', 'maria@example.com[X_12345678] and 555-014-2367[X_12345678]'],
    [
      'tokens on both sides',
      '"[X_12345678]maria@example.com[X_12345678]", [X_12345678]555-014-2367[X_12345678]',
    ],
  ])('do not protect adjacent text: %s', async (_, text) => {
    for (const substitution of PII_SUBSTITUTIONS) {
      const { text: out, segments, redacted_words } = await redact(transcriptOf([text]), substitution);
      const words = segments.flatMap((segment) => segment.words.map((word) => word.word)).join(' ');
      expect(`${out} ${words}`).not.toMatch(/maria|example|555|014|2367/);
      expect(redacted_words).toHaveLength(2);
    }
  });

  it('do not separate an emphasized name from its cue', async () => {
    const { text } = await redact(transcriptOf(['My name is *Maria Lopez*, nice to meet you.']), 'mask');
    expect(text).toBe('My name is ****** ******, nice to meet you.');
  });

  it.each([
    'I said [PERSON_NAME_12345678] and "[PASSWORD_12345678]" (also [EMAIL_ADDRESS_12345678]).',
    '[PERSON_NAME_12345678][PHONE_NUMBER_12345678] came.',
    'My name is ***** *****. Call ***-***-****, or write to *****.*****@*******.***!',
    'The password is ********, the pin is ****.',
  ])('stay unchanged: %s', async (text) => {
    for (const substitution of PII_SUBSTITUTIONS) {
      const out = await redact(transcriptOf([text]), substitution);
      expect(out.text).toBe(text);
      expect(out.redacted_words).toEqual([]);
    }
  });
});

const list = (length: number, separator: string): string =>
  Array.from({ length }, (_, index) => `x${1_234_567 + index * 1111}`).join(separator);

describe('redacting a redacted text changes nothing, and words follow the text', () => {
  it.each([
    ['a cued number in brackets', ['password (303)']],
    ['a cued word in quotes', ['The password "hunter2"']],
    ['a cued word in curly quotes and brackets', ['The password (“hunter2”), okay?']],
    ['an assignment in quotes', ['password = "hunter2", pin=(4821).']],
    ['a bracketed address', ['Write to (maria(at)example(dot)com)!']],
    ['spaced hyphens in brackets', ['Call (555 - 014 - 2367) or "555_014_2367".']],
    ['digits of other scripts in quotes', ['My number is “٥٥٥-٠١٤-٢٣٦٧”, or (５５５‑０１４‑２３６７).']],
    ['a number that the next word goes on with', ['04236710.0.01. 0142367']],
    ['two values without a space', ['B Street*March 1980']],
    ['signs between removed values', ['42367. 0.0.0.1 , Q,']],
    ['values removed one after the other', ['2 Lopez, #::1', 'password to рия, 303']],
    ['a comma that a later sign replaces', ['is ٥٥٥-٠١٤-٢٣٦٧, +49 ***-***-****', 'is ٥٥٥-٠١٤-٢٣٦٧, !maria ']],
    [
      'a comma that a later sign replaces, in rounds',
      ['the password is ', 'maria. +49 ***-***-**** ', 'is ٥٥٥-٠١٤-٢٣٦٧, !maria '],
    ],
    ['a number that a mask bares', ['a55- 42367']],
    ['tokens that were cut', ['[[[[PASSWORD "hunter2" PASSWORD_12345678]]]']],
    ['the token of an older version', ['The password [[[[[[[[PASSWORD_12345678]]]]]]]]']],
    ['a list longer than any number of rounds', [`The password is ${list(40, ' / ')}.`]],
    ['values that a comma separates', [`username: ${list(40, ',')}`]],
  ])('counterexample: %s', async (_, texts) => {
    for (const substitution of PII_SUBSTITUTIONS) {
      for (const language of ['en', 'fr', 'ja']) {
        await expectStable({ texts, substitution, language, masks: language === 'fr' });
      }
    }
  });

  it.each([
    ['password (303)', 1, /^password \(\[PASSWORD_[0-9a-f]{8}\]\)$/],
    ['The password "hunter2"', 1, /^The password "\[PASSWORD_[0-9a-f]{8}\]"$/],
    ['The password “hunter2”.', 1, /^The password “\[PASSWORD_[0-9a-f]{8}\]”\.$/],
    ['password = (hunter2)!', 1, /^password = \(\[PASSWORD_[0-9a-f]{8}\]\)!$/],
    ['Call "555 - 014 - 2367", okay?', 1, /^Call "\[PHONE_NUMBER_[0-9a-f]{8}\]", okay\?$/],
    ['Write to (maria(at)example(dot)com).', 1, /^Write to \(\[EMAIL_ADDRESS_[0-9a-f]{8}\]\)\.$/],
  ])('keeps adjacent signs, with one token for one value: %s', async (text, tokens, shape) => {
    const { text: out } = await redact(transcriptOf([text]), 'hash');
    expect(out).toMatch(shape);
    expect(out.match(/\[[A-Z_]+_[0-9a-f]{8}\]/g)).toHaveLength(tokens);
  });

  it('holds for any mixture', { timeout: 60_000 }, async () => {
    await fc.assert(fc.asyncProperty(redactionCases, expectStable), { seed: SEED, numRuns: CASES });
  });
});
