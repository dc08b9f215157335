import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { ByteSource } from '../base/byte-source.ts';
import { freeMemory } from '../base/memory.ts';

/** Yields chunks that lie in what `memory` returned for them, or are not written to again. */
export type Body = (memory: Parameters<ByteSource['read']>[2]) => AsyncGenerator<Uint8Array>;

/** One is read into while the other is sent. */
const BUFFERS = 2;

/** Buffers that are used in turn: a new one for each chunk of a large file would cost more than reading and sending it. */
class Buffers {
  /** None where a turn's chunk lay elsewhere. */
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
export const sendBody = async (reply: FastifyReply, body: Body): Promise<void> => {
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
