import { REDACTION_TOKEN } from '../../contract/analysis.ts';
import { CONTINUOUS_SCRIPTS } from '../base/text.ts';
import { LEADING_ABBREVIATIONS } from './abbreviations.ts';

/** A word with its surrounding punctuation split off. Offsets are UTF-16 units into the text. */
export type Token = {
  index: number;
  text: string;
  /** `text` in lower case, with straight apostrophes. */
  norm: string;
  /** `norm` without a possessive ending. */
  stem: string;
  from: number;
  to: number;
  /** Where `stem` ends in the text. */
  stemTo: number;
  /** Punctuation right before and after `text`. */
  lead: string;
  trail: string;
  isCapitalized: boolean;
  /** A redaction token, a mask, or an overlong token: no detector may use it. */
  isBlocked: boolean;
};

const DASHES = '—–';
/** Separates at white space and dashes, and between unspaced and spaced scripts. */
const TOKEN = new RegExp(String.raw`[${CONTINUOUS_SCRIPTS}]+|[^\s${DASHES}${CONTINUOUS_SCRIPTS}]+`, 'gu');
const SPACED_RUN = new RegExp(String.raw`[^\s${CONTINUOUS_SCRIPTS}]+`, 'gu');
/** Longer runs are no words, addresses or numbers. Skipping them bounds the cost of hostile input. */
const MAX_TOKEN_LENGTH = 2000;
/** All signs but those that a value or an amount begins with: "+49", "@maria", "::1", "$5", ".5". */
const LEAD = /^(?:[^\p{L}\p{N}\p{M}+@$€£¥₹:.&%]|\ufe0f|\.{2,}|:(?!:))*/u;
/** All signs but those that an amount or a name ends with: "5 €", "5%", "C++", "C#". */
const TRAIL = /(?:[^\p{L}\p{N}\p{M}@$€£¥₹%&+#]|\ufe0f|(?<=\d)&)*$/u;
/** A redaction token, a mask with the marks between its asterisks, or a masked profanity ("d***"). */
const REDACTED = new RegExp(
  String.raw`${REDACTION_TOKEN}|(?:(?<![\p{L}\p{N}*/.@_=:-])[\p{L}\p{N}](?=\*{2}))?\*+(?:[^\p{L}\p{N}\s*]+\*+)*`,
  'gu',
);
/** Markdown emphasis at the edge of a word: punctuation, not a mask. */
const EMPHASIS = /^\*{1,3}$/u;
/** Punctuation and possessive endings next to a redaction token. */
const NO_WORD = /^(?:['’]s)?[^\p{L}\p{N}]*$/u;

/** Replaces overlong runs by spaces; offsets stay valid. */
export const blankOverlong = (text: string): string =>
  text.replace(SPACED_RUN, (run) => (run.length > MAX_TOKEN_LENGTH ? ' '.repeat(run.length) : run));

/** Replaces redaction tokens and masks by "<", which no address or number contains; offsets stay valid. */
export const blankRedacted = (text: string, tokens: readonly Token[]): string => {
  let out = '';
  let at = 0;
  for (const { from, to } of tokens.filter((token) => token.isBlocked)) {
    out += text.slice(at, from) + '<'.repeat(to - from);
    at = to;
  }
  return out + text.slice(at);
};

export const tokenize = (text: string): Token[] => {
  const tokens: Token[] = [];
  for (const match of text.matchAll(TOKEN)) addTokens(tokens, match[0], match.index);
  return tokens;
};

/** Far more tokens than any entity has: detectors that look around stay linear. */
const WINDOW = 400;
/** Tokens that consecutive windows share, so that entities across their border are found. */
const OVERLAP = 60;

/** Overlapping windows of tokens, with indices from 0 in each. */
export function* tokenWindows(tokens: readonly Token[]): Generator<Token[]> {
  for (let start = 0; start < tokens.length; start += WINDOW) {
    yield tokens
      .slice(Math.max(0, start - OVERLAP), start + WINDOW + OVERLAP)
      .map((token, index) => ({ ...token, index }));
  }
}

/** Signs inside a run without white space that no word, number or address contains. */
const DIVIDER = /[|~`^\\<>{}"“”„‟«»‹›「」『』【】《》〈〉=;…•\p{So}]|\]\(/u;
/** Where the signs of the next word begin: "a|(b". */
const OPENING = /[([{<"“„«‹「『【《〈¿¡#+]+$/u;
/** Skips most words, whose only signs are their lead and trail. */
const SIGN_INSIDE = /[\p{L}\p{N}\p{M}][^\p{L}\p{N}\p{M}'’-]+[\p{L}\p{N}\p{M}]|-\d/u;
const WORD_RUN = /[\p{L}\p{N}\p{M}]+/gu;
/** What people write right before a number: "tel:555-014-2367", "call.555 014 2367", "phone_555-014-2367". */
const LABEL_SIGN = /^[:/_.+-]+\(?$/u;
const LONG_NUMBER = /^(?:[\d]{7}|\d+(?:[\s()./_-]*\d){6})/u;

/** Whether the signs between two runs of letters and digits separate words. */
const isDivided = (before: string, signs: string, after: string): boolean => {
  if (DIVIDER.test(signs)) return true;
  const isNumber = /\d$/u.test(before) && /^\d/u.test(after);
  // The next parameter of a query.
  if (signs === '&') return /^\p{L}[\p{L}\d_]*=/u.test(after);
  if (/[,()[\]]/u.test(signs)) return !isNumber;
  if (!LABEL_SIGN.test(signs) || !/^\p{L}{2,}$/u.test(before)) return false;
  return LONG_NUMBER.test(after) || (/^:\+?\(?$|^\+$/u.test(signs) && /^\d{2}/u.test(after));
};

/** Splits what is written without white space at signs that no value contains: "a|b", "Lopez,Maria", "tel:555-014-2367". */
const splitDivided = (raw: string): string[] => {
  const parts: string[] = [];
  let at = 0;
  let previous: RegExpExecArray | undefined;
  for (const word of raw.matchAll(WORD_RUN)) {
    if (previous !== undefined) {
      const signs = raw.slice(previous.index + previous[0].length, word.index);
      if (isDivided(previous[0], signs, raw.slice(word.index, word.index + 40))) {
        const cut = word.index - (OPENING.exec(signs)?.[0].length ?? 0);
        parts.push(raw.slice(at, cut));
        at = cut;
      }
    }
    previous = word;
  }
  return [...parts, raw.slice(at)];
};

type Part = {
  raw: string;
  isBlocked: boolean;
};

const addTokens = (tokens: Token[], raw: string, at: number): void => {
  if (raw.length > MAX_TOKEN_LENGTH) tokens.push(toToken(raw, at, tokens.length, true));
  else if (/[*[]/u.test(raw)) addMarkedTokens(tokens, raw, at);
  else addWords(tokens, raw, at);
};

const addWords = (tokens: Token[], raw: string, at: number): void => {
  if (!SIGN_INSIDE.test(raw)) {
    tokens.push(toToken(raw, at, tokens.length, false));
    return;
  }
  let from = at;
  for (const part of splitDivided(raw)) {
    tokens.push(toToken(part, from, tokens.length, false));
    from += part.length;
  }
};

/** The tokens of a run with asterisks or brackets, which may be redacted already. */
const addMarkedTokens = (tokens: Token[], raw: string, at: number): void => {
  let from = at;
  let lead = '';
  const parts = splitRedacted(raw);
  for (const [index, part] of parts.entries()) {
    const previous = tokens.at(-1);
    if (part.isBlocked) {
      const token = toToken(part.raw, from, tokens.length, true);
      tokens.push({ ...token, lead });
      lead = '';
    } else if (index > 0 && previous && NO_WORD.test(part.raw)) {
      previous.trail += part.raw;
    } else if (index < parts.length - 1 && NO_WORD.test(part.raw)) {
      lead = part.raw;
    } else {
      addWords(tokens, part.raw, from);
    }
    from += part.raw.length;
  }
};

/** Splits at redaction tokens and masks. */
const splitRedacted = (raw: string): Part[] => {
  const parts: Part[] = [];
  const hasWord = (part: string) => /[\p{L}\p{N}]/u.test(part);
  let at = 0;
  for (const match of raw.matchAll(REDACTED)) {
    const end = match.index + match[0].length;
    const before = raw.slice(at, match.index);
    const after = raw.slice(end).split('*', 1)[0] ?? '';
    if (EMPHASIS.test(match[0]) && hasWord(raw) && (!hasWord(before) || !hasWord(after))) continue;
    if (before !== '') parts.push({ raw: before, isBlocked: false });
    parts.push({ raw: match[0], isBlocked: true });
    at = end;
  }
  if (at < raw.length) parts.push({ raw: raw.slice(at), isBlocked: false });
  return parts;
};

const toToken = (raw: string, at: number, index: number, isBlocked: boolean): Token => {
  const lead = isBlocked ? '' : (LEAD.exec(raw)?.[0] ?? '');
  const rest = raw.slice(lead.length);
  const trail = isBlocked ? '' : (TRAIL.exec(rest)?.[0] ?? '');
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
    isCapitalized: /^\p{Lu}/u.test(text),
    isBlocked,
  };
};

/** Whether the punctuation after a token ends the sentence; not after "Dr." and initials. */
export const endsWithStop = (token: Token): boolean => {
  if (
    token.trail === '.' &&
    (LEADING_ABBREVIATIONS.has(token.norm) ||
      /^(?:st|\p{Lu})$/u.test(token.norm === 'st' ? 'st' : token.text))
  ) {
    return token.text === 'I';
  }
  return /[.!?…。！？]/u.test(token.trail);
};

/** Whether a token is the first of its sentence. */
export const startsSentence = (tokens: readonly Token[], index: number): boolean => {
  const previous = tokens[index - 1];
  return !previous || endsWithStop(previous);
};
