import type { Token } from '../tokens.ts';
import { type Atom, atomsOf } from './atoms.ts';
import { type NumberWords, numberWords } from './number-words.ts';

/** Digits said or written together: "forty-one" is one group, "555-014-2367" is three. */
export type DigitGroup = {
  digits: string;
  from: number;
  to: number;
  /** The separator before this group: "-", ".", "/", ":", "," or nothing. */
  before: string;
  isSpoken: boolean;
  firstToken: number;
  lastToken: number;
};

/** Digit groups with nothing but separators and fillers between them. */
export type NumberRun = {
  groups: DigitGroup[];
  /** A plus sign or the word "plus" precedes the first group. */
  hasPlus: boolean;
};

/**
 * All runs of numbers: digits, number words ("five five five", "forty-one eleven", "double seven", "one hundred sixty
 * eight"), spoken separators ("dash", "dot") and fillers. A run may cross sentence marks and segments, since recognizers
 * put full stops into numbers.
 */
export const findRuns = (tokens: readonly Token[], language: string): NumberRun[] => {
  const vocabulary = numberWords(language);
  const runs: NumberRun[] = [];
  let index = 0;
  while (index < tokens.length) {
    const atoms = atomsFrom(tokens, index, vocabulary);
    if (atoms.length === 0) {
      index += 1;
      continue;
    }
    const groups = groupsOf(atoms, tokens, vocabulary);
    if (groups.length > 0) runs.push({ groups, hasPlus: hasPlusBefore(tokens, groups[0]) });
    index = Math.max(index, ...atoms.slice(-1).map((atom) => atom.token)) + 1;
  }
  return runs;
};

/** The atoms of the run that starts at a token; at most 120, which bounds the work. */
const atomsFrom = (tokens: readonly Token[], start: number, vocabulary: NumberWords): Atom[] => {
  const atoms: Atom[] = [];
  let length = 0;
  for (let index = start; index < tokens.length && atoms.length < 120; index++) {
    const token = tokens[index];
    if (!token) break;
    const own = atomsOf(token, vocabulary);
    const isNumber = own.some(
      ({ kind }) =>
        kind === 'written' ||
        kind === 'word' ||
        kind === 'repeat' ||
        ((kind === 'hundred' || kind === 'thousand') && vocabulary.isHundredAlone),
    );
    if (own.length === 0 || (atoms.length === 0 && !isNumber)) break;
    if (
      atoms.length > 0 &&
      (token.text.startsWith('+') || (own[0]?.kind === 'joiner' && !joins(atoms.at(-1), vocabulary)))
    )
      break;
    atoms.push(...own);
    if (isNumber || own.some((atom) => atom.kind === 'hundred' || atom.kind === 'thousand'))
      length = atoms.length;
    if (/[!]/u.test(token.trail)) break;
  }
  return atoms.slice(0, length);
};

/** Whether "and" after this atom belongs to the number: after "hundred" and "thousand", and between tens and ones. */
const joins = (previous: Atom | undefined, { onesBeforeTens }: NumberWords): boolean => {
  if (previous?.kind === 'word') return previous.value >= 20 || previous.value === 1 || onesBeforeTens;
  return previous?.kind === 'hundred' || previous?.kind === 'thousand';
};

const hasPlusBefore = (tokens: readonly Token[], group: DigitGroup | undefined): boolean => {
  const token = group ? tokens[group.firstToken] : undefined;
  if (!token) return false;
  return token.text.startsWith('+') || token.lead.includes('+') || tokens[token.index - 1]?.norm === 'plus';
};

