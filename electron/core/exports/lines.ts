/**
 * Breaks the tokens of one cue into the fewest lines, at the places of least cost: grammar, balance, and no line of
 * one word. Dynamic programming as in Knuth and Plass, "Breaking Paragraphs into Lines" (1981).
 */

import type { ExportQuery } from '../../contract/exports.ts';
import { displayWidth, UNSPACED } from './text.ts';
import type { TextToken } from './timed-tokens.ts';

/**
 * Costs of line and cue breaks between words: 0 after a sentence, 100 inside a phrase. Follows the "line
 * treatment" sections of the Netflix and BBC subtitle guidelines: break after punctuation, before conjunctions and
 * prepositions, never after an article, a preposition or a title.
 */
const words = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/));

/** Never last on a line: articles, determiners, prepositions, conjunctions, possessives, auxiliaries. */
const LEADING = words(`
  a an the this that these those my your his her its our their no every each some any
  of in on at to from by for with into onto over under about between through during without within
  and or but nor so because if when while although than as whether i'm i am is are was were be been
  will would can could shall should may might must have has had do does did not very
  der die das den dem des ein eine einen einem einer eines mein dein sein ihr unser kein keine
  und oder aber denn weil dass wenn als ob mit von zu zum zur im am in an auf aus bei nach für über unter vor
  el la los las un una unos unas mi tu su nuestro y e o u pero porque que si cuando de del al con por para
  sin sobre entre hasta desde le les des du au aux ce cette ces mon ton son notre votre leur
  et ou mais donc car ni lorsque quand dans par pour avec sans sous chez ne se
  il lo gli uno dello della dei delle nel nella ed ma perché con per tra fra non
  os as um uma do da dos das em no na nos nas com por sem ao à
  de het een en of maar want omdat als dat voor met van op aan uit bij naar om te`);

/** Good first words of a line: conjunctions and relative pronouns. */
const OPENING = words(`
  and or but nor so because if when while although though that which who whom whose where whether until unless since
  und oder aber denn sondern weil dass wenn als ob damit obwohl der die das welche
  y o pero porque que si cuando donde aunque mientras quien sino
  et ou mais donc car que qui lorsque quand si où parce puisque tandis
  e ed o ma perché che se quando dove mentre
  mas porém porque quando se onde embora enquanto
  en of maar want omdat als dat terwijl hoewel`);

/** Second-best first words of a line: prepositions. */
const PREPOSITION = words(`
  of in on at to from by for with into onto over under about between through during without within
  mit von zu zum zur im am in an auf aus bei nach für über unter vor
  de del al con por para sin sobre entre hasta desde dans par pour avec sans sous chez à
  di da nel nella per tra fra em com sem voor met van op aan uit bij naar`);

const ABBREVIATION =
  /^(?:mr|mrs|ms|dr|prof|st|sr|jr|no|nr|vs|etc|e\.g|i\.e|z\.b|d\.h|bzw|ca|approx|sra|dra|ud|m|mme|mlle|sig|hr|fr|p|\p{L})\.$/iu;
const CLOSERS = `["'”’»›)\\]」』】〉》）］]*`;
const SENTENCE_END = new RegExp(`[.!?…。！？｡．؟۔।॥։]${CLOSERS}$`, 'u');
const STRONG_CLAUSE = new RegExp(`[;:；：—–―؛]${CLOSERS}$`, 'u');
const CLAUSE = new RegExp(`[,，、､،)\\]」』）]${CLOSERS}$`, 'u');
const NUMBER = /^[\p{Sc}+-]?\d[\d.,:]*$/u;

const bare = (word: string): string => word.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}']+$/gu, '');

/** Whether a word ends a sentence; "Dr." and single initials do not. */
export const endsSentence = (word: string): boolean => SENTENCE_END.test(word) && !ABBREVIATION.test(word);

/** Whether a word ends a clause or a sentence. */
export const endsClause = (word: string): boolean =>
  endsSentence(word) || STRONG_CLAUSE.test(word) || CLAUSE.test(word);

/** The cost of a break after `left` and before `right`, 0 to 100; `pause` is the silence between, in seconds. */
export const breakCost = (left: string, right: string, pause: number): number => {
  if (endsSentence(left)) return 0;
  const relief = pause >= 0.4 ? 0.4 : 1;
  if (STRONG_CLAUSE.test(left)) return 8 * relief;
  if (CLAUSE.test(left)) return 15 * relief;
  const before = bare(left);
  if (ABBREVIATION.test(left) || LEADING.has(before) || NUMBER.test(left)) return 100 * relief;
  const after = bare(right);
  if (OPENING.has(after)) return 35 * relief;
  if (PREPOSITION.has(after)) return 45 * relief;
  // In Japanese a particle, one or two kana long, closes its phrase.
  if (/^\p{sc=Hira}{1,2}$/u.test(left)) return 40 * relief;
  if (UNSPACED.test(left)) return 60 * relief;
  return 70 * relief;
};

/** Limits of subtitles. A wide (CJK) character takes two columns. */
export type SubtitleRules = {
  readonly maxColumns: number;
  readonly maxLines: number;
  readonly minSeconds: number;
  readonly maxSeconds: number;
  /** Reading speed in columns per second, spaces and speaker labels included. */
  readonly maxCps: number;
  /** Seconds between a cue's end and the next one's start. */
  readonly minGap: number;
  /** Gaps shorter than this shrink to `minGap`: a flash without subtitles distracts. */
  readonly closeGap: number;
  /** Seconds of silence that always end a cue. */
  readonly pauseSeconds: number;
  /** Each word is a cue, shown while it is spoken. */
  readonly oneWordPerCue: boolean;
};

