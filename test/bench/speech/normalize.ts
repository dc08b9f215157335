// The text normalizers of openai/whisper (MIT), whisper/normalizers/basic.py and english.py, by which its paper and its users measure
// word error rates. Left out of the English one: amounts of money, and all but the most frequent British spellings.

import { converterTo } from '../../../electron/core/analysis/chinese-script.ts';

const simplify = await converterTo('simplified');

const IN_BRACKETS = /[<[][^>\]]*[>\]]|\([^)]+?\)/gu;
const HESITATION = /\b(?:hmm|mm|mhm|mmm|uh|um)\b/gu;

const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [/\bwon't\b/g, 'will not'],
  [/\bcan't\b/g, 'can not'],
  [/\blet's\b/g, 'let us'],
  [/\bain't\b/g, 'aint'],
  [/\by'all\b/g, 'you all'],
  [/\bwanna\b/g, 'want to'],
  [/\bgotta\b/g, 'got to'],
  [/\bgonna\b/g, 'going to'],
  [/\b(would|could|should)a\b/g, '$1 have'],
  [/\bma'am\b/g, 'madam'],
  [/\bmr\b/g, 'mister '],
  [/\bmrs\b/g, 'missus '],
  [/\bst\b/g, 'saint '],
  [/\bdr\b/g, 'doctor '],
  [/\bprof\b/g, 'professor '],
  [/\bcapt\b/g, 'captain '],
  [/\bgov\b/g, 'governor '],
  [/\bgen\b/g, 'general '],
  [/\bsen\b/g, 'senator '],
  [/\brep\b/g, 'representative '],
  [/\bpres\b/g, 'president '],
  [/\brev\b/g, 'reverend '],
  [/\blt\b/g, 'lieutenant '],
  [/\bjr\b/g, 'junior '],
  [/\bsr\b/g, 'senior '],
  [/'d (been|gone|done)\b/g, ' had $1'],
  [/'s (been|gone|done|got)\b/g, ' has $1'],
  [/n't\b/g, ' not'],
  [/'re\b/g, ' are'],
  [/'s\b/g, ' is'],
  [/'d\b/g, ' would'],
  [/'ll\b/g, ' will'],
  [/'t\b/g, ' not'],
  [/'ve\b/g, ' have'],
  [/'m\b/g, ' am'],
];

const LETTERS: Readonly<Record<string, string>> = {
  œ: 'oe',
  ø: 'o',
  æ: 'ae',
  ß: 'ss',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
};

/** Decomposes, drops marks, and replaces symbols and punctuation by spaces, but for those that numbers need. */
const withoutSymbolsAndDiacritics = (text: string): string =>
  text
    .replaceAll(/[œøæßđðþł]/gu, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFKD')
    .replaceAll(/\p{Mn}/gu, '')
    .replaceAll(/(?![.%$¢€£])[\p{M}\p{S}\p{P}]/gu, ' ');

const numbered = (list: string, from: number, step = 1): [string, number][] =>
  list.split(' ').map((word, index) => [word, from + index * step]);
const ONES = new Map(
  numbered(
    'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
    0,
  ).concat([
    ['oh', 0],
    ['o', 0],
  ]),
);
const TENS = new Map(numbered('twenty thirty forty fifty sixty seventy eighty ninety', 20, 10));
const SCALES = new Map([
  ['hundred', 100],
  ['thousand', 1000],
  ['million', 1_000_000],
  ['billion', 1_000_000_000],
]);
const ORDINALS = new Map(
  numbered(
    'zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth',
    0,
  ),
);

/** A number being read: digits said one after the other are one number, as are tens and ones. */
class NumberReader {
  readonly #out: string[] = [];
  #digits = '';
  #last: 'ones' | 'tens' | 'scale' | 'digits' | undefined;

  get out(): readonly string[] {
    return this.#out;
  }

  get isReading(): boolean {
    return this.#last !== undefined;
  }

  end(): void {
    if (this.#last !== undefined) this.#out.push(this.#digits);
    this.#digits = '';
    this.#last = undefined;
  }

  ones(value: number): void {
    const adds = (this.#last === 'tens' && value > 0 && value < 10) || this.#last === 'scale';
    this.#digits = adds ? String(Number(this.#digits) + value) : this.#digits + value;
    this.#last = 'ones';
  }

  tens(value: number): void {
    this.#digits = this.#last === 'scale' ? String(Number(this.#digits) + value) : this.#digits + value;
    this.#last = 'tens';
  }

  scale(value: number): void {
    const before = Number(this.#digits);
    const below = before % value === 0 ? 0 : before % 1000;
    this.#digits = String(before < value ? before * value : before - below + below * value);
    this.#last = 'scale';
  }

  ordinal(value: number): void {
    if (this.#last !== 'tens' && this.#last !== 'scale') this.end();
    this.#digits = String(Number(this.#digits) + value);
    const isTeen = Math.floor((Number(this.#digits) % 100) / 10) === 1;
    this.#digits += isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][value % 10] ?? 'th');
    this.#last = 'digits';
    this.end();
  }

  digits(text: string): void {
    if (this.#last !== undefined) this.end();
    this.#digits = text;
    this.#last = 'digits';
  }

  word(text: string): void {
    this.end();
    this.#out.push(text);
  }
}

const withDigits = (text: string): string => {
  const reader = new NumberReader();
  const words = text
    .replaceAll(/([a-z])(\d)/g, '$1 $2')
    .replaceAll(/(\d)([a-z])/g, '$1 $2')
    .replaceAll(/(\d)\s+(st|nd|rd|th|s)\b/g, '$1$2')
    .split(/\s+/)
    .filter((word) => word !== '');
  for (const [index, word] of words.entries()) {
    const next = words[index + 1] ?? '';
    const [ones, tens, scale, ordinal] = [
      ONES.get(word),
      TENS.get(word),
      SCALES.get(word),
      ORDINALS.get(word),
    ];
    // "o" and "oh" are digits among others only.
    const isLetter = (word === 'o' || word === 'oh') && !reader.isReading;
    if (ones !== undefined && !isLetter) reader.ones(ones);
    else if (tens !== undefined) reader.tens(tens);
    else if (scale !== undefined && reader.isReading) reader.scale(scale);
    else if (ordinal !== undefined) reader.ordinal(ordinal);
    else if (/^\d+(?:\.\d+)?$/.test(word)) reader.digits(word);
    else if (word === 'percent' && reader.isReading) {
      reader.end();
      reader.word('%');
    } else if (word === 'and' && reader.isReading && (ONES.has(next) || TENS.has(next))) continue;
    else reader.word(word);
  }
  reader.end();
  return reader.out.join(' ').replaceAll(' %', '%');
};

/** British endings and words, as the most frequent of the 1,700 entries of english.json. */
const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/\b(col|fav|hon|lab|neighb|harb|hum|behavi|vap|arm|endeav|rum|clam)our/g, '$1or'],
  [/\b(cent|theat|fib|met|lit)re\b/g, '$1er'],
  [/\b(real|organ|recogn|apolog|critic|memor|author|civil|emphas|special)is(e|ed|es|ing|ation)\b/g, '$1iz$2'],
  [/\bgrey/g, 'gray'],
  [/\b(defen|offen|licen)ce\b/g, '$1se'],
  [/\b(travel|cancel|label|model|counsel)l(ed|ing|er)\b/g, '$1$2'],
  [/\bmould/g, 'mold'],
  [/\bplough/g, 'plow'],
];

const english = (text: string): string => {
  let plain = text.toLowerCase().replaceAll(IN_BRACKETS, '').replaceAll(HESITATION, '').replaceAll('’', "'");
  plain = plain.replaceAll(/\s+'/g, "'");
  for (const [pattern, written] of REPLACEMENTS) plain = plain.replaceAll(pattern, written);
  plain = plain.replaceAll(/(\d),(\d)/g, '$1$2').replaceAll(/\.(\D|$)/g, ' $1');
  plain = withDigits(withoutSymbolsAndDiacritics(plain));
  for (const [pattern, written] of SPELLINGS) plain = plain.replaceAll(pattern, written);
  return plain.replaceAll(/[.$¢€£](\D)/g, ' $1').replaceAll(/(\D)%/g, '$1 ');
};

const basic = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(IN_BRACKETS, '')
    .normalize('NFKC')
    .replaceAll(/[\p{M}\p{S}\p{P}]/gu, ' ')
    .toLowerCase();

/** Languages whose error rate counts characters. */
const BY_CHARACTER: ReadonlySet<string> = new Set(['zh', 'yue', 'ja', 'ko']);

/**
 * What an error rate counts: words, in Chinese, Japanese and Korean characters. `mixed` is text of several languages, whose
 * characters of those scripts count by themselves. Traditional and simplified characters are the same.
 */
export const unitsOf = (text: string, language: string): string[] => {
  const plain = language === 'en' ? english(text) : basic(text);
  if (!BY_CHARACTER.has(language) && language !== 'mixed')
    return plain.split(/\s+/u).filter((word) => word !== '');
  const simplified = simplify(plain);
  if (language !== 'mixed') return Array.from(simplified.replaceAll(/\s+/gu, ''));
  return (
    simplified.match(
      /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]|[^\s\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]+/gu,
    ) ?? []
  );
};