const groupsOf = (
  atoms: readonly Atom[],
  tokens: readonly Token[],
  vocabulary: NumberWords,
): DigitGroup[] => {
  const groups: DigitGroup[] = [];
  let before = '';
  let at = 0;
  while (at < atoms.length) {
    const atom = atoms[at];
    if (!atom) break;
    if (atom.kind === 'separator') before = atom.sign;
    const value = readValue(atoms, at, tokens, vocabulary);
    const first = value ? atoms[at] : undefined;
    const last = value ? atoms[at + value.length - 1] : undefined;
    if (value && first && last) {
      groups.push({
        digits: value.digits,
        from: first.from,
        to: last.to,
        before:
          before + (first.kind === 'written' ? first.before : '') + markBefore(tokens, first, groups.at(-1)),
        isSpoken: first.kind !== 'written',
        firstToken: first.token,
        lastToken: last.token,
      });
      before = '';
      at += value.length;
    } else {
      at += 1;
    }
  }
  return groups;
};

/** The comma between two groups. */
const markBefore = (tokens: readonly Token[], atom: Atom, previous: DigitGroup | undefined): string => {
  if (!previous || previous.lastToken === atom.token) return '';
  return /[,;]/u.test(tokens[previous.lastToken]?.trail ?? '') ? ',' : '';
};

type Reading = {
  digits: string;
  length: number;
};

/** The longest number that starts at an atom, and its number of atoms. */
const readValue = (
  atoms: readonly Atom[],
  at: number,
  tokens: readonly Token[],
  vocabulary: NumberWords,
): Reading | undefined => {
  const atom = atoms[at];
  if (atom?.kind === 'written') return { digits: atom.digits, length: 1 };
  if (atom?.kind === 'repeat') return readRepeat(atoms, at, atom.times);
  const isAlone = vocabulary.isHundredAlone && (atom?.kind === 'hundred' || atom?.kind === 'thousand');
  if (atom?.kind !== 'word' && !isAlone) return undefined;
  const small = isAlone ? { value: 1, length: 0 } : readBelow1000(atoms, at, tokens, vocabulary);
  const next = atoms[at + small.length];
  if (next?.kind === 'hundred' && small.value > 0 && small.value < 100)
    return readHundreds(atoms, at, small, tokens, vocabulary);
  if (next?.kind === 'thousand' && small.value > 0)
    return readThousands(atoms, at, small, tokens, vocabulary);
  return { digits: String(small.value), length: small.length };
};

const readRepeat = (atoms: readonly Atom[], at: number, times: number): Reading | undefined => {
  const next = atoms[at + 1];
  const digit = next?.kind === 'word' ? String(next.value) : next?.kind === 'written' ? next.digits : '';
  return digit.length === 1 ? { digits: digit.repeat(times), length: 2 } : undefined;
};

type Small = {
  value: number;
  length: number;
};

/** "seiscientos doce", and numbers below 100. */
const readBelow1000 = (
  atoms: readonly Atom[],
  at: number,
  tokens: readonly Token[],
  vocabulary: NumberWords,
): Small => {
  const small = readSmall(atoms, at, tokens, vocabulary);
  if (small.value < 100 || small.value % 100 !== 0) return small;
  const restAt = at + (atoms[at + 1]?.kind === 'joiner' ? 2 : 1);
  if (wordAfter(atoms, restAt - 1, tokens) === undefined) return small;
  const rest = readSmall(atoms, restAt, tokens, vocabulary);
  // "seiscientos doce", but not "seiscientos uno dos tres".
  if (rest.value === 0 || rest.value >= 100 || (rest.value < 10 && atoms[restAt + 1]?.kind === 'word'))
    return small;
  return { value: small.value + rest.value, length: restAt - at + rest.length };
};

