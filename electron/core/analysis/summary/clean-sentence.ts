import { blankOverlong } from '../tokens.ts';

const FILLERS: Record<string, RegExp> = {
  en: /(?<![\p{L}'])(?:u+h+m*|u+m+|e+r+m*|hm+|mm+-?hm+|uh-huh|you know what i mean|you know|i mean|sort of like|kind of like|i guess|or whatever|or something like that)(?![\p{L}'])\s*,?/giu,
  de: /(?<!\p{L})(?:ä+h+m*|h+m+|sozusagen|weißt du|wie gesagt|quasi|irgendwie|na ja|naja)(?!\p{L})\s*,?/giu,
  fr: /(?<!\p{L})(?:e+u+h+|h+m+|tu vois|vous voyez|du coup|en fait|disons|quoi(?=\s*[.,]))(?!\p{L})\s*,?/giu,
  es: /(?<!\p{L})(?:e+h+|e+m+|o sea|este,|digamos|sabes|¿no\?|¿sabes\?)(?!\p{L})\s*,?/giu,
};
const OPENERS: Record<string, RegExp> = {
  en: /^(?:and then|and so|and|but|so|well|okay so|okay|ok|alright|all right|right|now|yeah|yes|no|oh|actually|basically|like|anyway|also|then|because|plus|look|listen|see|great|sure|thanks|thank you|good)\s*(?:[,.]\s*|\s+)(?=\p{L})/iu,
  de: /^(?:und dann|und|aber|also|naja|okay|ja|nein|gut|genau|dann|so|nun|tja|ach)\s*(?:,\s*|\s+)(?=\p{L})/iu,
  fr: /^(?:et puis|et|mais|donc|alors|bon|ben|oui|non|okay|voilà|bien)\s*(?:,\s*|\s+)(?=\p{L})/iu,
  es: /^(?:y entonces|y|pero|pues|bueno|entonces|sí|no|vale|así que|okay)\s*(?:,\s*|\s+)(?=\p{L})/iu,
};
/** Openers that may carry meaning ("no budget", "like this"): dropped only before a comma. */
const COMMA_ONLY =
  /^(?:no|like|so|now|right|see|look|also|then|good|great|sure|because|plus|thanks|thank you|ja|nein|gut|genau|dann|nun|bien|bon|non|sí)$/iu;

/**
 * Turns a spoken sentence into a written one: drops fillers, repetitions, false starts ("we, we need", "I was go- I was
 * going") and leading connectives; adds a capital and a full stop.
 */
export const cleanSentence = (text: string, language: string): string => {
  const key = language.slice(0, 2);
  let out = blankOverlong(text).replace(/\s+/gu, ' ').trim();
  const fillers = FILLERS[key] ?? FILLERS.en;
  if (fillers) out = out.replace(fillers, ' ');
  out = dropFalseStarts(out)
    .replace(/\s+([,.;:!?])/gu, '$1')
    .replace(/([,;:])(?:\s*[,;:])+/gu, '$1')
    .replace(/\s{2,}/gu, ' ')
    .trim();
  out = dropOpeners(out.replace(/^[,.;:\s-]+/u, ''), OPENERS[key] ?? OPENERS.en);
  out = out.replace(/[,;:\s]+$/u, '').replace(/,\s*([.!?])$/u, '$1');
  if (out === '') return '';
  const capital = out.charAt(0).toUpperCase() + out.slice(1);
  return /[.!?…。！？؟।][”"’')\]]*$/u.test(capital) ? capital : `${capital}.`;
};

/** Drops cut-off words ("go-"), and repetitions of up to four words. */
const dropFalseStarts = (text: string): string => {
  let out = blankOverlong(text).replace(/(?<!\p{L})\p{L}+-(?=\s)(?!\s(?:and|or|und|oder|et|ou|y|o)\s)/gu, '');
  for (const words of [4, 3, 2, 1]) {
    const group = `(?:[\\p{L}\\p{N}'’]+${`[ ]+[\\p{L}\\p{N}'’]+`.repeat(words - 1)})`;
    const repeated = new RegExp(
      `(?<![\\p{L}\\p{N}'’.-])(${group})(?:\\s*[,-]?\\s+\\1)+(?![\\p{L}\\p{N}'’-])`,
      'giu',
    );
    out = out.replace(repeated, (whole, once: string) => (isMeaningfulRepetition(once) ? whole : once));
  }
  return out;
};

/** Whether a repetition has a meaning: digits, number words, "that that", "very very". */
const isMeaningfulRepetition = (words: string): boolean =>
  /\d|\b(?:zero|oh|one|two|three|four|five|six|seven|eight|nine|ten|eleven|that|had|very|double|sie|die|das|nous|vous)\b/iu.test(
    words,
  );

const dropOpeners = (text: string, leads: RegExp | undefined): string => {
  let out = text;
  for (let round = 0; leads && round < 3; round++) {
    const match = leads.exec(out);
    if (!match) break;
    const word = match[0].replace(/[,.\s]+$/u, '');
    if (COMMA_ONLY.test(word) && !/[,.]/u.test(match[0])) break;
    const rest = out.slice(match[0].length);
    if (rest.split(' ').length < 3) break;
    out = rest;
  }
  return out;
};
