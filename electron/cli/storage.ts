import { resolve } from 'node:path';
import type { Command } from 'commander';
import { formatBytes } from '../core/base/numbers.ts';
import type { OfflineStorage, Progress, VerifyReport } from '../core/offline-storage.ts';
import { dataDirOf } from './environment.ts';
import { printMessage, printResult, StatusLine, style } from './terminal.ts';

type StorageOptions = { dataDir?: string; json?: boolean };

const BAR = 24;

/** `verifying [########                ]  33 %  12 of 36 files, 1.2 GB` */
const progressOn =
  (line: StatusLine, doing: string): Progress =>
  (done, total) => {
    const share = total.bytes === 0 ? 1 : done.bytes / total.bytes;
    const filled = Math.round(share * BAR);
    const bar = `${'#'.repeat(filled)}${' '.repeat(BAR - filled)}`;
    const percent = `${Math.floor(share * 100)} %`.padStart(5);
    line.show(
      doing,
      `${doing} [${bar}] ${percent}  ${done.files} of ${total.files} files, ${formatBytes(done.bytes)}`,
    );
  };

const withStorage = async <T>(
  options: StorageOptions,
  work: (storage: OfflineStorage, line: StatusLine) => Promise<T>,
): Promise<T> => {
  const { openStorage } = await import('../core/offline-storage.ts');
  const storage = await openStorage(dataDirOf(options), process.env);
  const line = new StatusLine();
  try {
    return await work(storage, line);
  } finally {
    line.clear();
    await storage.close();
  }
};

const copies = (count: number, what: string): string => `${count} ${count === 1 ? 'copy' : 'copies'} ${what}`;

/** A name from a foreign file, without characters that control a terminal. */
const printable = (text: string): string => text.replaceAll(/\p{Cc}/gu, '\u{fffd}');

const printReport = (report: VerifyReport): void => {
  for (const { key, folder, state } of report.problems) {
    printMessage(`${style(state === 'mended' ? 'yellow' : 'red', state.padEnd(6))}  ${folder}  ${key}`);
  }
  const parts = [
    `${report.files} files, ${formatBytes(report.bytes)}, in ${report.folders.join(', ')}`,
    ...(report.mended > 0 ? [copies(report.mended, 'mended')] : []),
    ...(report.lost > 0 ? [copies(report.lost, 'lost: no good one is left')] : []),
    ...(report.away > 0 ? [copies(report.away, 'out of reach')] : []),
    ...(report.unknown > 0
      ? [`${report.unknown} objects that no file knows (--remove-unknown removes them)`]
      : []),
  ];
  printMessage(parts.join('\n'));
  if (report.problems.length === 0) printMessage(style('green', 'Every byte of every copy is right.'));
};

const addVerify = (command: Command): void => {
  command
    .command('verify')
    .description('read every byte of every copy, and repair damaged ones')
    .option('--data-dir <folder>', 'the data folder')
    .option('--adopt-mirrors', 'use the folders of mirrors that were replaced by new disks')
    .option('--remove-unknown', 'remove objects that no file knows')
    .option('--json', 'print the report as JSON')
    .action((options: StorageOptions & { adoptMirrors?: boolean; removeUnknown?: boolean }) =>
      withStorage(options, async (storage, line) => {
        if (options.adoptMirrors === true) await storage.adoptMirrors();
        const onProgress = progressOn(line, 'verifying');
        const report = await storage.verify({
          removeUnknown: options.removeUnknown === true,
          onProgress,
        });
        line.clear();
        if (options.json === true) await printResult(`${JSON.stringify(report)}\n`);
        else printReport(report);
        if (report.lost + report.away > 0) process.exitCode = 1;
      }),
    );
};

const addTransfer = (command: Command): void => {
  command
    .command('export')
    .argument('<folder>', 'a new or empty folder')
    .description('write all stored files as plain files, with a manifest')
    .option('--data-dir <folder>', 'the data folder')
    .action((folder: string, options: StorageOptions) =>
      withStorage(options, async (storage, line) => {
        const done = await storage.exportTo(resolve(folder), progressOn(line, 'exporting'));
        line.clear();
        printMessage(`${done.files} files, ${formatBytes(done.bytes)}, are in ${resolve(folder)}.`);
      }),
    );
  command
    .command('import')
    .argument('<folder>', 'a folder that `storage export` wrote')
    .description('import an export; existing files stay')
    .option('--data-dir <folder>', 'the data folder')
    .option('--user <name>', 'give all files to this user')
    .action((folder: string, options: StorageOptions & { user?: string }) =>
      withStorage(options, async (storage, line) => {
        const onProgress = progressOn(line, 'importing');
        const report = await storage.importFrom(resolve(folder), { user: options.user, onProgress });
        line.clear();
        for (const { path, reason } of report.problems)
          printMessage(`${style('red', 'skipped')}  ${printable(path)}: ${reason}`);
        const skipped = report.problems.length;
        printMessage(
          `${report.imported} files imported, ${report.known} were there already${skipped > 0 ? `, ${skipped} skipped` : ''}.`,
        );
        if (skipped > 0) process.exitCode = 1;
      }),
    );
};

/** `earshot storage verify|export|import`: maintenance of the stored files, while no server runs on the folder. */
export const addStorageCommands = (program: Command): void => {
  const storage = program.command('storage').description('maintenance of the stored files');
  addVerify(storage);
  addTransfer(storage);
};
