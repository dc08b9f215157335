import { timeErrors } from '../../support/word-times.ts';
import { quantile } from '../measure.ts';
import type { Passage, Recording } from './corpus.ts';
import { unitsOf } from './normalize.ts';
import type { Heard } from './programs.ts';

/** Units of the truth and of what was heard, and how they go together. */
type Step = {
  readonly kind: 'same' | 'other' | 'missing' | 'added';
  readonly truth: number;
  readonly heard: number;
};

/** The cheapest alignment of two lists (Levenshtein), from the first units to the last. */
export const align = (truth: readonly string[], heard: readonly string[]): Step[] => {
  const width = heard.length + 1;
  const moves = new Uint8Array((truth.length + 1) * width);
  let row = Uint32Array.from({ length: width }, (_, index) => index);
  for (let j = 1; j < width; j++) moves[j] = 2;
  for (let i = 1; i <= truth.length; i++) {
    const next = new Uint32Array(width);
    next[0] = i;
    moves[i * width] = 1;
    for (let j = 1; j < width; j++) {
      const replaced = (row[j - 1] ?? 0) + (truth[i - 1] === heard[j - 1] ? 0 : 1);
      const missing = (row[j] ?? 0) + 1;
      const added = (next[j - 1] ?? 0) + 1;
      const least = Math.min(replaced, missing, added);
      next[j] = least;
      moves[i * width + j] = least === replaced ? 0 : least === missing ? 1 : 2;
    }
    row = next;
  }
  const steps: Step[] = [];
  for (let i = truth.length, j = heard.length; i > 0 || j > 0; ) {
    const move = moves[i * width + j];
    if (move === 0)
      steps.push({ kind: truth[i - 1] === heard[j - 1] ? 'same' : 'other', truth: --i, heard: --j });
    else if (move === 1) steps.push({ kind: 'missing', truth: --i, heard: j });
    else steps.push({ kind: 'added', truth: i, heard: --j });
  }
  return steps.reverse();
};

/** What one program makes of one recording. Counts are of words, or of characters in languages without spaces. */
export type Score = {
  readonly name: string;
  readonly group: string;
  readonly language: string;
  readonly seconds: number;
  readonly units: number;
  readonly substitutions: number;
  readonly deletions: number;
  readonly insertions: number;
  /** Words written where no one speaks. */
  readonly invented: number;
  /** Passages of which at most a fifth was heard, and runs that stand there twice. */
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  /** Passages in a known language, and those of them whose language was found. */
  readonly languages: number;
  readonly languagesRight: number;
  /** Milliseconds from the true start of rightly heard words; later is positive. */
  readonly startErrors: readonly number[];
  readonly confidences: readonly (readonly [confidence: number, isRight: boolean])[];
  readonly cpu: number;
  readonly wall: number;
  readonly text: string;
};

const MIN_PASSAGE = 3;
const MIN_DOUBLED = 4;

/** Runs of added units that are in the truth of this place already. */
const doubledRuns = (
  steps: readonly Step[],
  truth: readonly string[],
  heard: readonly string[],
): string[] => {
  const runs: string[] = [];
  for (let from = 0; from < steps.length; from++) {
    if (steps[from]?.kind !== 'added') continue;
    let to = from;
    while (steps[to]?.kind === 'added') to++;
    const run = steps.slice(from, to).map((step) => heard[step.heard] ?? '');
    const at = steps[from]?.truth ?? 0;
    const near = ` ${truth.slice(Math.max(0, at - 60), at + 60).join(' ')} `;
    if (run.length >= MIN_DOUBLED && near.includes(` ${run.join(' ')} `)) runs.push(run.join(' '));
    from = to;
  }
  return runs;
};

const lostPassages = (
  passages: readonly Passage[],
  owners: readonly number[],
  steps: readonly Step[],
): string[] => {
  const all = new Array<number>(passages.length).fill(0);
  const found = new Array<number>(passages.length).fill(0);
  for (const owner of owners) all[owner] = (all[owner] ?? 0) + 1;
  for (const { kind, truth } of steps) {
    const owner = owners[truth];
    if (kind === 'same' && owner !== undefined) found[owner] = (found[owner] ?? 0) + 1;
  }
  return passages.flatMap(({ text, start }, index) =>
    (all[index] ?? 0) >= MIN_PASSAGE && (found[index] ?? 0) <= 0.2 * (all[index] ?? 0)
      ? [`${start.toFixed(1)} s: ${text}`]
      : [],
  );
};

/** The language that was given to most of a passage's time; of the whole recording where segments have none. */
const heardLanguage = ({ start, end }: Passage, { segments, language }: Heard): string | null => {
  const seconds = new Map<string, number>();
  for (const segment of segments) {
    const shared = Math.min(end, segment.end) - Math.max(start, segment.start);
    const own = segment.language ?? language;
    if (shared > 0 && own !== null) seconds.set(own, (seconds.get(own) ?? 0) + shared);
  }
  return [...seconds].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? (segments.length === 0 ? language : null);
};

