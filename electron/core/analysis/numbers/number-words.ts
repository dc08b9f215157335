import lexicon from '../../../../resources/lexicons/numbers.json' with { type: 'json' };

/** How a language says numbers. */
export type NumberWords = {
  small: ReadonlyMap<string, number>;
  /** How often the next digit repeats: "double", "triple". */
  repeats: ReadonlyMap<string, number>;
  hundred: ReadonlySet<string>;
  thousand: ReadonlySet<string>;
  /** Between tens and ones: "treinta y uno". */
  joiners: ReadonlySet<string>;
  /** What is said between the parts of a number: "yes", "genau". */
  fillers: ReadonlySet<string>;
  /** "einundvierzig". */
  onesBeforeTens: boolean;
  /** "quatre-vingt-dix". */
  isVigesimal: boolean;
  /** A hundred and a thousand need no one before them: "cento", "mil". */
  isHundredAlone: boolean;
  /** The value of a word that is put together: "hundertsiebzig", "duecentocinquanta". */
  compound(word: string): number | undefined;
};

type Source = {
  small: Record<string, number>;
  /** Forms of numbers inside of other words. */
  parts?: Record<string, number>;
  repeats: Record<string, number>;
  hundred: string[];
  thousand: string[];
  joiners: string[];
  fillers: string[];
  onesBeforeTens?: boolean;
  vigesimal?: boolean;
  leads?: boolean;
};

/** Value so far of a compound, up to a thousand and in thousands. */
type Sum = { readonly below: number; readonly thousands: number; readonly isJoined: boolean };

/** Reads compounds of languages that write numbers in one word, or undefined where a part does not fit. */
const compoundReader = (source: Source): NumberWords['compound'] => {
  const { small, parts, onesBeforeTens = false } = source;
  if (parts === undefined && !onesBeforeTens) return () => undefined;
  const values = new Map(Object.entries({ ...small, ...parts }));
  const names = [...values.keys(), ...source.hundred, ...source.thousand, ...source.joiners];
  names.sort((a, b) => b.length - a.length);
  const known = new Map<string, number | undefined>();

  const add = ({ below, thousands, isJoined }: Sum, name: string): Sum | undefined => {
    if (source.joiners.includes(name)) return isJoined ? undefined : { below, thousands, isJoined: true };
    if (source.hundred.includes(name))
      return below < 100 ? { below: (below || 1) * 100, thousands, isJoined: false } : undefined;
    if (source.thousand.includes(name))
      return thousands === 0 ? { below: 0, thousands: (below || 1) * 1000, isJoined: false } : undefined;
    const value = values.get(name) ?? 0;
    const ones = below % 100;
    if (isJoined && onesBeforeTens && ones > 0 && ones < 10 && value >= 20)
      return { below: below + value, thousands, isJoined: false };
    if (below % (value < 10 ? 10 : 100) === 0 && (ones === 0 || ones >= 20))
      return { below: below + value, thousands, isJoined: false };
    // A century and a year of it: "negentienvijfenvijftig".
    return below > 12 && below <= 20 && !isJoined
      ? { below: value, thousands: below * 100, isJoined: false }
      : undefined;
  };
  const read = (rest: string, sum: Sum): number | undefined => {
    if (rest === '') return sum.isJoined ? undefined : sum.below + sum.thousands;
    for (const name of names) {
      const next = rest.startsWith(name) ? add(sum, name) : undefined;
      const value = next === undefined ? undefined : read(rest.slice(name.length), next);
      if (value !== undefined) return value;
    }
    return undefined;
  };
  return (word) => {
    if (word.length < 6 || word.length > 60 || !names.some((name) => word.startsWith(name))) return undefined;
    if (!known.has(word)) {
      if (known.size > 10_000) known.clear();
      known.set(word, read(word, { below: 0, thousands: 0, isJoined: false }));
    }
    return known.get(word);
  };
};

const toNumberWords = (source: Source): NumberWords => ({
  small: new Map(Object.entries(source.small)),
  repeats: new Map(Object.entries(source.repeats)),
  hundred: new Set(source.hundred),
  thousand: new Set(source.thousand),
  joiners: new Set(source.joiners),
  fillers: new Set(source.fillers),
  onesBeforeTens: source.onesBeforeTens ?? false,
  isVigesimal: source.vigesimal ?? false,
  isHundredAlone: source.leads ?? source.onesBeforeTens ?? false,
  compound: compoundReader(source),
});

const ENGLISH = toNumberWords(lexicon.en);
const LANGUAGES: ReadonlyMap<string, NumberWords> = new Map(
  Object.entries<Source>(lexicon).map(([key, source]) => [key, toNumberWords(source)]),
);

/** The number words of a language; English for any other. */
export const numberWords = (language: string): NumberWords =>
  LANGUAGES.get(language.slice(0, 2).toLowerCase()) ?? ENGLISH;

/** Articles and prepositions of other languages. */
const NO_NUMBER = new Set(['um', 'uma', 'een', 'sei', 'due']);

/** The value of a number word below 100 in any of the languages; no compounds. */
export const smallValueInAnyLanguage = (word: string): number | undefined => {
  if (NO_NUMBER.has(word)) return undefined;
  for (const { small } of LANGUAGES.values()) {
    const value = small.get(word);
    if (value !== undefined && value < 100) return value;
  }
  return undefined;
};

/** The value of a number word, including "einundvierzig"; undefined for other words. */
export const smallValue = (word: string, language: NumberWords): number | undefined =>
  language.small.get(word) ?? language.compound(word);
