import { throwIfAborted } from '../../../base/abort.ts';
import { isAppError, messageOf } from '../../../base/errors.ts';
import type { WorkerClient, WorkerProcess } from '../../worker/client.ts';
import { withDedicatedWorker } from '../../worker/dedicated.ts';
import { findDeviceTask, type MeasureInput, type Measurement, measureTask } from './tasks.ts';
import type { Device, VulkanDevice } from './types.ts';

/** How the process of a trial ends: it may crash or hang. */
type Failure = {
  readonly outcome: 'crashed' | 'timeout' | 'failed';
  /** For the window: without what the process wrote, which may have paths. */
  readonly detail: string;
  /** For the log: the end of what a crashed process wrote to its standard error. */
  readonly output?: string;
};

type IsolatedDeps = { readonly fork: () => WorkerProcess };

const MAX_DETAIL = 300;
const MAX_OUTPUT = 1000;

const shortened = (detail: string): string => detail.slice(0, MAX_DETAIL);

const isFailure = (value: object): value is Failure => 'outcome' in value;

/** Runs `work` in a process of its own. Rejects only if `signal` aborts. */
export const isolated = async <T extends object>(
  { fork }: IsolatedDeps,
  milliseconds: number,
  signal: AbortSignal,
  work: (client: WorkerClient) => Promise<T>,
): Promise<T | Failure> => {
  const deadline = AbortSignal.timeout(milliseconds);
  try {
    return await withDedicatedWorker(fork, AbortSignal.any([deadline, signal]), work);
  } catch (error) {
    throwIfAborted(signal);
    if (deadline.aborted)
      return { outcome: 'timeout', detail: `no answer within ${Math.round(milliseconds / 1000)} seconds` };
    const hasCrashed = isAppError(error) && error.code === 'engine_crashed';
    if (!hasCrashed) return { outcome: 'failed', detail: shortened(messageOf(error)) };
    // The signal or exit code, then what the process wrote.
    const [detail = '', ...output] = messageOf(error.cause).split(': ');
    return { outcome: 'crashed', detail, output: output.join(': ').slice(-MAX_OUTPUT) };
  }
};

/** The words of a text, by which two readings are compared. */
const wordsIn = (text: string): string => (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');

/** What became of a model on the graphics processor. It is used if it was `faster` and heard the same words. */
export type Trial = {
  readonly outcome: 'faster' | 'slower' | 'different' | Failure['outcome'];
  /** Null if the trial did not come to it. */
  readonly cpuSeconds: number | null;
  readonly deviceSeconds: number | null;
  readonly detail: string | null;
};

export type Deadlines = { readonly findMs: number; readonly cpuMs: number; readonly deviceMs: number };

export const DEADLINES: Deadlines = { findMs: 20_000, cpuMs: 600_000, deviceMs: 120_000 };
/** The device gets its deadline and this many times what the processor took. */
const DEVICE_PATIENCE = 3;
/** What the device must be faster by, since a measurement varies. */
const MIN_GAIN = 1.1;

export type TrialDeps = IsolatedDeps & { readonly deadlines: Deadlines };

/** The device that Vulkan offers, by loading the Vulkan library into a process of its own. */
export const findDevice = (deps: TrialDeps, signal: AbortSignal): Promise<VulkanDevice | Failure> =>
  isolated(deps, deps.deadlines.findMs, signal, (client) => client.run(findDeviceTask, null).promise);

/** Whether the device recognized what the processor recognized, and in less time. */
export const judge = (cpu: Measurement, device: Measurement): Trial => {
  const times = { cpuSeconds: cpu.seconds, deviceSeconds: device.seconds };
  const heard = wordsIn(cpu.texts[0] ?? '');
  const other = device.texts.find((text) => wordsIn(text) !== heard);
  if (other !== undefined) return { ...times, outcome: 'different', detail: shortened(other) };
  const isFaster = device.seconds * MIN_GAIN <= cpu.seconds;
  return { ...times, outcome: isFaster ? 'faster' : 'slower', detail: null };
};

/** Has a model recognize the same audio on the processor and on the graphics processor, in a process each. */
export const tryDevice = async (
  deps: TrialDeps,
  input: Omit<MeasureInput, 'device'>,
  signal: AbortSignal,
): Promise<Trial> => {
  const measure = (device: Device, milliseconds: number) =>
    isolated(deps, milliseconds, signal, (client) => client.run(measureTask, { ...input, device }).promise);
  const cpu = await measure('cpu', deps.deadlines.cpuMs);
  if (isFailure(cpu)) {
    return { outcome: 'failed', cpuSeconds: null, deviceSeconds: null, detail: `processor: ${cpu.detail}` };
  }
  const patience = Math.round(deps.deadlines.deviceMs + DEVICE_PATIENCE * cpu.seconds * 1000);
  const device = await measure('vulkan', patience);
  if (isFailure(device)) return { ...device, cpuSeconds: cpu.seconds, deviceSeconds: null };
  return judge(cpu, device);
};
