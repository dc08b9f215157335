import { escapeRegExp } from '../base/text.ts';

/** What one person says before another one speaks. */
export type SpokenTurn = { readonly speaker: string; readonly text: string };

/** A name that a speaker is known by; a higher score is better evidence. */
export type Introduction = { readonly speaker: string; readonly name: string; readonly score: number };

/** Introducing oneself, in English, German, French and Spanish. */
const OWN =
  "my name is|my name's|i am|i'm|this is|it's|call me|mein name ist|ich bin|ich heisse|hier ist|je m'appelle|mon nom est|je suis|me llamo|mi nombre es|soy";
/** Handing over to somebody, who speaks next. */
const HANDOVER =
  'over to you|welcome|hello|hi|hey|good morning|your turn|willkommen|hallo|bienvenue|bonjour|bienvenido|bienvenida|hola';
const OWN_SCORE = 3;
const ADDRESSED_SCORE = 1;

/** Lower case without accents, `ß` as `ss`, with plain apostrophes. */
const fold = (text: string): string =>
  text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss').replace(/[’‘]/g, "'");

/** The whole name, or its first part where no other name has the same. */
const patternOf = (name: string, names: readonly string[]): string => {
  const parts = fold(name).split(/\s+/);
  const [first = ''] = parts;
  const isShared = names.filter((other) => fold(other).split(/\s+/)[0] === first).length > 1;
  const whole = parts.map(escapeRegExp).join('\\s+');
  return isShared || parts.length === 1 ? whole : `(?:${whole}|${escapeRegExp(first)})`;
};

const neighbor = (turns: readonly SpokenTurn[], at: number, step: 1 | -1): string | undefined => {
  const own = turns[at]?.speaker;
  for (let index = at + step; index >= 0 && index < turns.length; index += step) {
    if (turns[index]?.speaker !== own) return turns[index]?.speaker;
  }
  return undefined;
};

/** Who is meant by a name in a turn: the speaker, or the one addressed, who speaks next or has just spoken. */
const meantBy = (
  name: string,
  turns: readonly SpokenTurn[],
  at: number,
): { speaker: string | undefined; score: number } | undefined => {
  const text = fold(turns[at]?.text ?? '');
  const has = (pattern: string): boolean => new RegExp(pattern, 'u').test(text);
  const end = '(?![\\p{L}\\p{N}])';
  if (has(`(?<![\\p{L}'])(?:${OWN})[\\s,]+${name}${end}`)) {
    return { speaker: turns[at]?.speaker, score: OWN_SCORE };
  }
  if (has(`(?<!\\p{L})(?:${HANDOVER})[\\s,]+${name}${end}`) || has(`(?:^|[.!?]\\s+)${name},`)) {
    return { speaker: neighbor(turns, at, 1), score: ADDRESSED_SCORE };
  }
  if (
    has(`[,]\\s+${name}\\s*(?:[.!?]|$)`) ||
    has(`(?<!\\p{L})(?:thanks|thank you|danke|merci|gracias)[\\s,]+${name}${end}`)
  ) {
    return { speaker: neighbor(turns, at, -1), score: ADDRESSED_SCORE };
  }
  return undefined;
};

/**
 * Finds which speakers the given names belong to, by how people introduce themselves and address each other. A name whose
 * evidence points to two speakers alike is left out.
 */
export const findIntroductions = (names: readonly string[], turns: readonly SpokenTurn[]): Introduction[] =>
  names.flatMap((name) => {
    const pattern = patternOf(name, names);
    const scores = new Map<string, number>();
    for (const at of turns.keys()) {
      const meant = meantBy(pattern, turns, at);
      if (meant?.speaker === undefined) continue;
      scores.set(meant.speaker, (scores.get(meant.speaker) ?? 0) + meant.score);
    }
    const [best, second] = [...scores].toSorted(([, a], [, b]) => b - a);
    if (best === undefined || best[1] === second?.[1]) return [];
    return [{ speaker: best[0], name, score: best[1] }];
  });
