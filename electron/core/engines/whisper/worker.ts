import { SAMPLE_RATE } from '../../base/audio.ts';
import { vulkanLibrary } from '../../base/layout.ts';
import { handleTask, type LoadEngine, TaskError, type TaskErrorCode } from '../worker/protocol.ts';
import { loadAddon, type NativeErrorCode, type NativeJob, type NativeModel } from './addon.ts';
import { detectionContext } from './audio-context.ts';
import { capabilitiesOf } from './capabilities.ts';
import type { findDeviceTask, MeasureInput, Measurement, measureTask } from './devices/tasks.ts';
import { LoadedModels } from './loaded-models.ts';
import { splitSegment } from './split-segment.ts';
import type {
  detectLanguageTask,
  modelFactsTask,
  speechProbabilitiesTask,
  systemInfoTask,
  transcribeTask,
} from './tasks.ts';
import type { ModelFacts } from './types.ts';

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
