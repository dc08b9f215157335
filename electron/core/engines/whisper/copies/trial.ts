import { type MeasureInput, type Measurement, measureTask } from '../devices/tasks.ts';
import type { Device } from '../devices/types.ts';
import { type Failure, type IsolatedDeps, isFailure, isolated, shortened, wordsIn } from '../isolated.ts';
import { type Quantized, quantizeTask } from './tasks.ts';

/** What became of a model's quantized copy. It is used if it was `faster` and heard the same words. */
export type CopyTrial = {
  readonly outcome: 'faster' | 'slower' | 'different' | Failure['outcome'];
  /** Null where the trial did not come to it. */
  readonly publishedSeconds: number | null;
  readonly copySeconds: number | null;
  readonly detail: string | null;
};

export type CopyTrialInput = Omit<MeasureInput, 'device' | 'modelPath'> & {
  readonly published: string;
  readonly copy: string;
  /** The processor, or the graphics backend that is linked into the addon. */
  readonly device: Exclude<Device, 'vulkan'>;
};

const QUANTIZE_MS = 10 * 60_000;
const TRIAL_MS = 60 * 60_000;
/** A copy takes space and a trial time: for less they are not worth it. */
export const MIN_GAIN = 1.15;
/** Odd, so that there is a median. */
const MIN_ROUNDS = 3;
const MAX_ROUNDS = 9;
/** No round is added to the first ones after so many seconds. */
const ADDED_UNTIL = 10 * 60;

/** One run each. */
export type Round = { readonly published: Measurement; readonly copy: Measurement };

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Time that counts: of the processor where that does the work, since other programs do not add to it. */
const costOf = (device: CopyTrialInput['device'], { seconds, cpuSeconds }: Measurement): number =>
  device === 'cpu' ? cpuSeconds : seconds;

/** Whether the copy heard what the published file heard, and for less. */
export const judgeCopy = (rounds: readonly Round[], device: CopyTrialInput['device']): CopyTrial => {
  const publishedSeconds = median(rounds.map(({ published }) => costOf(device, published)));
  const copySeconds = median(rounds.map(({ copy }) => costOf(device, copy)));
  const times = { publishedSeconds, copySeconds };
  const heard = wordsIn(rounds[0]?.published.texts[0] ?? '');
  if (heard === '')
    return { ...times, outcome: 'failed', detail: 'it hears nothing in the recording for trials' };
  const other = rounds.flatMap(({ copy }) => copy.texts).find((text) => wordsIn(text) !== heard);
  if (other !== undefined) return { ...times, outcome: 'different', detail: shortened(other) };
  const isFaster = copySeconds * MIN_GAIN <= publishedSeconds;
  return { ...times, outcome: isFaster ? 'faster' : 'slower', detail: null };
};

/** Whether another round is needed. The first ones decide if each says the same; else a pause of the machine might decide. */
export const needsRound = (rounds: readonly Round[], device: CopyTrialInput['device']): boolean => {
  const outcomes = new Set(rounds.map((round) => judgeCopy([round], device).outcome));
  // Other words stay other words.
  if (outcomes.has('different')) return false;
  if (rounds.length < MIN_ROUNDS || rounds.length % 2 === 0) return true;
  const elapsed = rounds.reduce((sum, { published, copy }) => sum + published.seconds + copy.seconds, 0);
  return outcomes.size > 1 && rounds.length < MAX_ROUNDS && elapsed < ADDED_UNTIL;
};

/** Writes a quantized copy, in a process of its own. Rejects only where `signal` aborts. */
export const makeCopy = (
  deps: IsolatedDeps,
  source: string,
  target: string,
  signal: AbortSignal,
): Promise<Quantized | Failure> =>
  isolated(deps, QUANTIZE_MS, signal, (client) => client.run(quantizeTask, { source, target }).promise);

/** Has a model and its copy hear the same audio in turns, in a process of their own. Rejects only where `signal` aborts. */
export const tryCopy = async (
  deps: IsolatedDeps,
  { published, copy, device, ...input }: CopyTrialInput,
  signal: AbortSignal,
): Promise<CopyTrial> => {
  const trial = await isolated(deps, TRIAL_MS, signal, async (client) => {
    const measure = (modelPath: string) => client.run(measureTask, { ...input, device, modelPath }).promise;
    const rounds: Round[] = [];
    while (needsRound(rounds, device)) {
      rounds.push({ published: await measure(published), copy: await measure(copy) });
    }
    return { rounds };
  });
  if (isFailure(trial)) return { ...trial, publishedSeconds: null, copySeconds: null };
  return judgeCopy(trial.rounds, device);
};
