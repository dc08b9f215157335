import { stat } from 'node:fs/promises';
import { SAMPLE_RATE } from '../../base/audio.ts';
import { vulkanLibrary } from '../../base/layout.ts';
import { handleTask, type LoadEngine, TaskError, type TaskErrorCode } from '../worker/protocol.ts';
import {
  loadAddon,
  type NativeAddon,
  type NativeErrorCode,
  type NativeJob,
  type NativeModel,
  type NativeSpeechDetector,
} from './addon.ts';
import { capabilitiesOf } from './capabilities.ts';
import type { findDeviceTask, MeasureInput, Measurement, measureTask } from './devices/tasks.ts';
import type { Device, VulkanDevice } from './devices/types.ts';
import type {
  detectLanguageTask,
  modelFactsTask,
  speechProbabilitiesTask,
  systemInfoTask,
  transcribeTask,
} from './tasks.ts';
import type { ModelFacts, WhisperSegment, WhisperToken } from './types.ts';

/** A pause between two words that ends a segment. Seconds. */
const LONG_PAUSE = 1.5;
/** A segment without a pause or the end of a sentence is cut at the next word. Seconds. */
const MAX_LENGTH = 30;
const SENTENCE_END = /[.?!…。？！]["'”’»)\]]*$/u;
/** What a full stop after it does not end: an initial, a title, a number. */
const ABBREVIATION = /(?:^|[\s(])(?:\p{L}|Dr|Mr|Mrs|Ms|St|Prof|Sr|Jr|vs|No|approx|ca|z\.B|bzw|Nr)\.$/iu;
const WORD_START = /^\s/u;
const STARTS_SENTENCE = /^\s*["'“‘«([¿¡]*[\p{Lu}\p{Lt}\p{Lo}\p{N}]/u;

const endsSentence = (text: string, next: string): boolean =>
  SENTENCE_END.test(text) && !ABBREVIATION.test(text) && STARTS_SENTENCE.test(next);

const lengthOf = (tokens: readonly WhisperToken[], end: number | null): number =>
  (end ?? 0) - (tokens[0]?.start ?? 0);

const isBorder = (tokens: readonly WhisperToken[], text: string, next: WhisperToken): boolean => {
  if (tokens.length === 0 || !WORD_START.test(next.text)) return false;
  const pause = (next.start ?? 0) - (tokens.at(-1)?.end ?? 0);
  return pause >= LONG_PAUSE || lengthOf(tokens, next.end) > MAX_LENGTH || endsSentence(text, next.text);
};

const segmentOf = (whole: WhisperSegment, tokens: WhisperToken[]): WhisperSegment => {
  const spoken = tokens.filter(({ special }) => !special);
  const logprobs = spoken.map(({ probability }) => Math.log(Math.max(probability, 1e-10)));
  return {
    ...whole,
    start: tokens[0]?.start ?? whole.start,
    end: tokens.at(-1)?.end ?? whole.end,
    text: spoken.map(({ text }) => text).join(''),
    averageLogprob: logprobs.reduce((sum, value) => sum + value, 0) / Math.max(1, logprobs.length),
    tokens,
  };
};

/**
 * Splits a segment with the times of its tokens at sentences and long pauses: a transducer writes all that it recognizes as one.
 * No token is lost, and none moves.
 */
export const splitSegment = (segment: WhisperSegment): WhisperSegment[] => {
  const parts: WhisperToken[][] = [];
  let tokens: WhisperToken[] = [];
  let text = '';
  for (const token of segment.tokens) {
    if (isBorder(tokens, text, token)) {
      parts.push(tokens);
      tokens = [];
      text = '';
    }
    tokens.push(token);
    text += token.text;
  }
  if (tokens.length > 0) parts.push(tokens);
  return parts.map((part) => segmentOf(segment, part));
};

/** The whole window of Whisper's encoder: 30 seconds, 50 positions a second. */
const MAX_POSITIONS = 1500;
const PADDING_POSITIONS = 400;
const SAMPLES_PER_POSITION = 320;

/**
 * The `audioContext` for detecting the language of this many samples at 16 kHz: with eight seconds of silence after them it is
 * found as well as with the whole window, in half the time.
 */
const detectionContext = (samples: number): number =>
  Math.min(MAX_POSITIONS, Math.ceil(samples / SAMPLES_PER_POSITION) + PADDING_POSITIONS);

type Entry = { model: Promise<NativeModel>; users: number };

/**
 * The models in this process. One stays loaded between jobs; it is freed when a job asks for another one and nothing
 * runs on it. A file that was replaced counts as another model.
 */
class LoadedModels {
  readonly #addon: NativeAddon;
  readonly #vulkanLibrary: string;
  readonly #entries = new Map<string, Entry>();
  #vulkan: Promise<VulkanDevice> | undefined;
  #detector: { readonly key: string; readonly loaded: Promise<NativeSpeechDetector> } | undefined;

  constructor(addon: NativeAddon, vulkanLibrary: string) {
    this.#addon = addon;
    this.#vulkanLibrary = vulkanLibrary;
  }

  /** Loads the Vulkan library into this process, once. */
  loadVulkan(): Promise<VulkanDevice> {
    this.#vulkan ??= this.#addon.loadVulkan(this.#vulkanLibrary);
    return this.#vulkan;
  }

  /** Runs `work` with the model, loading it first if necessary. */
  async use<Result>(
    path: string,
    device: Device,
    work: (model: NativeModel) => Promise<Result>,
  ): Promise<Result> {
    const entry = await this.#acquire(path, device);
    try {
      return await work(await entry.model);
    } finally {
      entry.users -= 1;
    }
  }

  /** The speech detector, which stays loaded beside the models: it takes a hundredth of their memory. */
  async detector(path: string): Promise<NativeSpeechDetector> {
    const key = await this.#key(path, 'cpu');
    if (this.#detector?.key !== key) {
      const loaded = this.#addon.loadSpeechDetector(path);
      this.#detector = { key, loaded };
      loaded.catch(() => {
        this.#detector = undefined;
      });
    }
    return this.#detector.loaded;
  }

  /** Frees every model that no job is using. */
  async freeAll(): Promise<void> {
    await this.#freeExcept(undefined);
  }

  async #key(path: string, device: Device): Promise<string> {
    const file = await stat(path).catch(() => undefined);
    return JSON.stringify([path, file?.size, file?.mtimeMs, device]);
  }

  /** The returned entry already counts its new user, so that a concurrent call does not free it. */
  async #acquire(path: string, device: Device): Promise<Entry> {
    const key = await this.#key(path, device);
    // Free the old model before loading the new one: two large models need not fit into memory at once.
    if (!this.#entries.has(key)) await this.#freeExcept(key);
    const entry = this.#entries.get(key) ?? this.#load(key, path, device);
    entry.users += 1;
    return entry;
  }

  #load(key: string, path: string, device: Device): Entry {
    const model = this.#open(path, device);
    const entry: Entry = { model, users: 0 };
    this.#entries.set(key, entry);
    model.catch(() => this.#entries.delete(key));
    return entry;
  }

  async #open(path: string, device: Device): Promise<NativeModel> {
    if (device === 'vulkan') await this.loadVulkan();
    return this.#addon.loadModel(path, { useGpu: device !== 'cpu' });
  }

  async #freeExcept(keptKey: string | undefined): Promise<void> {
    const idle = [...this.#entries].filter(([key, entry]) => key !== keptKey && entry.users === 0);
    for (const [key] of idle) this.#entries.delete(key);
    await Promise.all(idle.map(async ([, entry]) => (await entry.model).free()));
  }
}

const TASK_ERROR_CODES = {
  invalid_argument: 'invalid_request',
  model_invalid: 'model_invalid',
  model_not_found: 'model_not_installed',
  model_closed: 'internal_error',
  aborted: 'cancelled',
  engine_failed: 'internal_error',
  out_of_memory: 'internal_error',
} as const satisfies Record<NativeErrorCode, TaskErrorCode>;

const isNativeErrorCode = (code: unknown): code is NativeErrorCode =>
  typeof code === 'string' && Object.hasOwn(TASK_ERROR_CODES, code);

const toTaskError = (error: unknown): TaskError => {
  if (error instanceof TaskError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return new TaskError(isNativeErrorCode(code) ? TASK_ERROR_CODES[code] : 'internal_error', message);
};

/** Only a loaded model tells which languages it knows: Cantonese came with large-v3. */
const checkLanguage = ({ languages }: ModelFacts, language: string): void => {
  if (language === 'auto' || languages.includes(language)) return;
  throw new TaskError(
    'language_not_supported',
    `This model does not know the language "${language}". Choose another model or language.`,
  );
};

const abortable = <Result>(job: NativeJob<Result>, signal: AbortSignal): Promise<Result> => {
  // The host may have aborted the task while its model was loading.
  if (signal.aborted) job.abort();
  signal.addEventListener('abort', () => job.abort(), { once: true });
  return job.promise;
};

const measure = async (
  model: NativeModel,
  { device, pcm, copies, params }: Omit<MeasureInput, 'modelPath'>,
): Promise<Measurement> => {
  // The first use of a graphics processor compiles its programs, and audio of another length needs others.
  await model.transcribe(device === 'vulkan' ? pcm : pcm.slice(0, SAMPLE_RATE), params).promise;
  const [startedAt, cpuBefore] = [performance.now(), process.cpuUsage()];
  const results = await Promise.all(
    Array.from({ length: copies }, () => model.transcribe(pcm, params).promise),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const texts = results.map(({ segments }) => segments.map(({ text }) => text).join(''));
  return { seconds, cpuSeconds: (user + system) / 1e6, texts };
};

/** Loads the native addon and serves its tasks. Argument: the path of the addon. */
export const loadWhisper: LoadEngine = ([addonPath]) => {
  if (!addonPath) throw new Error('The worker was started without the path of the addon.');
  const addon = loadAddon(addonPath);
  const models = new LoadedModels(addon, vulkanLibrary(addonPath));
  return {
    handlers: [
      handleTask<typeof transcribeTask>(
        'transcribe',
        ({ modelPath, device, pcm, params }, { signal, emit }) =>
          models.use(modelPath, device, async (model) => {
            const facts = model.facts();
            checkLanguage(facts, params.language ?? 'auto');
            const job = model.transcribe(pcm, params, {
              onProgress: (percent) => emit({ type: 'progress', percent }),
              onLanguage: (guess) => emit({ type: 'language', guess }),
            });
            const result = await abortable(job, signal);
            if (capabilitiesOf(facts).wordTimes === 'estimated') return result;
            return { ...result, segments: result.segments.flatMap(splitSegment) };
          }),
      ),
      handleTask<typeof detectLanguageTask>('detectLanguage', ({ modelPath, device, pcm, threads }) =>
        models.use(modelPath, device, (model) =>
          model.detectLanguage(pcm, { threads, audioContext: detectionContext(pcm.length) }),
        ),
      ),
      handleTask<typeof speechProbabilitiesTask>(
        'speechProbabilities',
        async ({ modelPath, pcm }, { signal }) =>
          abortable((await models.detector(modelPath)).speechProbabilities(pcm), signal),
      ),
      handleTask<typeof modelFactsTask>('modelFacts', ({ modelPath }) => addon.inspectModel(modelPath)),
      handleTask<typeof findDeviceTask>('findDevice', () => models.loadVulkan()),
      handleTask<typeof measureTask>('measure', (input) =>
        models.use(input.modelPath, input.device, (model) => measure(model, input)),
      ),
      handleTask<typeof systemInfoTask>('systemInfo', () => addon.systemInfo()),
    ],
    toTaskError,
    close: () => models.freeAll(),
  };
};
