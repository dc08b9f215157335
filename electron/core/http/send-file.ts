import { randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ByteSource } from '../base/byte-source.ts';
import { AppError } from '../base/errors.ts';
import { freeMemory } from '../base/memory.ts';
import { contentDisposition } from './content-disposition.ts';

/** A range of bytes; `end` is exclusive. */
type ByteRange = { readonly start: number; readonly end: number };

/** With more ranges than this the header is ignored, which prevents amplification. */
const MAX_RANGES = 32;

const parsePart = (text: string, size: number): ByteRange | 'invalid' | 'outside' => {
  const match = /^[ \t]*(\d*)-(\d*)[ \t]*$/.exec(text);
  const first = match?.[1] ?? '';
  const last = match?.[2] ?? '';
  if (match === null || (first === '' && last === '')) return 'invalid';
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'outside' : { start: size - length, end: size };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return 'invalid';
  if (start >= size) return 'outside';
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) };
};

/** Overlapping ranges make a server send the same bytes many times (CVE-2011-3192). */
const overlaps = (ranges: readonly ByteRange[]): boolean => {
  const sorted = ranges.toSorted((a, b) => a.start - b.start);
  return sorted.some((range, index) => range.start < (sorted[index - 1]?.end ?? 0));
};

/**
 * Parses a `Range` header (RFC 9110, 14.2) for a file of `size` bytes. Returns undefined if the header is to be
 * ignored (another unit, malformed, unreasonable), and `[]` if no range lies within the file.
 */
export const parseRangeHeader = (
  header: string | undefined,
  size: number,
): readonly ByteRange[] | undefined => {
  const match = /^bytes=(.+)$/i.exec(header ?? '');
  if (match?.[1] === undefined) return undefined;
  const parts = match[1].split(',');
  if (parts.length > MAX_RANGES) return undefined;
  const ranges: ByteRange[] = [];
  for (const part of parts) {
    if (part.trim() === '') continue;
    const range = parsePart(part, size);
    if (range === 'invalid') return undefined;
    if (range !== 'outside') ranges.push(range);
  }
  return overlaps(ranges) ? undefined : ranges;
};

/** Yields chunks that lie in what `memory` returned for them, or are not written to again. */
type Body = (memory: Parameters<ByteSource['read']>[2]) => AsyncGenerator<Uint8Array>;

/** One is read into while the other is sent. */
const BUFFERS = 2;

/** Buffers that are used in turn: a new one for each chunk of a large file would cost more than reading and sending it. */
class Buffers {
  /** None if a turn's chunk lay elsewhere. */
  readonly #buffers: (Uint8Array | undefined)[] = [];
  readonly #sent: Promise<void>[] = [];
  #turn = 0;

  /** Goes on to the next buffer once its last chunk is sent. */
  async next(): Promise<void> {
    this.#turn = (this.#turn + 1) % BUFFERS;
    await this.#sent[this.#turn];
  }

  readonly memory = (bytes: number): Uint8Array => {
    const buffer = this.#buffers[this.#turn];
    if (buffer !== undefined && buffer.length >= bytes) return buffer;
    const larger = Buffer.allocUnsafeSlow(bytes);
    this.#buffers[this.#turn] = larger;
    return larger;
  };

  /** Frees the buffers once their last chunks are sent. The garbage collector would run for every few downloads. */
  async free(): Promise<void> {
    await Promise.all(this.#sent);
    for (const buffer of this.#buffers) if (buffer !== undefined) freeMemory(buffer);
  }

  /** Keeps the current buffer as it is until `sent` resolves. */
  keepUntil(sent: Promise<void>): void {
    this.#sent[this.#turn] = sent;
  }
}

/** Resolves when the operating system has the chunk, or the connection is closed. */
const writeTo = (raw: ServerResponse, chunk: Uint8Array): Promise<void> =>
  new Promise((done) => {
    const end = () => {
      raw.off('close', end);
      done();
    };
    raw.once('close', end);
    raw.write(chunk, end);
  });

/**
 * Sends a body on the response, which is taken over from Fastify once the first chunk is read, so that an error until then
 * is answered like any other. A later one cuts the connection, so that the client misses bytes. Stops reading when the
 * client leaves.
 */
const sendBody = async (reply: FastifyReply, body: Body): Promise<void> => {
  const buffers = new Buffers();
  const chunks = body(buffers.memory);
  let next = await chunks.next();
  const { raw } = reply.hijack();
  const headers = Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]);
  raw.writeHead(reply.statusCode, Object.fromEntries(headers));
  try {
    while (next.done !== true && !raw.destroyed) {
      buffers.keepUntil(writeTo(raw, next.value));
      await buffers.next();
      next = await chunks.next();
    }
    raw.end();
  } catch {
    raw.destroy();
  } finally {
    await chunks.return(undefined);
    void buffers.free();
  }
};

type SendFileOptions = {
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