const confidencesOf = (truth: string, heard: Heard, language: string): Score['confidences'] => {
  const words = heard.words.filter(({ confidence }) => confidence !== null);
  // Numbers and contractions change how many words there are; the basic rules keep each word in its place.
  const rules = language === 'en' ? 'und' : language;
  const units = words.map(({ word }) => unitsOf(word, rules));
  const right = new Set(
    align(unitsOf(truth, rules), units.flat()).flatMap(({ kind, heard: at }) =>
      kind === 'same' ? [at] : [],
    ),
  );
  let at = 0;
  return words.map(({ confidence }, index) => {
    const own = units[index] ?? [];
    const isRight = own.every((_, offset) => right.has(at + offset));
    at += own.length;
    return [confidence ?? 0, isRight] as const;
  });
};

export const scoreOf = (recording: Recording, heard: Heard): Score => {
  const { passages, language } = recording;
  const units = passages.map((passage) => unitsOf(passage.text, language));
  const truth = units.flat();
  const owners = units.flatMap((own, index) => own.map(() => index));
  const found = unitsOf(heard.text, language);
  const isSpeech = recording.kind === 'speech';
  const steps = isSpeech ? align(truth, found) : [];
  const count = (kind: Step['kind']) => steps.filter((step) => step.kind === kind).length;
  const known = passages.filter((passage) => passage.language !== 'und');
  return {
    name: recording.name,
    group: recording.group,
    language,
    seconds: recording.seconds,
    units: truth.length,
    substitutions: count('other'),
    deletions: count('missing'),
    insertions: count('added'),
    invented: isSpeech ? 0 : found.length,
    lost: passages.length > 1 ? lostPassages(passages, owners, steps) : [],
    doubled: doubledRuns(steps, truth, found),
    languages: isSpeech ? known.length : 0,
    languagesRight: isSpeech
      ? known.filter((passage) => heardLanguage(passage, heard) === passage.language).length
      : 0,
    startErrors: recording.words === undefined ? [] : timeErrors(recording.words, heard.words).starts,
    confidences: isSpeech ? confidencesOf(passages.map(({ text }) => text).join(' '), heard, language) : [],
    cpu: heard.cpu,
    wall: heard.wall,
    text: heard.text,
  };
};

/** The mean distance of confidence from the share of right words, over ten bins by their size (expected calibration error). */
const calibrationError = (pairs: Score['confidences']): number | null => {
  if (pairs.length === 0) return null;
  const bins = Array.from({ length: 10 }, () => ({ confidence: 0, right: 0, count: 0 }));
  for (const [confidence, isRight] of pairs) {
    const bin = bins[Math.min(9, Math.floor(confidence * 10))];
    if (bin === undefined) continue;
    bin.confidence += confidence;
    bin.right += isRight ? 1 : 0;
    bin.count++;
  }
  return bins.reduce((sum, bin) => sum + Math.abs(bin.confidence - bin.right), 0) / pairs.length;
};

export type Summary = {
  readonly files: number;
  readonly seconds: number;
  readonly errorRate: number | null;
  readonly substitutions: number;
  readonly deletions: number;
  readonly insertions: number;
  readonly inventedPerMinute: number | null;
  readonly lost: number;
  readonly doubled: number;
  readonly languagesRight: string | null;
  readonly startMs: { readonly median: number; readonly p95: number; readonly words: number } | null;
  readonly calibrationError: number | null;
  readonly cpuPerMinute: number;
};

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

export const summarize = (scores: readonly Score[]): Summary => {
  const total = (of: (score: Score) => number) => sum(scores.map(of));
  const [units, seconds, languages] = [
    total((s) => s.units),
    total((s) => s.seconds),
    total((s) => s.languages),
  ];
  const errors = total((s) => s.substitutions + s.deletions + s.insertions);
  const silent = scores.filter((s) => s.language === 'zxx');
  const starts = scores.flatMap((s) => s.startErrors).map(Math.abs);
  return {
    files: scores.length,
    seconds,
    errorRate: units === 0 ? null : errors / units,
    substitutions: total((s) => s.substitutions),
    deletions: total((s) => s.deletions),
    insertions: total((s) => s.insertions),
    inventedPerMinute:
      silent.length === 0
        ? null
        : (60 * sum(silent.map((s) => s.invented))) / sum(silent.map((s) => s.seconds)),
    lost: total((s) => s.lost.length),
    doubled: total((s) => s.doubled.length),
    languagesRight: languages === 0 ? null : `${total((s) => s.languagesRight)}/${languages}`,
    startMs:
      starts.length === 0
        ? null
        : { median: quantile(starts, 0.5), p95: quantile(starts, 0.95), words: starts.length },
    calibrationError: calibrationError(scores.flatMap((s) => s.confidences)),
    cpuPerMinute: (60 * total((s) => s.cpu)) / seconds,
  };
};
