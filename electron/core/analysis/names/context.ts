import { endsWithStop, startsSentence, type Token } from '../tokens.ts';

const STOP = new Set(
  `the a an this that these those my your his her our their its i i'm i'll i've i'd we you he she it they them us me him
   and or but so if then than as at by for from in into of off on onto out over to under up with without about after
   before between during since until while when where who whom whose which what why how not no yes yeah okay ok well
   is are was were be been being am do does did done have has had having can could will would shall should may might must
   just also only very too there here now again please thanks thank hello hi hey oh um uh like really actually maybe
   because however although let let's don't didn't doesn't isn't it's that's there's he's she's we're they're you're
   monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september
   october november december today tomorrow yesterday tonight morning afternoon evening night week month year
   one two three four five six seven eight nine ten first second third good great best new old next last everyone
   everybody someone somebody anyone nobody people guys folks team all both some any many much more most other another
   der die das ein eine einen dem den des und oder aber ich du er sie es wir ihr mein dein sein ist sind war nicht ja nein
   le la les un une des du et ou mais je tu il elle nous vous ils elles mon ma mes ton sa ses est sont
   el los las una y o pero yo tú él ella nosotros usted mi su es son está no sí que de en con por para`
    .split(/\s+/)
    .filter(Boolean),
);

/** Whether a token is a function word, day or month: never a part of a name. */
export const isStop = (token: Token | undefined): boolean =>
  !token || STOP.has(token.norm) || STOP.has(token.stem);

/** The tokens of a window with their tags, and what capitals mean in each sentence. */
export class NameContext {
  readonly tokens: readonly Token[];
  readonly language: string;
  readonly #tags: readonly ReadonlySet<string>[];
  readonly #cased: readonly boolean[];

  constructor(tokens: readonly Token[], tags: readonly ReadonlySet<string>[], language: string) {
    this.tokens = tokens;
    this.language = language;
    this.#tags = tags;
    this.#cased = sentenceCasing(tokens);
  }

  at(index: number): Token | undefined {
    return this.tokens[index];
  }

  stem(index: number): string {
    return this.tokens[index]?.stem ?? '';
  }

  norm(index: number): string {
    return this.tokens[index]?.norm ?? '';
  }

  hasTag(index: number, ...tags: string[]): boolean {
    return tags.some((tag) => this.#tags[index]?.has(tag) ?? false);
  }

  /** Whether the token's sentence is in mixed case, so that capitals carry meaning. */
  isCased(index: number): boolean {
    return this.#cased[index] ?? false;
  }

  startsSentence(index: number): boolean {
    return startsSentence(this.tokens, index);
  }

  /** Whether a token is capitalized other than at the start of a sentence. */
  isProperNoun(index: number): boolean {
    return this.isCapitalized(index) && !this.startsSentence(index);
  }

  isCapitalized(index: number): boolean {
    return this.isCased(index) && (this.tokens[index]?.isCapitalized ?? false);
  }

  /** Whether no punctuation separates two consecutive tokens, but for initials and "St.". */
  areAdjacent(left: number, right: number): boolean {
    const token = this.tokens[left];
    const next = this.tokens[right];
    if (!token || !next || right !== left + 1 || next.isBlocked || next.lead !== '') return false;
    if (token.trail === '') return true;
    return (
      token.trail === '.' && (/^\p{Lu}$/u.test(token.text) || /^(?:st|dr|jr|sr|mr|mrs|ms)$/u.test(token.norm))
    );
  }
}

/** For each token, whether its sentence is in mixed case. */
const sentenceCasing = (tokens: readonly Token[]): boolean[] => {
  const cased: boolean[] = [];
  let start = 0;
  for (const [index, token] of tokens.entries()) {
    if (!endsWithStop(token) && index < tokens.length - 1) continue;
    const words = tokens.slice(start, index + 1).filter((word) => /\p{L}{2}/u.test(word.text));
    const upper = words.filter((word) => word.text === word.text.toUpperCase()).length;
    const capital = words.some((word) => word.isCapitalized);
    const meaningful = capital && (words.length < 3 || upper < words.length * 0.6);
    for (let at = start; at <= index; at++) cased.push(meaningful);
    start = index + 1;
  }
  return cased;
};
