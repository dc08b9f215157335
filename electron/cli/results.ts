import { access, constants, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Client } from '../contract/client.ts';
import { EXPORT_FORMATS } from '../contract/exports.ts';
import type { Segment } from '../contract/segments.ts';
import type { Transcription } from '../contract/transcript.ts';
import { hasDiskFullCode, messageOf } from '../core/base/errors.ts';
import { formatBytes } from '../core/base/numbers.ts';
import { formatTenths } from '../core/base/time.ts';
import { UsageError } from './environment.ts';
import { printable, printResult } from './terminal.ts';

export const FORMATS = ['times', ...EXPORT_FORMATS] as const;
export type Format = (typeof FORMATS)[number];

/** A text needs no more, even of a long recording. */
const MIN_ROOM_BYTES = 1024 ** 2;

/** A line per segment, with its times and speaker. */
const timedLines = (segments: readonly Segment[]): string =>
  segments
    .map(({ start, end, speaker_id, text }) => {
      const speaker = speaker_id === null ? '' : `${speaker_id}: `;
      return `[${formatTenths(start)} → ${formatTenths(end)}]  ${printable(`${speaker}${text}`)}\n`;
    })
    .join('');

export const render = async (
  client: Client,
  { id, segments }: Pick<Transcription, 'id' | 'segments'>,
  format: Format,
): Promise<string | Uint8Array> => {
  if (format === 'times') return timedLines(segments);
  const response = await client.send('exportTranscript', { params: { id }, query: { format } });
  return new Uint8Array(await response.arrayBuffer());
};

const freeOn = async (folder: string): Promise<number> => {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
};

const diskFull = async (path: string): Promise<Error> => {
  const folder = dirname(resolve(path));
  return new Error(`${path}: the disk of ${folder} is full, with ${formatBytes(await freeOn(folder))} free.`);
};

/** Throws if a result could not be written to this file, before any work is done for it. */
export const checkOutput = async (path: string): Promise<void> => {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) throw new UsageError(`${path} is a folder: name a file in it.`);
  const folder = dirname(resolve(path));
  const parent = await stat(folder).catch(() => undefined);
  if (parent?.isDirectory() !== true) {
    throw new UsageError(`${path}: there is no folder ${folder}. Create it first.`);
  }
  await access(found === undefined ? folder : path, constants.W_OK).catch((error: unknown) => {
    throw new UsageError(`${path} cannot be written: ${messageOf(error)}.`);
  });
  const isOnDisk = found === undefined || found.isFile();
  if (isOnDisk && (await freeOn(folder)) < MIN_ROOM_BYTES) throw await diskFull(path);
};

/** Writes a result to a file, or to stdout without one. */
export const writeOutput = async (path: string | undefined, body: string | Uint8Array): Promise<void> => {
  if (path === undefined) return printResult(body);
  try {
    await writeFile(path, body);
  } catch (error) {
    throw hasDiskFullCode(error) ? await diskFull(path) : error;
  }
};

/** Writes the result of a recording of this name. */
export type Write = (name: string, body: string | Uint8Array) => Promise<void>;

/** Of these, several in one file are no valid file. */
const APART: ReadonlySet<Format> = new Set(['srt', 'vtt', 'csv', 'docx']);

/** Throws if the results of several recordings cannot be written. */
export const checkTogether = ({
  format = 'times',
  output,
}: {
  readonly format?: Format;
  readonly output?: string;
}): void => {
  if (output !== undefined) throw new UsageError('--output takes one recording at a time.');
  if (!APART.has(format)) return;
  throw new UsageError(
    `--format ${format} is a file for each recording: run the command once for each, with --output.`,
  );
};

/** Writes the results of several recordings to stdout: JSON as one array, others below the names of their recordings. */
export const joinResults = (format: Format = 'times'): { write: Write; end(): Promise<void> } => {
  const isJson = format === 'json';
  let written = 0;
  return {
    write: async (name, body) => {
      const before = isJson
        ? written === 0
          ? '[\n'
          : ',\n'
        : `${written === 0 ? '' : '\n'}==> ${name} <==\n`;
      written += 1;
      await printResult(before);
      await printResult(body);
    },
    end: async () => {
      if (isJson) await printResult(written === 0 ? '[]\n' : ']\n');
    },
  };
};