/** A number below 100: "forty one", "treinta y uno", "quatre vingt dix sept". */
const readSmall = (
  atoms: readonly Atom[],
  at: number,
  tokens: readonly Token[],
  { isVigesimal, onesBeforeTens, joiners }: NumberWords,
): Small => {
  const atom = atoms[at];
  const value = atom?.kind === 'word' ? atom.value : 0;
  if (isVigesimal && value === 4 && wordAfter(atoms, at, tokens) === 20)
    return addFrench(atoms, at + 1, 80, 2, tokens);
  if (isVigesimal && value === 60) return addFrench(atoms, at, 60, 1, tokens);
  const joined = atoms[at + 1]?.kind === 'joiner' ? wordAfter(atoms, at + 1, tokens) : undefined;
  if (onesBeforeTens && value > 0 && value < 10 && joined !== undefined && joined >= 20 && joined < 100)
    return { value: joined + value, length: 3 };
  if (value < 20 || value % 10 !== 0 || value >= 100) return { value, length: 1 };
  const next = wordAfter(atoms, at, tokens);
  if (next !== undefined && next >= 1 && next <= 9 && !onesBeforeTens)
    return { value: value + next, length: 2 };
  const isOne = joined !== undefined && joined >= 1 && joined <= 9;
  return isOne && !onesBeforeTens && !joiners.has('and')
    ? { value: value + joined, length: 3 }
    : { value, length: 1 };
};

const addFrench = (
  atoms: readonly Atom[],
  at: number,
  base: number,
  length: number,
  tokens: readonly Token[],
): Small => {
  const joiner = atoms[at + 1]?.kind === 'joiner' ? 1 : 0;
  const next = wordAfter(atoms, at + joiner, tokens);
  if (next === undefined || next < 1 || next > 19) return { value: base, length };
  const ones = next === 10 ? wordAfter(atoms, at + joiner + 1, tokens) : undefined;
  if (ones !== undefined && ones >= 7 && ones <= 9)
    return { value: base + 10 + ones, length: length + joiner + 2 };
  return { value: base + next, length: length + joiner + 1 };
};

/** The value of the word right after an atom, unless punctuation is between. */
const wordAfter = (atoms: readonly Atom[], at: number, tokens: readonly Token[]): number | undefined => {
  const atom = atoms[at];
  const next = atoms[at + 1];
  if (!atom || next?.kind !== 'word') return undefined;
  if (next.token !== atom.token && (tokens[atom.token]?.trail ?? '') !== '') return undefined;
  return next.value;
};

/**
 * "three hundred [and] forty two". Without "and", a single digit followed by more digits is not added: "one eight
 * hundred five five five" is 1 800 555.
 */
const readHundreds = (
  atoms: readonly Atom[],
  at: number,
  small: Small,
  tokens: readonly Token[],
  vocabulary: NumberWords,
): Reading => {
  const hundreds = small.value * 100;
  const afterHundred = at + small.length + 1;
  const joined = atoms[afterHundred]?.kind === 'joiner';
  const restAt = joined ? afterHundred + 1 : afterHundred;
  const rest = atoms[restAt];
  const plain = { digits: String(hundreds), length: small.length + 1 };
  if (rest?.kind !== 'word') return plain;
  const more = readSmall(atoms, restAt, tokens, vocabulary);
  const follows = atoms[restAt + more.length];
  if (!joined && more.value < 10 && (more.value === 0 || follows?.kind === 'word')) return plain;
  return { digits: String(hundreds + more.value), length: restAt - at + more.length };
};

/** "two thousand [and] nineteen", "twelve thousand five hundred". */
const readThousands = (
  atoms: readonly Atom[],
  at: number,
  small: Small,
  tokens: readonly Token[],
  vocabulary: NumberWords,
): Reading => {
  const thousands = small.value * 1000;
  const after = at + small.length + 1;
  const restAt = atoms[after]?.kind === 'joiner' ? after + 1 : after;
  const follows = atoms[restAt]?.kind;
  if (follows !== 'word' && !(follows === 'hundred' && vocabulary.isHundredAlone))
    return { digits: String(thousands), length: small.length + 1 };
  const rest = readValue(atoms, restAt, tokens, vocabulary);
  const value = rest ? Number(rest.digits) : 0;
  if (!rest || value >= 1000) return { digits: String(thousands), length: small.length + 1 };
  return { digits: String(thousands + value), length: restAt - at + rest.length };
};