/** The slowest frame rate in common use for television. */
const FRAMES_PER_SECOND = 25;
const frames = (count: number): number => count / FRAMES_PER_SECOND;

/**
 * If they agree, the Netflix Timed Text Style Guide (general requirements) and the BBC Subtitle Guidelines; of their
 * reading speeds the slower.
 */
export const DEFAULT_RULES: SubtitleRules = {
  maxColumns: 42,
  maxLines: 2,
  minSeconds: 1,
  maxSeconds: 7,
  maxCps: 17,
  minGap: frames(2),
  closeGap: frames(12),
  pauseSeconds: 1.5,
  oneWordPerCue: false,
};

/** Single words follow the speech: no reading speed, no gaps, at least one frame. */
const WORD_BY_WORD = {
  minSeconds: frames(1),
  maxCps: Number.POSITIVE_INFINITY,
  minGap: 0,
  closeGap: 0,
  oneWordPerCue: true,
} satisfies Partial<SubtitleRules>;

/** The rules of a request, with defaults for what it omits. */
export const subtitleRules = (
  query: Pick<
    ExportQuery,
    'max_chars' | 'max_lines' | 'min_seconds' | 'max_seconds' | 'max_cps' | 'min_gap' | 'words'
  >,
): SubtitleRules => {
  const maxSeconds = query.max_seconds ?? DEFAULT_RULES.maxSeconds;
  const minGap = query.min_gap ?? DEFAULT_RULES.minGap;
  return {
    ...DEFAULT_RULES,
    maxColumns: query.max_chars ?? DEFAULT_RULES.maxColumns,
    maxLines: query.max_lines ?? DEFAULT_RULES.maxLines,
    maxSeconds,
    minSeconds: Math.min(query.min_seconds ?? DEFAULT_RULES.minSeconds, maxSeconds),
    minGap,
    closeGap: Math.max(DEFAULT_RULES.closeGap, minGap),
    maxCps: query.max_cps ?? DEFAULT_RULES.maxCps,
    ...(query.words === true ? WORD_BY_WORD : {}),
  };
};

/** State of first-fit breaking, which needs the fewest lines possible. */
export type Fill = { readonly lines: number; readonly columns: number };

export const EMPTY_FILL: Fill = { lines: 0, columns: 0 };

export const addToFill = (fill: Fill, width: number, spaced: boolean, maxColumns: number): Fill => {
  const columns = fill.columns + (spaced ? 1 : 0) + width;
  return fill.lines === 0 || columns > maxColumns
    ? { lines: fill.lines + 1, columns: width }
    : { lines: fill.lines, columns };
};

/** The cost of a line of one word, above that of any break. */
const ORPHAN = 1000;

export const joinTokens = (tokens: readonly TextToken[]): string =>
  tokens.map((token, index) => (index > 0 && token.hasSpaceBefore ? ` ${token.text}` : token.text)).join('');

type Choice = { readonly cost: number; readonly end: number };

const lineCost = (tokens: readonly TextToken[], from: number, to: number, unevenness: number): number => {
  const last = tokens[to - 1];
  const next = tokens[to];
  const place = last === undefined || next === undefined ? 0 : breakCost(last.text, next.text, 0);
  return place + (to - from === 1 ? ORPHAN : 0) + unevenness ** 2 * 150;
};

/**
 * The lines of a cue. Split tokens wider than `maxColumns` before: they would make a line that is too long.
 * Takes quadratic time and memory; a cue has a few hundred tokens at most.
 */
export const breakLines = (tokens: readonly TextToken[], maxColumns: number): string[] => {
  const widths = tokens.map((token) => displayWidth(token.text));
  const fill = tokens.reduce(
    (sum, token, index) => addToFill(sum, widths[index] ?? 0, token.hasSpaceBefore, maxColumns),
    EMPTY_FILL,
  );
  if (fill.lines <= 1) return [joinTokens(tokens)];
  const total = tokens.reduce(
    (sum, token, index) => sum + (widths[index] ?? 0) + (token.hasSpaceBefore ? 1 : 0),
    0,
  );
  const ideal = total / fill.lines;

  /** `plan[lines][from]`: the best first line of the tokens from `from` on, set in that many lines. */
  const plan: Choice[][] = [[]];
  for (let lines = 1; lines <= fill.lines; lines++) {
    const row: Choice[] = [];
    for (let from = tokens.length - 1; from >= 0; from--) {
      let columns = 0;
      let choice: Choice = { cost: Number.POSITIVE_INFINITY, end: tokens.length };
      for (let to = from + 1; to <= tokens.length; to++) {
        columns += (widths[to - 1] ?? 0) + (to - 1 > from && tokens[to - 1]?.hasSpaceBefore ? 1 : 0);
        if (columns > maxColumns && to > from + 1) break;
        const rest = to === tokens.length ? (lines === 1 ? 0 : undefined) : plan[lines - 1]?.[to]?.cost;
        if (rest === undefined) continue;
        const cost = rest + lineCost(tokens, from, to, (columns - ideal) / ideal);
        if (cost < choice.cost) choice = { cost, end: to };
      }
      row[from] = choice;
    }
    plan.push(row);
  }

  const result: string[] = [];
  let from = 0;
  for (let lines = fill.lines; lines > 0 && from < tokens.length; lines--) {
    const end = plan[lines]?.[from]?.end ?? tokens.length;
    result.push(joinTokens(tokens.slice(from, end)));
    from = end;
  }
  return result;
};
