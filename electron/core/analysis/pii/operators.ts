import { createHmac } from 'node:crypto';
import type { PiiPolicy, PiiSubstitution } from '../../../contract/analysis.ts';
import { foldText } from '../fold.ts';
import { findRuns } from '../numbers/runs.ts';
import { SPOKEN_SIGNS } from '../spoken-signs.ts';
import { tokenize } from '../tokens.ts';

export type RedactionOperator = {
  method: PiiSubstitution;
  /** HMAC key, secret to this installation. */
  secret: string;
  language: string;
};

/**
 * Replaces a private value. `hash`: `[POLICY_xxxxxxxx]`, eight hex digits of an HMAC-SHA-256 of the policy and the
 * canonical value, so that a spoken number and the same number in digits get one token. `entity_name`: `[POLICY]`. `mask`: each
 * UTF-16 unit of letters and digits becomes "*", so that offsets stay. `remove`: nothing.
 */
export const applyOperator = (value: string, policy: PiiPolicy, by: RedactionOperator): string => {
  if (by.method === 'remove') return '';
  if (by.method === 'entity_name') return `[${policy.toUpperCase()}]`;
  if (by.method === 'mask') {
    return value.replace(/[\p{L}\p{N}\p{M}]/gu, (sign) => '*'.repeat(sign.length));
  }
  const digest = createHmac('sha256', by.secret)
    .update(`${policy}\n${canonicalForm(value, by.language)}`)
    .digest('hex');
  return `[${policy.toUpperCase()}_${digest.slice(0, 8)}]`;
};

const SIGNS = Object.entries(SPOKEN_SIGNS).map(
  ([sign, words]) => [new RegExp(String.raw`\s+(?:${words.join('|')})\s+`, 'gu'), sign] as const,
);

/** One form for all spoken and written forms of a value. Changing it changes the tokens of new redactions. */
export const canonicalForm = (value: string, language: string): string => {
  const plain = foldText(value).text.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
  const digits = findRuns(tokenize(plain), language)
    .flatMap((run) => run.groups.map((group) => group.digits))
    .join('');
  const written = SIGNS.reduce((text, [sign, by]) => text.replace(sign, by), plain);
  if (/[@]|\.\p{L}/u.test(written)) return written.replaceAll(' ', '');
  return digits.length >= 4 ? digits : plain.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
};
