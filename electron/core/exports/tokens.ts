/**
 * Splits text at its break opportunities: at spaces, and in scripts without them between the words of Unicode's
 * segmentation (UAX #29), with the rules of JIS X 4051 (no closing mark starts a line, no opening mark ends one).
 */
import { displayWidth, graphemesOf } from './display-width.ts';
import { BREAKING_SPACE, cleanText, UNSPACED } from './text.ts';

export type TextToken = {
  readonly text: string;
  readonly hasSpaceBefore: boolean;
};

const wordSegmenter = new Intl.Segmenter('und', { granularity: 'word' });

const CANNOT_BEGIN =
  /^[\p{Pe}\p{Pf}\p{M}、。，．・：；？！‥…ーぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ々〻ゝゞヽヾ〜～%％℃°,.!?;:'"”’)\]}]/u;
const CANNOT_END = /[\p{Ps}\p{Pi}£$¥€￥＄#＃]$/u;
const ONLY_CLOSING = /^[\p{Pe}\p{Pf}!?;:%…»]+$/u;
const ONLY_OPENING = /^[\p{Ps}\p{Pi}¿¡«]+$/u;

const ENDS_UNSPACED = new RegExp(`${UNSPACED.source}$`, 'u');
const STARTS_UNSPACED = new RegExp(`^${UNSPACED.source}`, 'u');

const STARTS_HIRAGANA = /^\p{sc=Hira}/u;
const STARTS_KATAKANA = /^\p{sc=Kana}/u;
const ENDS_KATAKANA = /[\p{sc=Kana}ー]$/u;
const ENDS_LETTER = /\p{L}$/u;
const ENDS_DIGIT = /\d$/u;
/** Particles that close a phrase wherever the dictionary finds them. */
const CLOSES_PHRASE = /^(?:は|を|から|まで|ので|けど|けれど)$/u;
const LONE_HIRAGANA = /^\p{sc=Hira}$/u;
/** A verb's stem, and the verbs that follow one as its second half: 走り出す, 申し込む. */
const ENDS_STEM = /\p{sc=Han}[いきぎしちびみりえけげせべめれ]$/u;
const SECOND_VERB = /^[出込続始終直過合切上下付回返替越]/u;

/**
 * Whether Japanese may break here. The dictionary's words are smaller than a reader's: endings in hiragana belong to what is
 * before them (`送って|くだ|さい`), as do parts of a loan word (`スカイ|ツリー`) and what is counted (`3|時`).
 */
const isPhraseBreak = (left: string, right: string, leftWord: string): boolean => {
  if (ENDS_DIGIT.test(left)) return false;
  if (STARTS_HIRAGANA.test(right))
    return !ENDS_LETTER.test(left) || (CLOSES_PHRASE.test(leftWord) && !LONE_HIRAGANA.test(right));
  if (ENDS_STEM.test(left) && SECOND_VERB.test(right)) return false;
  return !(ENDS_KATAKANA.test(left) && STARTS_KATAKANA.test(right));
};

const isBreakOpportunity = (left: string, right: string, leftWord: string): boolean => {
  if (CANNOT_BEGIN.test(right) || CANNOT_END.test(left) || !isPhraseBreak(left, right, leftWord))
    return false;
  return ENDS_UNSPACED.test(left.slice(-2)) || STARTS_UNSPACED.test(right.slice(0, 2));
};

/** Splits text without white space. */
const splitUnspaced = (run: string): string[] => {
  if (!UNSPACED.test(run)) return [run];
  const tokens: string[] = [];
  let word = '';
  for (const { segment } of wordSegmenter.segment(run)) {
    const last = tokens.at(-1);
    if (last !== undefined && !isBreakOpportunity(last, segment, word))
      tokens[tokens.length - 1] = last + segment;
    else tokens.push(segment);
    word = segment;
  }
  return tokens;
};

/** Keeps spaced punctuation (French "Bonjour !") with its word. */
const attachPunctuation = (runs: readonly string[]): string[] => {
  const glued: string[] = [];
  let opening = '';
  for (const run of runs) {
    const last = glued.at(-1);
    if (opening === '' && last !== undefined && ONLY_CLOSING.test(run))
      glued[glued.length - 1] = `${last} ${run}`;
    else if (ONLY_OPENING.test(run)) opening = opening === '' ? run : `${opening} ${run}`;
    else {
      glued.push(opening === '' ? run : `${opening} ${run}`);
      opening = '';
    }
  }
  if (opening !== '') glued.push(opening);
  return glued;
};

/** The tokens of a text, in order. Joined, they are the text without its white space. */
export const tokenizeText = (text: string): TextToken[] => {
  const runs = cleanText(text)
    .split(BREAKING_SPACE)
    .filter((run) => run !== '');
  return attachPunctuation(runs).flatMap((run) =>
    splitUnspaced(run).map((token, index) => ({ text: token, hasSpaceBefore: index === 0 })),
  );
};

const AFTER_SEPARATOR = /[-/\\._?&=+,:@–—]$/u;

/** Where the dictionary's words end, in UTF-16 units. */
const wordEnds = (text: string): ReadonlySet<number> =>
  new Set(
    UNSPACED.test(text)
      ? [...wordSegmenter.segment(text)].flatMap(({ segment, index }) =>
          CANNOT_BEGIN.test(text.slice(index + segment.length)) ? [] : [index + segment.length],
        )
      : [],
  );

/**
 * Splits text wider than `columns` after a separator or a word of the dictionary in the second half, else at the last character
 * that fits.
 */
export const splitToWidth = (text: string, columns: number): string[] => {
  if (displayWidth(text) <= columns) return [text.trim()].filter((part) => part !== '');
  // Segmented once, since a word may have 100,000 characters.
  const all = graphemesOf(text);
  const widths = all.map(displayWidth);
  const ends = wordEnds(text);
  const parts: string[] = [];
  let offset = 0;
  for (let from = 0; from < all.length; ) {
    let to = from;
    let width = 0;
    let separator = from;
    let reached = offset;
    while (to < all.length && (to === from || width + (widths[to] ?? 0) <= columns)) {
      width += widths[to] ?? 0;
      reached += all[to]?.length ?? 0;
      to++;
      const isSeparator = AFTER_SEPARATOR.test(all[to - 1] ?? '') || ends.has(reached);
      if (width >= columns / 2 && isSeparator) separator = to;
    }
    // What is left fits, so no separator needs to be looked for.
    const cut = to < all.length && separator > from ? separator : to;
    const part = all.slice(from, cut).join('');
    parts.push(part);
    offset += part.length;
    from = cut;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
};
