import { endsWithStop, type Token } from '../tokens.ts';
import { isStop } from './context.ts';
import { isPlainWord } from './plain-words.ts';

const MAX_PARTS = 3;
const PARTICLES = /^(?:de|da|do|dos|di|del|della|van|von|der|den|la|le)$/u;
/** After these, a name may be in lower case. */
const INTRODUCTIONS =
  /^(?:(?:je )?(?:m'|s')appelle|chamo-me|me chamo|me llamo|mi chiamo|mijn naam is|ik heet|.*(?:spricht|apparat ist|spreekt met|habla|fala(?: é(?: [ao])?)?|llama|chiama|heet|inquilin[oa] é|bei|name (?:is|was)))$/u;

const isEnd = (token: Token | undefined): boolean => token !== undefined && endsWithStop(token);

/** Whether capitals mean something around a token: another word of its sentence is in lower case, and some word has a capital. */
const isCased = (tokens: readonly Token[], at: number): boolean => {
  let start = at;
  while (start > 0 && at - start < 30 && !isEnd(tokens[start - 1])) start -= 1;
  return tokens.slice(start, at + 4).some((token) => token.isCapitalized);
};

const isNamePart = (token: Token | undefined, isUpper: boolean): boolean =>
  token !== undefined &&
  !token.isBlocked &&
  /^\p{L}[\p{L}'’-]+$/u.test(token.text) &&
  token.isCapitalized === isUpper &&
  !isStop(token) &&
  !isPlainWord(token.norm);

/** The name right after a cue: capitalized words, or two words after an introduction in lower case. */
export const endOfName = (
  tokens: readonly Token[],
  start: number,
  cue: string,
): { first: number; last: number } | undefined => {
  const isUpper = isCased(tokens, start);
  if (!isUpper && !INTRODUCTIONS.test(cue)) return undefined;
  let first = start;
  while (
    first < start + 2 &&
    /^(?:a|o|la|el|die|der|dona|frau|herr|señora?|signora?|madame|monsieur|mevrouw|meneer)$/u.test(
      tokens[first]?.norm ?? '',
    )
  )
    first += 1;
  if (!isNamePart(tokens[first], isUpper)) return undefined;
  let last = first;
  while (last - first < (isUpper ? MAX_PARTS : 1) && tokens[last]?.trail === '') {
    const step = PARTICLES.test(tokens[last + 1]?.norm ?? '') && isNamePart(tokens[last + 2], true) ? 2 : 1;
    if (!isNamePart(tokens[last + step], isUpper)) break;
    last += step;
  }
  return { first, last };
};
