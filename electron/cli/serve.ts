import { type Command, Option } from 'commander';
import type { App } from '../core/app.ts';
import { type ServerOptions, UsageError, VERSION } from './environment.ts';
import { startService } from './service.ts';
import { printMessage, printResult, style } from './terminal.ts';

type ServeOptions = ServerOptions & { json?: boolean; open?: boolean };

const portOf = (text: string): number => {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new UsageError(`--port ${text}: a number from 0 to 65535 is needed.`);
  return port;
};

/** Collects the values of an option that may be repeated. */
const collect = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value];

/** Adds the options of every command that may start a service. */
export const withServerOptions = (command: Command): Command =>
  command
    .addOption(new Option('--data-dir <folder>', 'the data folder').env('EARSHOT_DATA_DIR'))
    .option('--allow-private-addresses', 'let URLs reach private and loopback addresses')
    .option('--demo', 'let the demonstration model answer to nano, mini and pro')
    .option('--model-alias <name=id>', 'the model behind nano, mini or pro, for this run', collect);

const banner = (app: App, options: ServeOptions): string => {
  const installed = app.services.models.list().filter((model) => model.installed && !model.demonstration);
  const lines = [
    '',
    `  ${style('bold', 'Earshot')} ${VERSION}`,
    '',
    `  Window   ${style('cyan', app.loginUrl())}`,
    `  API      ${app.url}/v1`,
    `  Data     ${app.dataDir}`,
  ];
  if (options.demo === true) {
    lines.push(
      '',
      `  ${style('yellow', 'The demonstration model answers.')} It knows synthetic voices only.`,
    );
  } else if (installed.length === 0) {
    lines.push(
      '',
      `  No model is installed yet. Install one with: ${style('bold', 'earshot models install base')}`,
      `  or try everything without a download: ${style('bold', 'earshot serve --demo')}`,
    );
  }
  return [
    ...lines,
    '',
    `  ${style('dim', 'Ctrl-C stops. A running transcription resumes at the next start.')}`,
    '',
  ].join('\n');
};

const closeOnSignal = (app: App, isQuiet: boolean): Promise<number> =>
  new Promise((resolve) => {
    const stop = (code: number) => {
      if (!isQuiet) printMessage('Stopping…');
      app.close().then(
        () => resolve(code),
        () => resolve(1),
      );
    };
    process.once('SIGINT', () => stop(130));
    process.once('SIGTERM', () => stop(0));
    process.once('SIGHUP', () => stop(0));
  });

const openBrowser = async (url: string): Promise<void> => {
  const { spawn } = await import('node:child_process');
  const command = { darwin: 'open', win32: 'explorer' }[String(process.platform)] ?? 'xdg-open';
  const child = spawn(command, [url], { stdio: 'ignore', detached: true });
  // Without a desktop nothing opens; the banner has the link.
  child.on('error', () => {});
  child.unref();
};

export const addServe = (program: Command): void => {
  withServerOptions(program.command('serve'))
    .description('run the service: the /v1 API and the window')
    .option('--port <number>', 'port to listen on (0: a free one)', portOf, 3277)
    .option('--host <address>', 'address to bind to', '127.0.0.1')
    .option(
      '--json',
      'print {"url","login_url","pid","data_dir","version"} on stdout once it accepts requests',
    )
    .option('--open', 'open the window in the browser')
    .action(async (options: ServeOptions) => {
      // Whatever the service writes, also outside the data folder, is this user's alone.
      process.umask(0o077);
      const app = await startService(options, 'fail');
      const done = closeOnSignal(app, options.json === true);
      if (options.json === true) {
        await printResult(
          `${JSON.stringify({ url: app.url, login_url: app.loginUrl(), pid: process.pid, data_dir: app.dataDir, version: VERSION })}\n`,
        );
      } else {
        printMessage(banner(app, options));
      }
      if (options.open === true) await openBrowser(app.loginUrl());
      process.exitCode = await done;
    });
};
