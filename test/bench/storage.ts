import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '../../electron/core/base/logger.ts';
import { openDatabase } from '../../electron/core/stores/database.ts';
import { type FileFilter, listFiles, listFolders } from '../../electron/core/stores/files.ts';
import { measureBigFile } from '../http/storage/support/big-file.ts';
import { fillFiles } from '../support/fill-files.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** One measured number. */
export type BenchRow = { readonly name: string; readonly value: number; readonly unit: string };

const GIB = 1024 ** 3;
const PLAIN: FileFilter = { metadata: [], page: 1, limit: 20, sort: 'uploaded_at', order: 'desc' };

/** Median of 21 runs in ms. */
const median = (work: () => void): number => {
  const times = Array.from({ length: 21 }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return times.sort((a, b) => a - b)[10] ?? 0;
};

const listing = (folder: string): BenchRow[] => {
  const db = openDatabase(join(folder, 'list.db'), { logger: silentLogger, now: Date.now });
  const user = fillFiles(db, 100_000);
  const page = (name: string, filter: Partial<FileFilter>): BenchRow => ({
    name: `storage.list.100k.${name}`,
    value: median(() => void listFiles(db, user, { ...PLAIN, ...filter })),
    unit: 'ms',
  });
  const rows = [
    page('first', {}),
    page('last', { page: 5000 }),
    page('by_name', { sort: 'name', order: 'asc' }),
    page('folder', { folder: 'f3', sort: 'size' }),
    page('metadata', { metadata: [['project', 'p42']] }),
    page('two_metadata', {
      metadata: [
        ['project', 'p42'],
        ['speaker', 's3'],
      ],
    }),
    page('q', { q: 'recording 4242' }),
    page('q_short', { q: '42' }),
    page('prefix', { prefix: `/${user}/f3/recording-12` }),
    { name: 'storage.folders.100k', value: median(() => void listFolders(db, user)), unit: 'ms' },
  ];
  db.close();
  return rows;
};

const bigFile = async (folder: string, bytes: number): Promise<BenchRow[]> => {
  const result = await measureBigFile(folder, bytes, bytes === GIB);
  const megabytes = bytes / 1024 ** 2;
  const row = (name: string, value: number, unit: string): BenchRow => ({
    name: `storage.big.${name}`,
    value,
    unit,
  });
  return [
    row('upload', megabytes / result.uploadSeconds, 'MiB/s'),
    row('download', megabytes / result.downloadSeconds, 'MiB/s'),
    row('upload_cpu', megabytes / result.uploadCpu, 'MiB per CPU second'),
    row('download_cpu', megabytes / result.downloadCpu, 'MiB per CPU second'),
    row('upload_memory_growth', result.uploadGrowth, 'MiB'),
    row('download_memory_growth', result.downloadGrowth, 'MiB'),
    row('hashes_agree', result.sameHashes ? 1 : 0, 'bool'),
    row('one_byte_more', result.overStatus ?? 0, 'status'),
  ];
};

/** Measures the upload and download of a file of `bytes` bytes, and listings of 100,000 files. */
export const benchStorage = async (bytes = GIB): Promise<BenchRow[]> => {
  const folder = temporaryFolder();
  try {
    return [...listing(folder), ...(await bigFile(folder, bytes))];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

if (import.meta.main) {
  for (const { name, value, unit } of await benchStorage()) {
    process.stdout.write(`${name.padEnd(40)} ${value.toFixed(2)} ${unit}\n`);
  }
}
