import { DIARIZER_FLAG } from '../core/engines/diarizer/types.ts';
import {
  loadAddon,
  type NativeAddon,
  type NativeErrorCode,
  type NativeJob,
} from '../core/engines/whisper/addon.ts';
import {
  PROBE_FLAG,
  type TaskResult,
  type ToWorker,
  type WorkerTask,
} from '../core/engines/whisper/protocol.ts';
import { serveDiarizer } from './diarizer.ts';
import { LoadedModels } from './models.ts';
import { openPort, type Port } from './port.ts';

/**
 * The engine process: the only place where the native addon is loaded. Arguments: the addon's path and, for
 * a process that is to say whether the addon works here and then end, `--probe`.
 */

const ERROR_CODES: readonly string[] = [
  'invalid_argument',
  'model_invalid',
  'model_not_found',
  'model_closed',
  'aborted',
  'engine_failed',
  'out_of_memory',
] satisfies NativeErrorCode[];

const isErrorCode = (code: unknown): code is NativeErrorCode =>
  typeof code === 'string' && ERROR_CODES.includes(code);

const describe = (error: unknown): { code: NativeErrorCode; message: string } => {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return { code: isErrorCode(code) ? code : 'engine_failed', message };
};

class EngineWorker {
  readonly #addon: NativeAddon;
  readonly #port: Port;
  readonly #models: LoadedModels;
  readonly #jobs = new Map<number, NativeJob>();
  /** The tasks in hand, and whether each was asked to stop. */
  readonly #tasks = new Map<number, { aborted: boolean }>();

  constructor(addon: NativeAddon, port: Port) {
    this.#addon = addon;
    this.#port = port;
    this.#models = new LoadedModels(addon);
  }

  receive(message: ToWorker): void {
    if (message.type === 'run') void this.#run(message.id, message.task);
    else if (message.type === 'abort') this.#abort(message.id);
    else void this.#stop();
  }

  /** Answers every task exactly once. */
  async #run(id: number, task: WorkerTask): Promise<void> {
    this.#tasks.set(id, { aborted: false });
    try {
      this.#port.send({ type: 'done', id, result: await this.#perform(id, task) });
    } catch (error) {
      this.#port.send({ type: 'failed', id, ...describe(error) });
    } finally {
      this.#jobs.delete(id);
      this.#tasks.delete(id);
    }
  }

  #perform(id: number, task: WorkerTask): Promise<TaskResult> {
    switch (task.kind) {
      case 'transcribe':
        return this.#models.with(task.modelPath, task.modelOptions, (model) => {
          const job = model.transcribe(task.pcm, task.params, {
            onProgress: (percent) => this.#port.send({ type: 'progress', id, percent }),
            onSegment: (segment) => this.#port.send({ type: 'segment', id, segment }),
            onLanguage: (guess) => this.#port.send({ type: 'language', id, guess }),
          });
          this.#jobs.set(id, job);
          // It may have been asked to stop while it waited for its model.
          if (this.#tasks.get(id)?.aborted) job.abort();
          return job.promise;
        });
      case 'detectLanguage':
        return this.#models.with(task.modelPath, task.modelOptions, (model) =>
          model.detectLanguage(task.pcm, { threads: task.threads }),
        );
      case 'detectSpeech':
        return this.#addon.detectSpeech(task.pcm, task.params);
      case 'modelFacts':
        return this.#addon.inspectModel(task.modelPath);
      case 'diarizePiece':
      case 'diarizeEnd':
      case 'trySpeakerModel':
        throw new Error('Speakers are told apart in a process of their own.');
    }
  }

  #abort(id: number): void {
    const task = this.#tasks.get(id);
    if (task) task.aborted = true;
    this.#jobs.get(id)?.abort();
  }

  async #stop(): Promise<void> {
    await this.#models.freeAll();
    process.exit(0);
  }
}

const main = (): void => {
  const [addonPath, flag] = process.argv.slice(2);
  const port = openPort();
  // Without a parent nobody wants the results: end at once, whatever the native threads are doing.
  port.onLost(() => process.kill(process.pid, 'SIGKILL'));
  if (addonPath === DIARIZER_FLAG) {
    serveDiarizer(port);
    return;
  }
  let addon: NativeAddon;
  try {
    if (!addonPath) throw new Error('The worker was started without the path of the addon.');
    addon = loadAddon(addonPath);
  } catch (error) {
    port.send({ type: 'unusable', message: describe(error).message });
    return;
  }
  port.send({ type: 'ready', system: addon.systemInfo() });
  if (flag === PROBE_FLAG) return;
  const worker = new EngineWorker(addon, port);
  port.onMessage((message) => worker.receive(message));
};

main();
