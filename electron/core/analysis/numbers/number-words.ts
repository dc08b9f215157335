const ENGLISH = `zero=0 oh=0 o=0 nought=0 naught=0 nil=0 one=1 two=2 three=3 four=4 five=5 six=6 seven=7 eight=8 nine=9 niner=9
  ten=10 eleven=11 twelve=12 thirteen=13 fourteen=14 fifteen=15 sixteen=16 seventeen=17 eighteen=18 nineteen=19
  twenty=20 thirty=30 forty=40 fourty=40 fifty=50 sixty=60 seventy=70 eighty=80 ninety=90`;
const GERMAN = `null=0 eins=1 ein=1 zwei=2 zwo=2 drei=3 vier=4 fünf=5 sechs=6 sieben=7 acht=8 neun=9 zehn=10 elf=11 zwölf=12
  dreizehn=13 vierzehn=14 fünfzehn=15 sechzehn=16 siebzehn=17 achtzehn=18 neunzehn=19
  zwanzig=20 dreißig=30 vierzig=40 fünfzig=50 sechzig=60 siebzig=70 achtzig=80 neunzig=90`;
const FRENCH = `zéro=0 un=1 deux=2 trois=3 quatre=4 cinq=5 six=6 sept=7 huit=8 neuf=9 dix=10 onze=11 douze=12 treize=13
  quatorze=14 quinze=15 seize=16 vingt=20 trente=30 quarante=40 cinquante=50 soixante=60 septante=70 huitante=80 nonante=90`;
const SPANISH = `cero=0 uno=1 una=1 dos=2 tres=3 cuatro=4 cinco=5 seis=6 siete=7 ocho=8 nueve=9 diez=10 once=11 doce=12 trece=13
  catorce=14 quince=15 dieciséis=16 diecisiete=17 dieciocho=18 diecinueve=19 veinte=20 veintiuno=21 veintidós=22
  veintitrés=23 veinticuatro=24 veinticinco=25 veintiséis=26 veintisiete=27 veintiocho=28 veintinueve=29
  treinta=30 cuarenta=40 cincuenta=50 sesenta=60 setenta=70 ochenta=80 noventa=90`;

export type NumberWords = {
  small: ReadonlyMap<string, number>;
  /** How often the next digit repeats: "double", "triple". */
  repeats: ReadonlyMap<string, number>;
  hundred: ReadonlySet<string>;
  thousand: ReadonlySet<string>;
  /** Between tens and ones: "treinta y uno". */
  joiners: ReadonlySet<string>;
  /** German: "einundvierzig". */
  onesBeforeTens: boolean;
};

const table = (text: string): Map<string, number> => {
  const pairs = text.split(/\s+/).filter(Boolean);
  return new Map(
    pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), Number(pair.slice(pair.indexOf('=') + 1))]),
  );
};

const words = (text: string) => new Set(text.split(' ').filter(Boolean));

const LANGUAGES: Record<string, NumberWords> = {
  en: {
    small: table(ENGLISH),
    repeats: new Map([
      ['double', 2],
      ['triple', 3],
      ['treble', 3],
      ['quadruple', 4],
    ]),
    hundred: words('hundred'),
    thousand: words('thousand'),
    joiners: words('and'),
    onesBeforeTens: false,
  },
  de: {
    small: table(GERMAN),
    repeats: new Map([
      ['doppel', 2],
      ['zweimal', 2],
      ['dreimal', 3],
    ]),
    hundred: words('hundert'),
    thousand: words('tausend'),
    joiners: words('und'),
    onesBeforeTens: true,
  },
  fr: {
    small: table(FRENCH),
    repeats: new Map([
      ['double', 2],
      ['triple', 3],
    ]),
    hundred: words('cent cents'),
    thousand: words('mille'),
    joiners: words('et'),
    onesBeforeTens: false,
  },
  es: {
    small: table(SPANISH),
    repeats: new Map([
      ['doble', 2],
      ['triple', 3],
    ]),
    hundred: words('cien ciento'),
    thousand: words('mil'),
    joiners: words('y'),
    onesBeforeTens: false,
  },
};

/** The number words of a language; English for any other. */
export const numberWords = (language: string): NumberWords => {
  const key = language.slice(0, 2).toLowerCase();
  const found = LANGUAGES[key] ?? LANGUAGES.en;
  if (!found) throw new RangeError('number words for English are missing');
  return found;
};

const ALL = Object.values(LANGUAGES);

/** The value of a number word below 100 in any of the four languages; no compounds. */
export const smallValueInAnyLanguage = (word: string): number | undefined => {
  for (const { small } of ALL) {
    const value = small.get(word);
    if (value !== undefined) return value;
  }
  return undefined;
};

/** The value of a number word below 100, including "einundvierzig"; undefined for other words. */
export const smallValue = (word: string, language: NumberWords): number | undefined => {
  const direct = language.small.get(word);
  if (direct !== undefined || !language.onesBeforeTens) return direct;
  const compound = /^(.+)und(.+)$/u.exec(word);
  const ones = compound?.[1] ? language.small.get(compound[1]) : undefined;
  const tens = compound?.[2] ? language.small.get(compound[2]) : undefined;
  return ones !== undefined && tens !== undefined && ones < 10 && tens >= 20 ? tens + ones : undefined;
};
