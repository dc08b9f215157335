import { createInterface } from 'node:readline/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { RouteResponse } from '../contract/route.ts';
import type { routes } from '../contract/routes.ts';
import type { Acceleration, Model } from '../contract/system.ts';
import { isAppError } from '../core/base/errors.ts';
import { counted, formatBytes } from '../core/base/numbers.ts';
import type { Diagnosis, Repair } from '../core/repair.ts';
import { type Connection, withConnection } from './connect.ts';
import { dataDirOf, type ServerOptions, UsageError } from './environment.ts';
import { withServerOptions } from './serve.ts';
import { formatTime, printMessage, printResult, style, table } from './terminal.ts';

type Trial = Acceleration['trials'][number];

const seconds = (value: number | null): string => `${(value ?? 0).toFixed(1)} s`;

const trialFact = ({ model, outcome, cpu_seconds, device_seconds, detail }: Trial): string => {
  const because = detail === null ? '' : `: ${detail}`;
  const facts: Record<Trial['outcome'], string> = {
    pending: 'not tried yet',
    faster: `used, ${seconds(device_seconds)} instead of ${seconds(cpu_seconds)}`,
    slower: `not faster, ${seconds(device_seconds)} instead of ${seconds(cpu_seconds)}`,
    different: `hears other words${because}`,
    crashed: `its process ended${because}`,
    timeout: detail ?? 'no answer in time',
    failed: `does not run on it${because}`,
  };
  return `${model}: ${facts[outcome]}`;
};

/** What `earshot doctor` says about graphics processors. */
export const accelerationFact = ({ state, device, detail, trials }: Acceleration): string => {
  const facts: Record<Acceleration['state'], string> = {
    off: 'switched off: earshot settings set engine.device auto',
    built_in: `${device} runs every model`,
    not_built: 'none: this build recognizes on the processor',
    unavailable: `none can be used: ${detail}`,
    pending: 'will be tried when no transcription is running',
    forced: `${device} (${detail}) runs every model that works on it`,
    in_use: `${device} (${detail}) runs the models that are faster on it`,
    not_used: `${device} (${detail}) is not used`,
  };
  const tried = ['forced', 'in_use', 'not_used', 'pending'].includes(state) ? trials.map(trialFact) : [];
  return [facts[state], ...tried].join('; ');
};

type DoctorOptions = ServerOptions & { repair?: boolean; yes?: boolean };

const MIN_FREE_DISK = 2 ** 30;
const TRIAL_POLL_MS = 500;
const MAX_TRIAL_MS = 10 * 60_000;

type SystemInfo = RouteResponse<typeof routes.system>['data'];

type Facts = {
  readonly system: SystemInfo;
  readonly models: readonly Model[];
  readonly backups: RouteResponse<typeof routes.listBackups>['data'];
  readonly isDamaged: boolean;
};

type Check = { isOk: boolean; name: string; fact: string };

const engineFact = ({ available, version, parallel, threads, detail }: SystemInfo['engine']): string =>
  available ? `whisper.cpp ${version}, ${parallel} × ${threads} threads` : (detail ?? 'does not load');

const modelsFact = (installed: readonly Model[]): string => {
  const used = installed.find((model) => model.in_use);
  const others = installed.filter((model) => model !== used).map(({ id }) => id);
  return used === undefined
    ? `none is in use; installed: ${others.join(', ') || 'none'}`
    : `${used.id} is in use${others.length === 0 ? '' : `; also installed: ${others.join(', ')}`}`;
};

const backupFact = (newest: Facts['backups'][number] | undefined): string =>
  newest === undefined
    ? 'none yet; one is made daily while Earshot runs'
    : `${formatBytes(newest.size)}, made ${formatTime(Date.parse(newest.created_at))}`;

const checksOf = ({ system, models, backups, isDamaged }: Facts, { isOwn, url }: Connection): Check[] => {
  const installed = models.filter((model) => model.installed);
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
      modelsFact(installed),
      models.some((model) => model.in_use) && models.every((model) => model.installed || !model.bundled),
    ),
    check(
      'Private data',
      system.private_data_model.detail ?? 'rules and the model Rampart',
      system.private_data_model.available,
    ),
    check(
      'Virus scan',
      system.scanner === 'clamav' ? 'ClamAV' : 'built-in checks only; ClamAV is not installed',
    ),
    check(
      'Database',
      isDamaged ? 'damaged; stop Earshot, then repair it with: earshot doctor --repair' : 'works',
      !isDamaged,
    ),
    check('Backup', backupFact(backups[0])),
    check('Disk', `${free} free at ${system.data_dir}`, system.disk_free > MIN_FREE_DISK),
    check('Service', isOwn ? 'not running' : `running at ${url}`),
  ];
};

const printChecks = (checks: readonly Check[]): Promise<void> =>
  printResult(
    `${table(
      checks.map(({ isOk, name, fact }) => [
        isOk ? style('green', '✓', process.stdout) : style('red', '✗', process.stdout),
        name,
        fact,
      ]),
    )}\n`,
  );

