import { availableParallelism } from 'node:os';
import { toSeconds } from '../../base/audio.ts';
import { isAppError, messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { ForkWorker, WorkerProcess } from '../worker/client.ts';
import { withDedicatedWorker } from '../worker/dedicated.ts';
import { WorkerHost } from '../worker/host.ts';
import { engineUnavailable } from '../worker/protocol.ts';
import type { TranscribeListeners } from './addon.ts';
import { BUILT_IN, type Device, type Devices } from './devices/types.ts';
import {
  detectLanguageTask,
  modelFactsTask,
  speechProbabilitiesTask,
  systemInfoTask,
  type TranscribeEvent,
  transcribeTask,
} from './tasks.ts';
import type { LanguageGuess, ModelFacts, SystemInfo, TranscribeParams, WhisperResult } from './types.ts';

/** How the processor is divided among chunks. */
export type Parallelism = {
  /** Threads of one job. */
  threads: number;
  /** Jobs at once on one model. */
  concurrency: number;
};

const MAX_THREADS = 4;
const MAX_CONCURRENCY = 4;

/**
 * The default for a machine with `cores` cores. Recognition scales over chunks rather than over threads: chunks never wait for
 * each other, while the threads of one chunk do at every step of the encoder. So jobs get several threads only if there are
 * cores to spare (docs/decisions/005-threads-and-chunks.md).
 */
export const defaultParallelism = (cores: number): Parallelism => {
  const usable = Math.max(1, Math.floor(cores));
  const concurrency = Math.min(MAX_CONCURRENCY, usable);
  return { threads: Math.min(MAX_THREADS, Math.max(1, Math.floor(usable / concurrency))), concurrency };
};

const PROBE_TIMEOUT_MS = 30_000;

export type WhisperEngineOptions = Partial<Parallelism> & {
  fork: ForkWorker;
  /** The built addon's file. */
  addonPath: string;
  /** The worker, and with it the model, is released after this long without work. Default 5 minutes. */
  idleMs?: number;
  /** Decides where models run. Default: on what is linked into the addon. */
  devices?: Devices;
  /** The worker is replaced after this many jobs, as soon as none is running. Default 500. */
  jobsPerWorker?: number;
  log?: Logger;
};

export type TranscribeRequest = TranscribeListeners & {
  modelPath: string;
  /** Mono, 16 kHz, within -1 to 1. */
  pcm: Float32Array;
  params?: TranscribeParams;
  signal?: AbortSignal;
  /** Run while no other job does: the retry after a crash, so that only the job at fault can crash again. */
  exclusive?: boolean;
  /** Run before jobs that wait, and beside those that run: somebody is speaking. */
  urgent?: boolean;
};

export type SpeechProbabilitiesRequest = Pick<TranscribeRequest, 'modelPath' | 'pcm' | 'signal' | 'urgent'>;

export type DetectLanguageRequest = Pick<TranscribeRequest, 'modelPath' | 'pcm' | 'signal' | 'urgent'>;

/**
 * Recognition in a worker process. Every promise rejects with an AppError: `engine_unavailable` (the addon does not load
 * on this machine), `engine_crashed` (the process ended during the job, or made no progress and was killed), `cancelled` (the signal), `interrupted`
 * (closed), `model_not_installed`, `model_invalid`, `invalid_request` (a parameter, empty audio).
 */
export type WhisperEngine = {
  /** The running worker's process id, if one runs. */
  readonly workerPid: number | undefined;
  /** Whether the worker makes no progress, or was replaced for that and has done nothing since. */
  readonly isStalled: boolean;
  /** Jobs that run at once; more wait in order. */
  readonly concurrency: number;
  /** Loads the addon in a process of its own, so that a crash affects nothing else. */
  probe(): Promise<SystemInfo>;
  transcribe(request: TranscribeRequest): Promise<WhisperResult>;
  detectLanguage(request: DetectLanguageRequest): Promise<LanguageGuess>;
  /**
   * How likely each 512 samples (32 ms) are speech, from 0 to 1, the last ones continued with silence. Each call starts anew, so
   * that what came before the audio has no effect. `modelPath` is Silero VAD in whisper.cpp's format.
   */
  speechProbabilities(request: SpeechProbabilitiesRequest): Promise<Float32Array>;
  /** Checks a whole model file without loading it. */
  modelFacts(modelPath: string): Promise<ModelFacts>;
  /** Ends the worker. Running jobs reject with `interrupted`. */
  close(): Promise<void>;
};

/** Events to callbacks. A job that was restarted in another process repeats its events; the caller sees each once. */
const eventListener = ({ onProgress, onLanguage }: TranscribeListeners) => {
  let highest = -1;
  let isLanguageKnown = false;
  return (event: TranscribeEvent): void => {
    if (event.type === 'progress') {
      if (event.percent <= highest) return;
      highest = event.percent;
      onProgress?.(event.percent);
    } else if (!isLanguageKnown) {
      isLanguageKnown = true;
      onLanguage?.(event.guess);
    }
  };
};

/** What may go wrong on a graphics processor alone: its process ended, or it could not load or run the model. */
const isDeviceFault = (error: unknown): boolean =>
  isAppError(error) && ['engine_crashed', 'internal_error', 'model_invalid'].includes(error.code);

const deviceFault = (error: unknown): string => {
  if (!isAppError(error) || error.code !== 'engine_crashed') return messageOf(error);
  // The signal or exit code; what the process wrote after it may have paths.
  return `its process ended: ${messageOf(error.cause).split(':')[0]}`;
};

/** Starts no process before the first job. */
export const createWhisperEngine = (options: WhisperEngineOptions): WhisperEngine => {
  const defaults = defaultParallelism(availableParallelism());
  const threads = options.threads ?? defaults.threads;
  const concurrency = options.concurrency ?? defaults.concurrency;
  const fork = (): WorkerProcess => options.fork(['whisper', options.addonPath]);
  const { idleMs, jobsPerWorker: tasksPerWorker, log } = options;
  const host = new WorkerHost({ fork, concurrency, idleMs, tasksPerWorker, log });
  const devices = options.devices ?? BUILT_IN;

  /** Runs a job where its model belongs, and again on the processor if the graphics processor fails. */
  const onDevice = async <T>(modelPath: string, run: (device: Device) => Promise<T>): Promise<T> => {
    const { device, release } = await devices.lease(modelPath);
    try {
      return await run(device);
    } catch (error) {
      if (device !== 'vulkan' || !isDeviceFault(error)) throw error;
      devices.failed(modelPath, deviceFault(error));
      return await run('cpu');
    } finally {
      release();
    }
  };

  const workOf = (task: { readonly kind: string }, modelPath: string, device: Device, pcm: Float32Array) => ({
    kind: `${task.kind} ${device} ${modelPath}`,
    seconds: toSeconds(pcm.length),
  });

  return {
    concurrency,
    get workerPid() {
      return host.pid;
    },
    get isStalled() {
      return host.isStalled;
    },
    probe: async () => {
      const timeout = AbortSignal.timeout(PROBE_TIMEOUT_MS);
      try {
        return await withDedicatedWorker(fork, timeout, (client) => client.run(systemInfoTask, null).promise);
      } catch (error) {
        if (isAppError(error) && error.code === 'engine_unavailable') throw error;
        const hasCrashed = isAppError(error) && error.code === 'engine_crashed';
        throw engineUnavailable(hasCrashed ? messageOf(error.cause) : 'it gave no answer');
      }
    },
    transcribe: ({ modelPath, pcm, params, signal, exclusive, urgent, ...listeners }) => {
      const onEvent = eventListener(listeners);
      return onDevice(modelPath, (device) =>
        host.run(
          transcribeTask,
          { modelPath, device, pcm, params: { threads, ...params } },
          { signal, exclusive, urgent, onEvent, work: workOf(transcribeTask, modelPath, device, pcm) },
        ),
      );
    },
    detectLanguage: ({ modelPath, pcm, signal, urgent }) =>
      onDevice(modelPath, (device) =>
        host.run(
          detectLanguageTask,
          { modelPath, device, pcm, threads },
          { signal, urgent, work: workOf(detectLanguageTask, modelPath, device, pcm) },
        ),
      ),
    speechProbabilities: ({ modelPath, pcm, signal, urgent }) =>
      host.run(
        speechProbabilitiesTask,
        { modelPath, pcm },
        { signal, urgent, work: workOf(speechProbabilitiesTask, modelPath, 'cpu', pcm) },
      ),
    modelFacts: (modelPath) => host.run(modelFactsTask, { modelPath }),
    close: () => host.close(),
  };
};
