import { randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ByteSource } from '../base/byte-source.ts';
import { AppError } from '../base/errors.ts';
import { contentDisposition } from './content-disposition.ts';
import { type ByteRange, parseRangeHeader } from './range-header.ts';
import { type Body, sendBody } from './send-body.ts';

export type SendFileOptions = {
  readonly source: ByteSource;
  /** With its quotes, e.g. `"9e107d9d372bb6826bd81d3542a419d6"`. */
  readonly etag: string;
  /** Milliseconds since the epoch. */
  readonly lastModified: number;
  readonly contentType: string;
  readonly disposition: { readonly type: 'inline' | 'attachment'; readonly name: string };
  readonly cacheControl: string;
  readonly headers?: Readonly<Record<string, string>>;
};

const CHUNK = 256 * 1024;

/** An open file as a source, readable to its end even if it is deleted meanwhile. The caller closes the handle. */
export const fileSource = (handle: FileHandle, size: number): ByteSource => ({
  size,
  async *read(start, end, memory) {
    for (let at = start; at < end; ) {
      const length = Math.min(CHUNK, end - at);
      const { bytesRead, buffer } = await handle.read({ buffer: memory(length), length, position: at });
      if (bytesRead === 0) throw new Error('The file ended before its announced size');
      yield buffer.subarray(0, bytesRead);
      at += bytesRead;
    }
  },
});

/** Milliseconds rounded down to the whole seconds of an HTTP date. */
const wholeSeconds = (milliseconds: number): number => Math.floor(milliseconds / 1000) * 1000;

/** The entity tags of a header, compared weakly (RFC 9110, 8.8.3.2). */
const tagsOf = (header: string): string[] => header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));

/** `If-None-Match` takes precedence over `If-Modified-Since` (RFC 9110, 13.2.2). */
const isUnchanged = (request: FastifyRequest, { etag, lastModified }: SendFileOptions): boolean => {
  const { 'if-none-match': tags, 'if-modified-since': since } = request.headers;
  if (tags !== undefined) return tags.trim() === '*' || tagsOf(tags).includes(etag);
  const time = since === undefined ? Number.NaN : Date.parse(since);
  return !Number.isNaN(time) && wholeSeconds(lastModified) <= time;
};

/** Whether to honor `Range`: with `If-Range`, only while the file is the one that the client has part of. */
const wantsRange = (request: FastifyRequest, { etag, lastModified }: SendFileOptions): boolean => {
  const { 'if-range': condition } = request.headers;
  if (request.method !== 'GET' || request.headers.range === undefined) return false;
  if (condition === undefined) return true;
  const text = String(condition).trim();
  return text.startsWith('"') ? text === etag : Date.parse(text) === wholeSeconds(lastModified);
};

/** A body of type multipart/byteranges (RFC 9110, 14.6). */
async function* multipartBody(
  source: ByteSource,
  parts: readonly { head: string; range: ByteRange }[],
  tail: string,
  memory: Parameters<Body>[0],
) {
  for (const { head, range } of parts) {
    yield Buffer.from(head);
    yield* source.read(range.start, range.end, memory);
  }
  yield Buffer.from(tail);
}

const sendRanges = (
  reply: FastifyReply,
  options: SendFileOptions,
  ranges: readonly ByteRange[],
): Promise<void> => {
  const { source, contentType } = options;
  const boundary = randomBytes(18).toString('hex');
  const parts = ranges.map((range, index) => ({
    range,
    head: `${index === 0 ? '' : '\r\n'}--${boundary}\r\nContent-Type: ${contentType}\r\nContent-Range: bytes ${range.start}-${range.end - 1}/${source.size}\r\n\r\n`,
  }));
  const tail = `\r\n--${boundary}--\r\n`;
  const length = parts.reduce(
    (sum, { head, range }) => sum + head.length + range.end - range.start,
    tail.length,
  );
  reply.code(206).type(`multipart/byteranges; boundary=${boundary}`).header('content-length', String(length));
  return sendBody(reply, (memory) => multipartBody(source, parts, tail, memory));
};

const sendRange = (
  reply: FastifyReply,
  { source, contentType }: SendFileOptions,
  range: ByteRange,
): Promise<void> => {
  reply.type(contentType).header('content-length', String(range.end - range.start));
  return sendBody(reply, (memory) => source.read(range.start, range.end, memory));
};

/**
 * Answers `GET` and `HEAD` with a file: single and multiple ranges, suffix ranges, `If-Range`,
 * `If-None-Match`, `If-Modified-Since` (RFC 9110). Reading stops when the client leaves.
 * Throws `range_not_satisfiable` when no requested range lies within the file.
 */
export const sendFile = async (
  request: FastifyRequest,
  reply: FastifyReply,
  options: SendFileOptions,
): Promise<void> => {
  const { source, etag, lastModified, contentType, disposition, cacheControl } = options;
  const { size } = source;
  for (const [name, value] of Object.entries(options.headers ?? {})) reply.header(name, value);
  reply
    .header('etag', etag)
    .header('last-modified', new Date(lastModified).toUTCString())
    .header('cache-control', cacheControl)
    .header('accept-ranges', 'bytes');
  if (isUnchanged(request, options)) {
    await reply.code(304).send();
    return;
  }
  const ranges = wantsRange(request, options) ? parseRangeHeader(request.headers.range, size) : undefined;
  if (ranges?.length === 0) {
    throw new AppError(
      'range_not_satisfiable',
      `The file has ${size} bytes; no part that was asked for is in it.`,
      {
        headers: { 'content-range': `bytes */${size}` },
      },
    );
  }
  reply.header('content-disposition', contentDisposition(disposition.type, disposition.name));
  if (request.method === 'HEAD') {
    await reply.type(contentType).header('content-length', String(size)).send(Readable.from([]));
    return;
  }
  const [only, ...more] = ranges ?? [];
  if (only === undefined) return sendRange(reply, options, { start: 0, end: size });
  if (more.length > 0) return sendRanges(reply, options, [only, ...more]);
  reply.code(206).header('content-range', `bytes ${only.start}-${only.end - 1}/${size}`);
  return sendRange(reply, options, only);
};
