import { type DetectedSpan, hiddenSpan } from '../spans.ts';

/** Keys by the prefixes of GitHub, GitLab, OpenAI, Stripe, Slack, Amazon and Google, and JSON Web Tokens. */
const PREFIXED =
  /(?<![\p{L}\d])(?:gh[pousr]_|github_pat_|glpat-|sk[-_]|[pr]k_|xox[abprs]-|AKIA|ASIA|AIza|ya29\.|eyJ)[\w.-]{10,}(?<=\w)/gu;
/** A long code after words such as "API key". */
const CUED =
  /(?<=(?<![\p{L}\d])(?:api[ -]?(?:key|token|secret)|(?:access|auth|bearer|secret|refresh|session)[ -]?(?:token|key)|token|bearer)\s?(?:is|ist|est|es|=|:)?\s{0,2})(?=[\w.-]*\d)[\w.-]{8,}(?<=\w)/giu;

/** Keys and tokens of programs, hidden under the policy `password`. Offsets are UTF-16 units. */
export const findAccessKeys = (text: string): DetectedSpan[] =>
  [...text.matchAll(PREFIXED), ...text.matchAll(CUED)].map(({ 0: value, index }) =>
    hiddenSpan('password', index, index + value.length, 83),
  );
