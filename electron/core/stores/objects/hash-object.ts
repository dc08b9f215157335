import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { BlockChecksums } from './blocks.ts';

/** Everything about a file's bytes that its row holds. */
export const hashObject = async (path: string) => {
  const [md5, sha256, blocks] = [createHash('md5'), createHash('sha256'), new BlockChecksums()];
  let size = 0;
  for await (const chunk of createReadStream(path)) {
    size += chunk.length;
    md5.update(chunk);
    sha256.update(chunk);
    blocks.update(chunk);
  }
  return { size, md5: md5.digest('hex'), sha256: sha256.digest('hex'), checksums: blocks.finish() };
};
