import type { Command } from 'commander';
import type { RouteResponse } from '../contract/route.ts';
import { routes } from '../contract/routes.ts';
import type { Model } from '../contract/system.ts';
import { formatBytes } from '../core/base/numbers.ts';
import { type Connection, withConnection } from './connect.ts';
import { type ServerOptions, VERSION } from './environment.ts';
import { withServerOptions } from './serve.ts';
import { printResult, style, table } from './terminal.ts';

const MIN_FREE_DISK = 2 ** 30;

type SystemInfo = RouteResponse<typeof routes.system>['data'];

type Check = { isOk: boolean; name: string; fact: string };

const accelerationFact = ({ enabled, device }: SystemInfo['acceleration']): string => {
  if (device === null) return 'none: this build and machine use the processor';
  return enabled ? device : `${device}, switched off: earshot settings set engine.acceleration true`;
};

const engineFact = ({ available, version, parallel, threads, detail }: SystemInfo['engine']): string =>
  available ? `whisper.cpp ${version}, ${parallel} × ${threads} threads` : (detail ?? 'does not load');

const checksOf = (system: SystemInfo, models: readonly Model[], { isOwn, url }: Connection): Check[] => {
  const installed = models.filter((model) => model.installed);
  const hasRealModel = installed.some((model) => !model.demonstration);
  const { version, path } = system.ffmpeg;
  const free = formatBytes(system.disk_free);
  const check = (name: string, fact: string, isOk = true): Check => ({ isOk, name, fact });
  return [
    check('Earshot', `${system.version} on Node ${system.node}, ${system.platform}`),
    check('ffmpeg', `${version ?? 'does not run'} (${path})`, version !== null),
    check('Engine', engineFact(system.engine), system.engine.available),
    check('Acceleration', accelerationFact(system.acceleration)),
    check(
      'Models',
      hasRealModel
        ? installed.map((model) => model.id).join(', ')
        : 'only the demonstration model; install one with: earshot models install base',
      hasRealModel,
    ),
    check(
      'Virus scan',
      system.scanner === 'clamav' ? 'ClamAV' : 'built-in checks only; ClamAV is not installed',
    ),
    check('Disk', `${free} free at ${system.data_dir}`, system.disk_free > MIN_FREE_DISK),
    check('Service', isOwn ? 'not running' : `running at ${url}`),
  ];
};

const addDoctor = (program: Command): void => {
  withServerOptions(program.command('doctor'))
    .description('check that everything needed is installed and works')
    .action((options: ServerOptions) =>
      withConnection(options, async (connection) => {
        const { data: system } = await connection.client.call('system');
        const { data: models } = await connection.client.call('listModels');
        const rows = checksOf(system, models, connection).map(({ isOk, name, fact }) => [
          isOk ? style('green', '✓', process.stdout) : style('red', '✗', process.stdout),
          name,
          fact,
        ]);
        await printResult(`${table(rows)}\n`);
        if (!system.engine.available || system.ffmpeg.version === null) process.exitCode = 1;
      }),
    );
};

const addOpenApi = (program: Command): void => {
  program
    .command('openapi')
    .description('print the OpenAPI document of the API')
    .action(async () => {
      const { openApiDocument } = await import('../contract/openapi.ts');
      await printResult(`${JSON.stringify(openApiDocument(routes, VERSION), undefined, 1)}\n`);
    });
};

/** `earshot doctor` and `earshot openapi`. */
export const addSystemCommands = (program: Command): void => {
  addDoctor(program);
  addOpenApi(program);
};