/** Waits until the graphics processor was tried, if this process does that. */
const systemInfo = async ({ client, isOwn }: Connection): Promise<SystemInfo> => {
  const startedAt = performance.now();
  for (let isTold = false; ; isTold = true) {
    const { data: system } = await client.call('system');
    const { state, trials } = system.acceleration;
    const isPending = state === 'pending' || trials.some(({ outcome }) => outcome === 'pending');
    if (!isOwn || !isPending || performance.now() - startedAt > MAX_TRIAL_MS) return system;
    if (!isTold) printMessage('Trying the graphics processor …');
    await delay(TRIAL_POLL_MS);
  }
};

const checkAll = (options: ServerOptions): Promise<void> =>
  withConnection(options, async (connection) => {
    const { client } = connection;
    const system = await systemInfo(connection);
    const { data: models } = await client.call('listModels', { query: { catalog: true } });
    const { data: backups } = await client.call('listBackups');
    const { status } = await client.call('health');
    await printChecks(checksOf({ system, models, backups, isDamaged: status === 'damaged' }, connection));
    if (!system.engine.available || system.ffmpeg.version === null) process.exitCode = 1;
  });

/** What a repair does, and what may be lost. */
const prospects = ({ state, backups: [newest] }: Diagnosis): string => {
  const stays = 'Stored files and recordings stay, and the damaged database is kept under another name.';
  if (newest !== undefined) {
    const made = formatTime(newest.madeAt);
    return state === 'missing'
      ? `A repair restores the backup. What was changed after ${made} is lost; stored files of that time come back in the folder “recovered”.`
      : `A repair reads what can be read of the database, and takes the rest from the backup. Lost is only what was changed after ${made} and cannot be read. ${stays}`;
  }
  return state === 'missing'
    ? 'Without a backup, texts, names and settings are lost, unless you have a copy of earshot.db: then put it into the data folder. A repair begins an empty library with the stored files in the folder “recovered”.'
    : `A repair reads what can be read of the database. There is no backup, so the rest is lost, unless you have a copy of earshot.db of your own. ${stays}`;
};

const printDiagnosis = (diagnosis: Diagnosis): Promise<void> => {
  const { state, backups } = diagnosis;
  const [newest] = backups;
  const fact = state === 'missing' ? 'missing or empty, though there are files of its library' : 'damaged';
  return printChecks([
    { isOk: false, name: 'Database', fact },
    newest === undefined
      ? { isOk: false, name: 'Backup', fact: 'none' }
      : {
          isOk: true,
          name: 'Backup',
          fact: `${formatBytes(newest.size)}, made ${formatTime(newest.madeAt)}`,
        },
  ]);
};

/** Throws if no one can be asked. */
const isConfirmed = async ({ yes }: DoctorOptions): Promise<boolean> => {
  if (yes === true) return true;
  if (!process.stdin.isTTY) throw new UsageError('Nobody can be asked here: add --yes to repair.');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question('Repair now? [y/N] ');
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
};

const printRepair = ({ salvaged, backup, aside, relinked, audio }: Repair): void => {
  if (salvaged !== undefined) printMessage(`Read ${counted(salvaged.rows, 'row')} of the damaged database.`);
  const missing = salvaged?.incomplete ?? [];
  const rest = backup === undefined ? 'the rest is lost' : 'the rest is from the backup';
  if (missing.length > 0)
    printMessage(`These tables could not be read to their end: ${missing.join(', ')}; ${rest}.`);
  if (salvaged === undefined && backup !== undefined) {
    printMessage(`The backup made ${formatTime(backup.madeAt)} was restored.`);
  }
  if (relinked > 0) {
    printMessage(
      `In the folder “recovered”: ${counted(relinked, 'stored file')} that the database did not know.`,
    );
  }
  if (audio > 0) {
    printMessage(`The audio of ${counted(audio, 'lost transcript')} is in “recovered” in the data folder.`);
  }
  if (aside !== undefined) printMessage(`The damaged database is kept as earshot.db${aside}.`);
  printMessage(style('green', 'The library is repaired. Start Earshot again.'));
};

/** Undefined if the library is in order, or a running service uses it. */
const diagnoseStopped = async (dataDir: string): Promise<Diagnosis | undefined> => {
  const { diagnose } = await import('../core/repair.ts');
  try {
    const diagnosis = diagnose(dataDir);
    return diagnosis?.state === 'good' ? undefined : diagnosis;
  } catch (error) {
    if (isAppError(error) && error.code === 'conflict') return undefined;
    throw error;
  }
};

/** `earshot doctor`: what is installed and works, and what can be done for a damaged library. */
export const addDoctor = (program: Command): void => {
  withServerOptions(program.command('doctor'))
    .description('check that everything needed is installed and works, and repair a damaged library')
    .option('--repair', 'repair a damaged database, after asking')
    .option('--yes', 'repair without asking')
    .action(async (options: DoctorOptions) => {
      const dataDir = dataDirOf(options);
      const diagnosis = await diagnoseStopped(dataDir);
      if (diagnosis === undefined) {
        await checkAll(options);
        return;
      }
      await printDiagnosis(diagnosis);
      printMessage(prospects(diagnosis));
      if (options.repair !== true) {
        printMessage(`Repair it with: ${style('bold', 'earshot doctor --repair')}`);
        process.exitCode = 1;
      } else if (await isConfirmed(options)) {
        const { repair } = await import('../core/repair.ts');
        printRepair(await repair(dataDir, process.env));
      } else process.exitCode = 1;
    });
};
