import { AppError, isAppError, messageOf, systemCode } from '../../base/errors.ts';
import { handleTask, type LoadEngine } from '../worker/protocol.ts';
import { loadAddon, type NativeErrorCode } from './addon.ts';
import { LoadedModels } from './loaded-models.ts';
import { detectLanguageTask, modelFactsTask, systemInfoTask, transcribeTask } from './tasks.ts';

const APP_ERROR_CODES = {
  invalid_argument: 'invalid_request',
  model_invalid: 'model_invalid',
  model_not_found: 'model_not_installed',
  model_closed: 'internal_error',
  aborted: 'cancelled',
  engine_failed: 'internal_error',
  out_of_memory: 'internal_error',
} as const satisfies Record<NativeErrorCode, AppError['code']>;

const isNativeErrorCode = (code: string | undefined): code is NativeErrorCode =>
  code !== undefined && Object.hasOwn(APP_ERROR_CODES, code);

const toAppError = (error: unknown): AppError => {
  if (isAppError(error)) return error;
  const code = systemCode(error);
  return new AppError(isNativeErrorCode(code) ? APP_ERROR_CODES[code] : 'internal_error', messageOf(error));
};

/** Loads the native addon and serves its tasks. Argument: the path of the addon. */
export const loadWhisper: LoadEngine = ([addonPath]) => {
  if (!addonPath) throw new Error('The worker was started without the path of the addon.');
  const addon = loadAddon(addonPath);
  const models = new LoadedModels(addon);
  return {
    handlers: [
      handleTask(transcribeTask, ({ modelPath, modelOptions, pcm, params }, { signal, emit }) =>
        models.use(modelPath, modelOptions, (model) => {
          const job = model.transcribe(pcm, params, {
            onProgress: (percent) => emit({ type: 'progress', percent }),
            onLanguage: (guess) => emit({ type: 'language', guess }),
          });
          // The host may have aborted the task while its model was loading.
          if (signal.aborted) job.abort();
          signal.addEventListener('abort', () => job.abort(), { once: true });
          return job.promise;
        }),
      ),
      handleTask(detectLanguageTask, ({ modelPath, modelOptions, pcm, threads }) =>
        models.use(modelPath, modelOptions, (model) => model.detectLanguage(pcm, { threads })),
      ),
      handleTask(modelFactsTask, ({ modelPath }) => addon.inspectModel(modelPath)),
      handleTask(systemInfoTask, () => addon.systemInfo()),
    ],
    toAppError,
    close: () => models.freeAll(),
  };
};
