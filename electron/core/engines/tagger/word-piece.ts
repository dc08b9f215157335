/** A piece of a word: its id, the place of its characters in UTF-16 units, and the number of its word. */
export type Piece = {
  readonly id: number;
  readonly from: number;
  readonly to: number;
  readonly word: number;
};

type Character = { readonly text: string; readonly from: number; readonly to: number };

const UNKNOWN = 1;
const MAX_WORD = 100;
const SPACE = /[\t\n\r\p{Z}]/u;
const DROPPED = /[\uFFFD\p{Cc}\p{Cf}\p{Co}\p{Cs}]/u;
const SEPARATE = /[$+<=>^`|~\p{P}]/u;
const IDEOGRAPH =
  /[\u4E00-\u9FFF\u3400-\u4DBF\u{20000}-\u{2A6DF}\u{2A700}-\u{2B73F}\u{2B740}-\u{2B81F}\u{2B920}-\u{2CEAF}\uF900-\uFAFF\u{2F800}-\u{2FA1F}]/u;

/** Characters without controls and accents, in lower case; each by itself, so that no final sigma appears. */
const normalize = (symbol: string, from: number): Character[] => {
  const to = from + symbol.length;
  const bare = symbol.normalize('NFD').replace(/\p{Mn}/gu, '');
  return Array.from(bare).flatMap((part) => Array.from(part.toLowerCase(), (text) => ({ text, from, to })));
};

/** Runs of characters between spaces; each punctuation character and ideograph is a word by itself. */
const splitWords = (text: string): Character[][] => {
  const words: Character[][] = [];
  let word: Character[] = [];
  const end = () => {
    if (word.length > 0) words.push(word);
    word = [];
  };
  let at = 0;
  for (const symbol of text) {
    const from = at;
    at += symbol.length;
    if (SPACE.test(symbol)) end();
    else if (!DROPPED.test(symbol)) {
      const isIdeograph = IDEOGRAPH.test(symbol);
      if (isIdeograph) end();
      for (const character of normalize(symbol, from)) {
        const isSeparate = SEPARATE.test(character.text);
        if (isSeparate) end();
        word.push(character);
        if (isSeparate) end();
      }
      if (isIdeograph) end();
    }
  }
  end();
  return words;
};

/** BERT's uncased WordPiece. `vocabulary` has a piece per line; the line's number is its id. */
export const createTokenizer = (vocabulary: string): ((text: string) => Piece[]) => {
  const ids = new Map(vocabulary.split('\n').map((piece, id) => [piece, id]));

  const longestPiece = (
    word: readonly Character[],
    start: number,
  ): { id: number; end: number } | undefined => {
    for (let end = word.length; end > start; end -= 1) {
      const piece = word.slice(start, end).map(({ text }) => text);
      const id = ids.get(`${start > 0 ? '##' : ''}${piece.join('')}`);
      if (id !== undefined) return { id, end };
    }
    return undefined;
  };

  const pieces = (characters: readonly Character[], word: number): Piece[] => {
    const whole = { id: UNKNOWN, from: characters[0]?.from ?? 0, to: characters.at(-1)?.to ?? 0, word };
    if (characters.length > MAX_WORD) return [whole];
    const found: Piece[] = [];
    for (let start = 0; start < characters.length; ) {
      const piece = longestPiece(characters, start);
      if (!piece) return [whole];
      const { id, end } = piece;
      found.push({ id, from: characters[start]?.from ?? 0, to: characters[end - 1]?.to ?? 0, word });
      start = end;
    }
    return found;
  };
  return (text) => splitWords(text).flatMap(pieces);
};
