import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Model } from '../contract/system.ts';
import { formatBytes } from '../core/base/numbers.ts';
import { type Connection, withConnection } from './connect.ts';
import { type ServerOptions, UsageError } from './environment.ts';
import { withServerOptions } from './serve.ts';
import { bar, formatEstimate, printMessage, printResult, StatusLine, style, table } from './terminal.ts';

const POLL_MS = 400;

const isRecognizer = ({ kind }: Model): boolean => kind === 'whisper' || kind === 'parakeet';

const speedOf = ({ installed, speed }: Model): string =>
  installed && speed !== null ? `${speed.toFixed(1)}×` : '';

const stateOf = ({ installed, in_use, download }: Model): string => {
  if (in_use) return 'in use';
  if (installed) return 'installed';
  return download === null ? '' : download.state;
};

const markOf = (model: Model): string => {
  if (model.installed) return style('green', '●', process.stdout);
  return model.download === null ? '○' : style('yellow', '◐', process.stdout);
};

const addList = (models: Command): void => {
  withServerOptions(models.command('list', { isDefault: true }))
    .description('the catalog, and what is installed')
    .action((options: ServerOptions) =>
      withConnection(options, async ({ client }) => {
        const { data } = await client.call('listModels', { query: { catalog: true } });
        const rows = data.map((model) => [
          markOf(model),
          model.id,
          formatBytes(model.size),
          model.aliases.join(', '),
          stateOf(model),
          speedOf(model),
          model.description,
        ]);
        await printResult(
          `${table([['', 'MODEL', 'SIZE', 'ALSO', 'STATE', 'SPEED', 'GOOD FOR'], ...rows])}\n`,
        );
      }),
    );
};

/** Formats a download's progress with its average rate since this command started watching. */
class DownloadRate {
  readonly #since = performance.now();
  readonly #from: number;

  constructor(from: number) {
    this.#from = from;
  }

  line(id: string, { received, total }: NonNullable<Model['download']>): string {
    const rate = (received - this.#from) / ((performance.now() - this.#since) / 1000);
    const facts = [
      `${formatBytes(received)} of ${formatBytes(total)}`,
      ...(rate > 0 ? [`${formatBytes(rate)}/s`] : []),
      ...(rate > 0 && total > received ? [`${formatEstimate((total - received) / rate)} left`] : []),
    ];
    if (!process.stderr.isTTY) return `Downloading ${id}`;
    const share = total === 0 ? 0 : Math.min(100, (received / total) * 100);
    if (received >= total) return `${bar(100)}  Checking ${style('bold', id)}`;
    return `${bar(share)}  ${style('bold', id)}  ${style('dim', facts.join(' · '))}`;
  }
}

/** Shows a download until it ends. After Ctrl-C, the next install resumes it. */
const follow = async ({ client }: Connection, first: Model, signal: AbortSignal): Promise<boolean> => {
  const { id } = first;
  const line = new StatusLine();
  const rate = new DownloadRate(first.download?.received ?? 0);
  try {
    for (let model: Model | undefined = first; ; ) {
      const state: Model['download'] = model?.download ?? null;
      if (state?.state === 'failed') {
        line.clear();
        printMessage(`${style('red', 'error')}  ${id}: ${state.error ?? 'the download failed'}`);
        return false;
      }
      if (state?.state !== 'downloading') {
        line.clear();
        const installed = model?.installed === true;
        printMessage(
          installed ? `${style('green', '✓')} ${id} is installed.` : `${id}: the download was stopped.`,
        );
        return installed;
      }
      line.show('downloading', rate.line(id, state));
      await delay(POLL_MS, undefined, { signal }).catch(() => {
        // Aborted by Ctrl-C: the call below rejects at once.
      });
      const { data }: { data: Model[] } = await client.call('listModels', {
        query: { catalog: true },
        signal,
      });
      model = data.find((known) => known.id === id);
    }
  } finally {
    line.clear();
  }
};

const installModel = async (connection: Connection, id: string, signal: AbortSignal): Promise<boolean> => {
  const { data } = await connection.client.call('installModel', { params: { id } });
  if (!data.installed && !(await follow(connection, data, signal))) return false;
  if (data.installed) printMessage(`${data.id} is installed already.`);
  return true;
};

/** Runs `work` with a signal that Ctrl-C aborts, and says then what stays. */
const interruptible = async (kept: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> => {
  const controller = new AbortController();
  const stop = () => controller.abort();
  process.once('SIGINT', stop);
  try {
    await work(controller.signal);
  } catch (error) {
    if (!controller.signal.aborted) throw error;
    printMessage(`Stopped. ${kept}`);
    process.exitCode = 130;
  } finally {
    process.off('SIGINT', stop);
  }
};

const addInstall = (models: Command): void => {
  withServerOptions(models.command('install'))
    .argument('<id...>', 'ids of the list, or nano, mini, pro')
    .description('download models; an interrupted download resumes')
    .action((ids: string[], options: ServerOptions) =>
      withConnection(options, (connection) =>
        interruptible('What is there is kept: install the model again to go on.', async (signal) => {
          for (const id of ids) {
            if (!(await installModel(connection, id, signal))) process.exitCode = 1;
          }
        }),
      ),
    );
};

const addImport = (models: Command): void => {
  withServerOptions(models.command('import'))
    .argument('<file>', 'a whisper.cpp model file (GGML)')
    .option('--id <id>', 'its id; default: derived from the file name')
    .description('import a model file of your own')
    .action((file: string, options: ServerOptions & { id?: string }) =>
      withConnection(options, async ({ client }) => {
        const body = { path: resolve(file), ...(options.id === undefined ? {} : { id: options.id }) };
        const { data } = await client.call('importModel', { body });
        printMessage(`${style('green', '✓')} ${data.id} is installed.`);
      }),
    );
};

const addRemove = (models: Command): void => {
  withServerOptions(models.command('remove'))
    .argument('<id>')
    .description('remove a model, or cancel its download')
    .action((id: string, options: ServerOptions) =>
      withConnection(options, async ({ client }) => {
        const { message } = await client.call('removeModel', { params: { id } });
        printMessage(message);
      }),
    );
};

const addBenchmark = (models: Command): void => {
  withServerOptions(models.command('benchmark'))
    .argument('[id]', 'default: all installed models')
    .description('measure how many times faster than real time a model is on this machine')
    .action((id: string | undefined, options: ServerOptions) =>
      withConnection(options, async ({ client }) => {
        const { data } = await client.call('listModels', { query: { catalog: true } });
        const ids =
          id === undefined
            ? data.filter((model) => model.installed && isRecognizer(model)).map((model) => model.id)
            : [id];
        if (ids.length === 0)
          throw new UsageError(
            'No model that recognizes speech is installed. `earshot models list` has them.',
          );
        const line = new StatusLine();
        const rows: string[][] = [];
        for (const one of ids) {
          line.show(one, `Measuring ${one}`);
          const { data: measured } = await client.call('benchmarkModel', { params: { id: one } });
          rows.push([measured.id, `${measured.speed.toFixed(1)}×`, formatEstimate(3600 / measured.speed)]);
        }
        line.clear();
        await printResult(`${table([['MODEL', 'REAL TIME', 'AN HOUR TAKES'], ...rows])}\n`);
      }),
    );
};

/** `earshot models`. */
export const addModelCommands = (program: Command): void => {
  const models = program.command('models').description('speech models');
  addList(models);
  addInstall(models);
  addImport(models);
  addRemove(models);
  addBenchmark(models);
};
