import { existsSync } from 'node:fs';
import { appendFile, mkdir, open, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { ApiError } from '../contract/client.ts';
import { ExportedFile, type VerifiedFiles } from '../contract/storage.ts';
import { AppError, isAppError, systemCode } from '../core/base/errors.ts';
import { createPace, FULL_SPEED } from '../core/base/event-loop.ts';
import { counted, formatBytes } from '../core/base/numbers.ts';
import { dataPaths } from '../core/base/paths.ts';
import { type Connection, withConnection } from './connect.ts';
import { dataDirOf } from './environment.ts';
import { printable, printMessage, printResult, StatusLine, style } from './terminal.ts';

const MANIFEST = 'earshot-storage.jsonl';

/** One line of the manifest. `path` is below the exported folder, with slashes. */
const Line = z.object({
  ...ExportedFile.shape,
  path: z.string().refine((path) => !path.includes('\0'), 'must not contain NUL'),
});

const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** Makes a part of a key a name that every file system accepts. */
const safePart = (part: string): string => `${DEVICE.test(part) ? '_' : ''}${part.replace(/[. ]+$/, '_')}`;

/** The path of an exported file; a name that differs from another in case alone gets a number. */
const pathFor = (key: string, taken: Set<string>): string => {
  const path = key.slice(1).split('/').map(safePart).join('/');
  for (let i = 1; ; i++) {
    const candidate = i === 1 ? path : path.replace(/(\.[^./]*)?$/, `-${i}$1`);
    const folded = candidate.normalize('NFC').toLowerCase();
    if (taken.has(folded)) continue;
    taken.add(folded);
    return candidate;
  }
};

/** Writes exported files as plain files, with a manifest. */
class ExportFolder {
  readonly #root: string;
  readonly #taken = new Set([MANIFEST]);

  private constructor(root: string) {
    this.#root = root;
  }

  /** Throws `conflict` for a folder that holds anything, or a file in its place. */
  static async create(root: string): Promise<ExportFolder> {
    try {
      await mkdir(root, { recursive: true });
      if ((await readdir(root)).length > 0) {
        throw new AppError('conflict', 'The folder for the export is not empty. Name a new one.');
      }
      await writeFile(join(root, MANIFEST), '');
    } catch (error) {
      if (systemCode(error) === 'EEXIST' || systemCode(error) === 'ENOTDIR') {
        throw new AppError('conflict', 'There is a file where the folder for the export should be.', {
          cause: error,
        });
      }
      throw error;
    }
    return new ExportFolder(root);
  }

  /** Writes one file, flushed, and then its line of the manifest. */
  async add(file: ExportedFile, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const path = pathFor(file.key, this.#taken);
    const target = join(this.#root, ...path.split('/'));
    await mkdir(dirname(target), { recursive: true });
    const handle = await open(target, 'wx');
    try {
      for await (const chunk of bytes) await handle.writeFile(chunk);
      await handle.sync();
    } catch (error) {
      await rm(target, { force: true });
      throw error;
    } finally {
      await handle.close();
    }
    await appendFile(join(this.#root, MANIFEST), `${JSON.stringify({ path, ...file })}\n`);
  }
}

type Problem = { readonly path: string; readonly reason: string };
type Entry = { readonly path: string; readonly file: ExportedFile };

/** The entry in one line of the manifest, or why there is none. */
const parseLine = (text: string, line: number): Entry | Problem => {
  const where = `${MANIFEST}, line ${line}`;
  try {
    const result = Line.safeParse(JSON.parse(text));
    if (result.success) {
      const { path, ...file } = result.data;
      return { path, file };
    }
    const [issue] = result.error.issues;
    return {
      path: where,
      reason: `${issue?.path.join('.') || 'entry'}: ${issue?.message ?? 'is not valid'}`,
    };
  } catch {
    // Truncated JSON, or nested too deep to be read.
    return { path: where, reason: 'The line is not valid JSON.' };
  }
};

/** The lines of an export's manifest. Throws `invalid_request` if there is none. */
const readManifest = async (root: string): Promise<(Entry | Problem)[]> => {
  let text: string;
  try {
    text = await readFile(join(root, MANIFEST), 'utf8');
  } catch (error) {
    throw new AppError('invalid_request', `The folder has no ${MANIFEST}: it is not an export of Earshot.`, {
      cause: error,
    });
  }
  return text.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [parseLine(line, index + 1)]));
};

/** The real path of an entry's file. Throws `invalid_request` for one out of the folder. */
const exportedPath = async (root: string, path: string): Promise<string> => {
  const outside = () => new AppError('invalid_request', 'The path leads out of the folder.');
  const named = resolve(root, ...path.split('/'));
  if (!named.startsWith(resolve(root) + sep)) throw outside();
  let real: string;
  try {
    real = await realpath(named);
  } catch {
    // The service says why it cannot be read.
    return named;
  }
  if (!real.startsWith((await realpath(root)) + sep)) throw outside();
  return real;
};

type StorageOptions = { dataDir?: string; json?: boolean };

type Count = { files: number; bytes: number };
type Progress = (done: Count, total: Count) => void;

/** All problems of a run, and its counts. */
type VerifyReport = Omit<VerifiedFiles['data'], 'total' | 'next'> &
  Record<'mended' | 'lost' | 'away', number>;

const BAR = 24;

/**
 * `verifying [########                ]  33 %  12 of 36 files, 1.2 GB`. If files were deleted after they were done,
 * more may be done than there are.
 */
export const progressText = (doing: string, done: Count, total: Count): string => {
  const share = done.bytes >= total.bytes ? 1 : done.bytes / total.bytes;
  const filled = Math.round(share * BAR);
  const bar = `${'#'.repeat(filled)}${' '.repeat(BAR - filled)}`;
  const percent = `${Math.floor(share * 100)} %`.padStart(5);
  const files = Math.max(done.files, total.files);
  return `${doing} [${bar}] ${percent}  ${done.files} of ${counted(files, 'file')}, ${formatBytes(done.bytes)}`;
};

const progressOn =
  (line: StatusLine, doing: string): Progress =>
  (done, total) =>
    line.show(doing, progressText(doing, done, total));

type Storage = Connection & { readonly line: StatusLine };

/** Connects to the service of the data folder. Throws `invalid_request` if there is no library. */
const withStorage = async (
  options: StorageOptions,
  work: (storage: Storage) => Promise<void>,
): Promise<void> => {
  if (!existsSync(dataPaths(dataDirOf(options)).database)) {
    throw new AppError(
      'invalid_request',
      'There is no Earshot data in this folder. Name it with --data-dir.',
    );
  }
  await withConnection(options, async (connection) => {
    const line = new StatusLine();
    try {
      await work({ ...connection, line });
    } finally {
      line.clear();
    }
  });
};

type VerifyOptions = StorageOptions & { adoptMirrors?: boolean; removeUnknown?: boolean };

const verify = async (storage: Storage, options: VerifyOptions): Promise<VerifyReport> => {
  const { client, isOwn, line } = storage;
  const onProgress = progressOn(line, 'verifying');
  const done = { files: 0, bytes: 0 };
  const problems: VerifyReport['problems'] = [];
  let after: string | undefined;
  for (;;) {
    const body = {
      after,
      adopt_mirrors: options.adoptMirrors === true && after === undefined,
      remove_unknown: options.removeUnknown === true,
      throttle: !isOwn,
    };
    const { data } = await client.call('verifyFiles', { body });
    done.files += data.files;
    done.bytes += data.bytes;
    problems.push(...data.problems);
    onProgress(done, data.total);
    if (data.next !== null) {
      after = data.next;
      continue;
    }
    const count = (wanted: string) => problems.filter(({ state }) => state === wanted).length;
    const counts = { mended: count('mended'), lost: count('lost'), away: count('away') };
    return { ...done, folders: data.folders, ...counts, problems, unknown: data.unknown };
  }
};

/** Writes all files of all users. Those that are deleted meanwhile are left out, damaged ones reported. */
const exportTo = async (
  { client, isOwn, line }: Storage,
  root: string,
): Promise<Count & { problems: Problem[] }> => {
  const folder = await ExportFolder.create(root);
  const onProgress = progressOn(line, 'exporting');
  const pace = isOwn ? FULL_SPEED : createPace();
  const done = { files: 0, bytes: 0 };
  const problems: Problem[] = [];
  const bytesOf = async function* ({ key }: ExportedFile): AsyncGenerator<Uint8Array> {
    const { body } = await client.send('exportFile', { params: { fileKey: key } });
    try {
      for await (const chunk of body ?? []) {
        yield chunk;
        await pace();
      }
    } catch (error) {
      // Rejects if the service has ended; else it broke off because the rest of the file is damaged.
      await client.call('health');
      throw new AppError('storage_unavailable', 'No intact copy of the file is left.', { cause: error });
    }
  };
  let after: string | undefined;
  do {
    const { data } = await client.call('listExports', { query: { after } });
    for (const file of data.files) {
      try {
        await folder.add(file, bytesOf(file));
      } catch (error) {
        if (!(error instanceof ApiError) && !isAppError(error)) throw error;
        if (error.code !== 'file_not_found') problems.push({ path: file.key, reason: error.message });
        continue;
      }
      done.files++;
      done.bytes += file.size;
      onProgress(done, data.total);
    }
    after = data.next ?? undefined;
  } while (after !== undefined);
  return { ...done, problems };
};

type ImportReport = { imported: number; known: number; problems: Problem[] };

/** Imports an export. Existing files stay; what is refused is reported, and the others are still imported. */
const importFrom = async (
  { client, isOwn, line }: Storage,
  root: string,
  user: string | undefined,
): Promise<ImportReport> => {
  const onProgress = progressOn(line, 'importing');
  const lines = await readManifest(root);
  const entries = lines.filter((line) => 'file' in line);
  const total = { files: entries.length, bytes: entries.reduce((sum, { file }) => sum + file.size, 0) };
  const done = { files: 0, bytes: 0 };
  const report = { imported: 0, known: 0, problems: lines.filter((line) => 'reason' in line) };
  for (const { path, file } of entries) {
    try {
      const body = { path: await exportedPath(root, path), file, user, throttle: !isOwn };
      const { data } = await client.call('importFile', { body });
      report[data.state]++;
    } catch (error) {
      if (!(error instanceof ApiError) && !isAppError(error)) throw error;
      report.problems.push({ path, reason: error.message });
    }
    done.files++;
    done.bytes += file.size;
    onProgress(done, total);
  }
  return report;
};

const copies = (count: number, what: string): string => `${counted(count, 'copy', 'copies')} ${what}`;

/** Names what was skipped, which makes the command fail. */
const printSkipped = (problems: readonly Problem[]): void => {
  for (const { path, reason } of problems)
    printMessage(`${style('red', 'skipped')}  ${printable(path)}: ${reason}`);
  if (problems.length > 0) process.exitCode = 1;
};

const skippedPart = ({ length }: readonly Problem[]): string => (length > 0 ? `, ${length} skipped` : '');

const printReport = (report: VerifyReport): void => {
  for (const { key, folder, state } of report.problems) {
    printMessage(`${style(state === 'mended' ? 'yellow' : 'red', state.padEnd(6))}  ${folder}  ${key}`);
  }
  const parts = [
    `${counted(report.files, 'file')}, ${formatBytes(report.bytes)}, in ${report.folders.join(', ')}`,
    ...(report.mended > 0 ? [copies(report.mended, 'mended')] : []),
    ...(report.lost > 0 ? [copies(report.lost, 'lost: no good one is left')] : []),
    ...(report.away > 0 ? [copies(report.away, 'out of reach')] : []),
    ...((report.unknown ?? 0) > 0
      ? [
          `${counted(report.unknown ?? 0, 'object')} that no file knows (--remove-unknown removes ${report.unknown === 1 ? 'it' : 'them'})`,
        ]
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
    .action((options: VerifyOptions) =>
      withStorage(options, async (storage) => {
        const report = await verify(storage, options);
        storage.line.clear();
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
      withStorage(options, async (storage) => {
        const done = await exportTo(storage, resolve(folder));
        storage.line.clear();
        printSkipped(done.problems);
        printMessage(
          `${counted(done.files, 'file')}, ${formatBytes(done.bytes)}, written to ${resolve(folder)}${skippedPart(done.problems)}.`,
        );
      }),
    );
  command
    .command('import')
    .argument('<folder>', 'a folder that `storage export` wrote')
    .description('import an export; existing files stay')
    .option('--data-dir <folder>', 'the data folder')
    .option('--user <name>', 'give all files to this user')
    .action((folder: string, options: StorageOptions & { user?: string }) =>
      withStorage(options, async (storage) => {
        const report = await importFrom(storage, resolve(folder), options.user);
        storage.line.clear();
        printSkipped(report.problems);
        printMessage(
          `${counted(report.imported, 'file')} imported, ${report.known} there already${skippedPart(report.problems)}.`,
        );
      }),
    );
};

/** `earshot storage verify|export|import`: maintenance of the stored files, also while the service runs. */
export const addStorageCommands = (program: Command): void => {
  const storage = program.command('storage').description('maintenance of the stored files');
  addVerify(storage);
  addTransfer(storage);
};
