import type { Readable } from 'node:stream';
import { fileTypeFromBuffer } from 'file-type';
import { FILE_TYPES } from '../../engines/scan/file-types.ts';

/** Bytes that `file-type` reads at most for most formats. */
const HEAD_BYTES = 4100;

const extensionOf = async (head: Buffer): Promise<string> => {
  const detected = (await fileTypeFromBuffer(head))?.ext;
  if (detected === undefined) return 'bin';
  return FILE_TYPES.find((type) => type.detected.includes(detected))?.extensions[0] ?? detected;
};

/** Names an unnamed upload by the type of its first bytes. Use the returned stream, which has them again. */
export const nameByContent = async (
  source: Readable,
): Promise<{ name: string; stream: AsyncIterable<Uint8Array> }> => {
  const chunks: AsyncIterator<Buffer> = source[Symbol.asyncIterator]();
  const parts: Buffer[] = [];
  let size = 0;
  while (size < HEAD_BYTES) {
    const next = await chunks.next();
    if (next.done === true) break;
    parts.push(next.value);
    size += next.value.length;
  }
  const head = Buffer.concat(parts);
  async function* whole(): AsyncGenerator<Uint8Array> {
    if (head.length > 0) yield head;
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
  }
  return { name: `upload.${await extensionOf(head)}`, stream: whole() };
};
