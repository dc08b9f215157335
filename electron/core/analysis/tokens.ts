import { LEADING_ABBREVIATIONS } from './abbreviations.ts';
import type { Breathe } from './breath.ts';

/** A white-space token without its surrounding punctuation. Offsets are UTF-16 units into the text. */
export interface Token {
  index: number;
  /** Without surrounding punctuation, as written. */
  text: string;
  /** Lower case, straight apostrophes. */
  norm: string;
  /** `norm` without a possessive ending. */
  stem: string;
  from: number;
  to: number;
  /** Where `stem` ends in the text. */
  stemTo: number;
  lead: string;
  trail: string;
  capital: boolean;
  /** A redaction token or a masked word: no detector may look at it. */
  blocked: boolean;
}

/** Tokens between two turns of the event loop. */
const BATCH = 500;
/** White-space tokens; unspaced scripts stand apart from letters and digits beside them. */
const PIECES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+|[^\s—–\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+/gu;
const SPACED_RUN = /[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+/gu;
/** Longer than any word, address or number: nothing is looked for inside, so that hostile input costs nothing. */
const LONGEST = 2000;
const LEAD = /^["'“”‘’«»‹›([{¿¡#<*_-]*/u;
const TRAIL = /[.,!?;:…"'“”‘’«»‹›)\]}。！？、，؟।>]*$/u;
const REDACTED = /^\[[A-Z_]+_[0-9a-f]{8}\]/u;

/** The text with runs of signs that no word, address or number has blanked out: every offset stays. */
export function withoutMonsters(text: string): string {
  return text.replace(SPACED_RUN, (run) => (run.length > LONGEST ? ' '.repeat(run.length) : run));
}

/** Tokens of a text. Dashes between words ("—") separate, too. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(PIECES)) tokens.push(toToken(match[0], match.index, tokens.length));
  return tokens;
}

/** As `tokenize`, with turns of the event loop in between. */
export async function tokenizeSlowly(text: string, breathe: Breathe): Promise<Token[]> {
  const tokens: Token[] = [];
  for (const match of text.matchAll(PIECES)) {
    if (tokens.length % BATCH === 0) await breathe();
    tokens.push(toToken(match[0], match.index, tokens.length));
  }
  return tokens;
}

function toToken(raw: string, at: number, index: number): Token {
  const redacted = raw.length > LONGEST || REDACTED.test(raw) || raw.includes('*');
  const lead = redacted ? '' : (LEAD.exec(raw)?.[0] ?? '');
  const rest = raw.slice(lead.length);
  const trail = raw.length > LONGEST ? '' : (TRAIL.exec(rest)?.[0] ?? '');
  const text = rest.slice(0, rest.length - trail.length);
  const norm = text.toLowerCase().replaceAll('’', "'");
  const possessive = /(?:'s|(?<=s)')$/u.exec(norm)?.[0].length ?? 0;
  const from = at + lead.length;
  return {
    index,
    text,
    norm,
    stem: norm.slice(0, norm.length - possessive),
    from,
    to: from + text.length,
    stemTo: from + text.length - possessive,
    lead,
    trail,
    capital: /^\p{Lu}/u.test(text),
    blocked: redacted,
  };
}

/** Whether a sentence ends with this token, by its punctuation; not after "Dr." and initials. */
export function endsWithStop(token: Token): boolean {
  if (
    token.trail === '.' &&
    (LEADING_ABBREVIATIONS.has(token.norm) ||
      /^(?:st|\p{Lu})$/u.test(token.norm === 'st' ? 'st' : token.text))
  ) {
    return token.text === 'I';
  }
  return /[.!?…。！？]/u.test(token.trail);
}

/** Whether a token follows the one before it without a sentence's end between them. */
export function opensSentence(tokens: readonly Token[], index: number): boolean {
  const previous = tokens[index - 1];
  return !previous || endsWithStop(previous);
}
