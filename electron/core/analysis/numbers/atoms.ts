import { SPOKEN_SIGNS } from '../spoken-signs.ts';
import type { Token } from '../tokens.ts';
import { type NumberWords, numberWords, smallValue } from './number-words.ts';

/** The smallest part of a spoken or written number. Offsets are UTF-16 units into the text. */
export type Atom = { token: number; from: number; to: number } & (
  | { kind: 'written'; digits: string; before: string }
  | { kind: 'word'; value: number }
  | { kind: 'repeat'; times: number }
  | { kind: 'hundred' }
  | { kind: 'thousand' }
  | { kind: 'joiner' }
  | { kind: 'separator'; sign: string }
  | { kind: 'filler' }
);

const SEPARATOR_WORDS = new Map<string, string>([
  ...(['-', '.', '/'] as const).flatMap((sign) => SPOKEN_SIGNS[sign].map((word) => [word, sign] as const)),
  ['-', '-'],
  ['/', '/'],
  ['colon', ':'],
]);
const ENGLISH_FILLERS = numberWords('en').fillers;
const WRITTEN = /^\+?\d+(?:[-–./:()\u00a0]+\d+)*$/u;
const QUANTITY = /^\d{1,3}(?:[,.]\d{3})+(?:[.,]\d+)?$/u;

/** The atoms of a token, in order; empty if it is no part of a number. */
export const atomsOf = (token: Token, language: NumberWords): Atom[] => {
  if (token.isBlocked || token.text === '') return [];
  if (/^\+?\d/u.test(token.text)) return writtenAtoms(token);
  const plain = wordAtom(token.norm, token.index, token.from, token.to, language);
  if (plain) return [plain];
  return token.norm.includes('-') ? hyphenAtoms(token, language) : [];
};

const writtenAtoms = (token: Token): Atom[] => {
  if (QUANTITY.test(token.text) && token.text.includes(',')) return [];
  if (!WRITTEN.test(token.text)) return [];
  const atoms: Atom[] = [];
  let end = 0;
  for (const match of token.text.matchAll(/\d+/gu)) {
    const before = token.text.slice(end, match.index).replace('+', '');
    end = match.index + match[0].length;
    atoms.push({
      kind: 'written',
      digits: match[0],
      before,
      token: token.index,
      from: token.from + match.index,
      to: token.from + end,
    });
  }
  return atoms;
};

/** The atoms of "forty-one" or "five-five-five", if every part is a number. */
const hyphenAtoms = (token: Token, language: NumberWords): Atom[] => {
  const atoms: Atom[] = [];
  let at = token.from;
  for (const part of token.norm.split('-')) {
    const atom = wordAtom(part, token.index, at, at + part.length, language);
    if (!atom || atom.kind === 'filler') return [];
    atoms.push(atom);
    at += part.length + 1;
  }
  return atoms;
};

const wordAtom = (
  word: string,
  token: number,
  from: number,
  to: number,
  language: NumberWords,
): Atom | undefined => {
  const place = { token, from, to };
  const value = smallValue(word, language);
  if (value !== undefined) return { kind: 'word', value, ...place };
  const times = language.repeats.get(word);
  if (times !== undefined) return { kind: 'repeat', times, ...place };
  if (language.hundred.has(word)) return { kind: 'hundred', ...place };
  if (language.thousand.has(word)) return { kind: 'thousand', ...place };
  if (language.joiners.has(word)) return { kind: 'joiner', ...place };
  const sign = SEPARATOR_WORDS.get(word);
  if (sign !== undefined) return { kind: 'separator', sign, ...place };
  return language.fillers.has(word) || ENGLISH_FILLERS.has(word) ? { kind: 'filler', ...place } : undefined;
};
