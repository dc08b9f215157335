import type { Command } from 'commander';
import { routes } from '../contract/routes.ts';
import { formatBytes } from '../core/base/numbers.ts';
import { connect } from './connect.ts';
import { type ServerOptions, VERSION } from './environment.ts';
import { withServerOptions } from './serve.ts';
import { printResult, style, table } from './terminal.ts';

type Check = { ok: boolean; name: string; fact: string };

const acceleration = ({ enabled, device }: { enabled: boolean; device: string | null }): string => {
  if (device === null) return 'none: this build and machine use the processor';
  return enabled ? device : `${device}, switched off: earshot settings set engine.acceleration true`;
};

const addDoctor = (program: Command): void => {
  withServerOptions(program.command('doctor'))
    .description('check that everything needed is installed and works')
    .action(async (options: ServerOptions) => {
      const connection = await connect(options);
      try {
        const { data: system } = await connection.client.call('system');
        const { data: models } = await connection.client.call('listModels');
        const installed = models.filter((model) => model.installed);
        const real = installed.filter((model) => !model.demonstration);
        const checks: Check[] = [
          { ok: true, name: 'Earshot', fact: `${system.version} on Node ${system.node}, ${system.platform}` },
          {
            ok: system.ffmpeg.version !== null,
            name: 'ffmpeg',
            fact: `${system.ffmpeg.version ?? 'does not run'} (${system.ffmpeg.path})`,
          },
          {
            ok: system.engine.available,
            name: 'Engine',
            fact: system.engine.available
              ? `whisper.cpp ${system.engine.version}, ${system.engine.parallel} × ${system.engine.threads} threads`
              : (system.engine.detail ?? 'does not load'),
          },
          { ok: true, name: 'Acceleration', fact: acceleration(system.acceleration) },
          {
            ok: real.length > 0,
            name: 'Models',
            fact:
              real.length > 0
                ? installed.map((model) => model.id).join(', ')
                : 'only the demonstration model; install one with: earshot models install base',
          },
          {
            ok: true,
            name: 'Virus scan',
            fact: system.scanner === 'clamav' ? 'ClamAV' : 'built-in checks only; ClamAV is not installed',
          },
          {
            ok: system.disk_free > 2 ** 30,
            name: 'Disk',
            fact: `${formatBytes(system.disk_free)} free at ${system.data_dir}`,
          },
          {
            ok: true,
            name: 'Service',
            fact: connection.isOwn ? 'not running' : `running at ${connection.url}`,
          },
        ];
        const rows = checks.map(({ ok, name, fact }) => [
          ok ? style('green', '✓', process.stdout) : style('red', '✗', process.stdout),
          name,
          fact,
        ]);
        await printResult(`${table(rows)}\n`);
        if (!system.engine.available || system.ffmpeg.version === null) process.exitCode = 1;
      } finally {
        await connection.close();
      }
    });
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
