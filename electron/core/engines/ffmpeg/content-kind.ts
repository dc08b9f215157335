import { open } from 'node:fs/promises';
import { fileTypeFromBuffer } from 'file-type';
import { AppError, systemCode } from '../../base/errors.ts';
import type { MediaInput } from './types.ts';

const HEAD_BYTES = 4100;
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/^image\//, 'a picture'],
  [/^font\//, 'a font'],
  [/^model\//, 'a 3D model'],
  [/pdf$/, 'a PDF document'],
  [/officedocument|msword|opendocument|epub|rtf/, 'a document'],
  [/zip|x-tar|gzip|bzip2|7z|rar|x-xz|zstd|x-lzip|x-lz4/, 'a packed archive'],
  [/x-msdownload|x-elf|x-mach-binary|wasm/, 'a program'],
  [/sqlite/, 'a database'],
];

/** The first bytes as text, or null if they are binary. */
const asText = (head: Uint8Array): string | null => {
  try {
    // `stream` accepts a character that the end of the buffer cuts in two.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    const controls = Array.from(text).filter((char) => /\p{Cc}/u.test(char) && !/\s/.test(char));
    return controls.length === 0 ? text : null;
  } catch {
    // Not UTF-8, so treated as binary.
    return null;
  }
};

const textKind = (text: string): string => {
  const start = text.trimStart().slice(0, 1000);
  if (/^<(!doctype\s+html|html|head|body|!--)/i.test(start) || /<html[\s>]/i.test(start)) return 'a web page';
  if (/^(#EXTM3U|ffconcat|\[playlist\])/i.test(start) || /<(MPD|smil)[\s>]/i.test(start)) return 'a playlist';
  if (/^<(\?xml|svg|error)/i.test(start)) return 'an XML file';
  if (/^[{[]/.test(start)) return 'a JSON file';
  return 'a text file';
};

/** What a file is if its first bytes show that it is not media: "a web page", "a text file", … Null otherwise. */
export const describeNonMedia = async (head: Uint8Array): Promise<string | null> => {
  if (head.length === 0) return 'an empty file';
  const text = asText(head);
  if (text !== null) return textKind(text);
  if (/^\s*<(!doctype\s+html|html[\s>])/i.test(Buffer.from(head).toString('latin1'))) return 'a web page';
  const type = await fileTypeFromBuffer(head);
  if (type === undefined || /^(audio|video)\//.test(type.mime)) return null;
  return NAMES.find(([pattern]) => pattern.test(type.mime))?.[1] ?? null;
};

/** Reads from a range reader, which may answer with a part of what is requested. */
const readRange = async (
  url: string,
  offset: number,
  length: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> => {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const headers = { range: `bytes=${offset + filled}-${offset + length - 1}` };
    const response = await fetch(url, { headers, signal });
    const part = new Uint8Array(await response.arrayBuffer());
    if (response.status === 416) break;
    if (!response.ok || part.length === 0)
      throw new AppError('download_failed', 'The file could not be read from the server.');
    bytes.set(part, filled);
    filled += part.length;
  }
  return bytes.subarray(0, filled);
};

/** Reads `length` bytes from an offset on; fewer at the end. Throws `file_not_found` for a missing file. */
export const readBytes = async (
  input: MediaInput,
  offset: number,
  length: number,
  signal?: AbortSignal,
): Promise<Uint8Array> => {
  if (input.kind === 'range') return readRange(input.url, offset, length, signal);
  try {
    const file = await open(input.path, 'r');
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    throw new AppError('file_not_found', 'The file to decode is not there.', { cause: error });
  }
};

/**
 * Returns the first bytes of a file. Throws `not_media`, with what the file is instead, if they show that it is not media.
 */
export const refuseNonMedia = async (input: MediaInput, signal?: AbortSignal): Promise<Uint8Array> => {
  const head = await readBytes(input, 0, HEAD_BYTES, signal);
  const kind = await describeNonMedia(head);
  if (kind !== null) throw new AppError('not_media', `This is ${kind}, not a recording.`);
  return head;
};
