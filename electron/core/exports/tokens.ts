/**
 * Cuts text into the pieces between which a line may break: words in scripts with spaces, and in scripts
 * without them the words that Unicode's segmentation finds, with the line-breaking rules of JIS X 4051
 * (no closing mark begins a line, no opening mark ends one).
 */
import { displayWidth, graphemesOf } from '../base/text.ts';
import { BREAKING_SPACE, cleanText, UNSPACED } from './text.ts';

export type TextPiece = {
  readonly text: string;
  /** Whether a space separates it from the piece before. */
  readonly spaced: boolean;
};

const wordSegmenter = new Intl.Segmenter('und', { granularity: 'word' });

const CANNOT_BEGIN =
  /^[\p{Pe}\p{Pf}\p{M}、。，．・：；？！‥…ーぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ々〻ゝゞヽヾ〜～%％℃°,.!?;:'"”’)\]}]/u;
const CANNOT_END = /[\p{Ps}\p{Pi}£$¥€￥＄#＃]$/u;
const ONLY_CLOSING = /^[\p{Pe}\p{Pf}!?;:%…»]+$/u;
const ONLY_OPENING = /^[\p{Ps}\p{Pi}¿¡«]+$/u;

const ENDS_UNSPACED = new RegExp(`${UNSPACED.source}$`, 'u');
const STARTS_UNSPACED = new RegExp(`^${UNSPACED.source}`, 'u');

const mayBreakBetween = (left: string, right: string): boolean => {
  if (CANNOT_BEGIN.test(right) || CANNOT_END.test(left)) return false;
  return ENDS_UNSPACED.test(left.slice(-2)) || STARTS_UNSPACED.test(right.slice(0, 2));
};

/** The pieces of one run without spaces. */
const unspacedPieces = (run: string): string[] => {
  if (!UNSPACED.test(run)) return [run];
  const pieces: string[] = [];
  for (const { segment } of wordSegmenter.segment(run)) {
    const last = pieces.at(-1);
    if (last !== undefined && !mayBreakBetween(last, segment)) pieces[pieces.length - 1] = last + segment;
    else pieces.push(segment);
  }
  return pieces;
};

/** Spaced punctuation (French "Bonjour !") stays with the word that it belongs to. */
const gluePunctuation = (runs: readonly string[]): string[] => {
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

/** The pieces of a text, in order. Joined again, without whitespace, they are the text without whitespace. */
export const piecesOf = (text: string): TextPiece[] => {
  const runs = cleanText(text)
    .split(BREAKING_SPACE)
    .filter((run) => run !== '');
  return gluePunctuation(runs).flatMap((run) =>
    unspacedPieces(run).map((piece, index) => ({ text: piece, spaced: index === 0 })),
  );
};

const AFTER_SEPARATOR = /[-/\\._?&=+,:@–—]$/u;

/** Cuts a piece that no line can hold: after a separator in the second half of the room, else where it is full. */
export const splitToColumns = (text: string, columns: number): string[] => {
  const parts: string[] = [];
  let rest = text;
  while (displayWidth(rest) > columns) {
    const all = graphemesOf(rest);
    let count = 0;
    let width = 0;
    let separator = 0;
    for (const grapheme of all) {
      const next = width + displayWidth(grapheme);
      if (next > columns && count > 0) break;
      width = next;
      count++;
      if (width >= columns / 2 && AFTER_SEPARATOR.test(grapheme)) separator = count;
    }
    const cut = separator > 0 ? separator : count;
    const head = all.slice(0, cut).join('');
    if (head.length >= rest.length) break;
    parts.push(head);
    rest = rest.slice(head.length);
  }
  parts.push(rest);
  return parts.map((part) => part.trim()).filter((part) => part !== '');
};
