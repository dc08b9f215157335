import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

/** An EBML element: identifier in hexadecimal digits, size in eight bytes, content. */
const element = (id: string, ...content: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(content);
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(body.length));
  size[0] = 1;
  return Buffer.concat([Buffer.from(id, 'hex'), size, body]);
};

const number = (id: string, value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return element(id, bytes);
};

const float = (id: string, value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return element(id, bytes);
};

const text = (id: string, value: string): Buffer => element(id, Buffer.from(value));

/** Frames in one block with Xiph lacing: the length of all but the last in bytes of up to 255. */
const lacedBlock = (frames: readonly Buffer[], milliseconds: number): Buffer => {
  const header = Buffer.from([0x81, 0, 0, 0x82, frames.length - 1]);
  header.writeInt16BE(milliseconds, 1);
  const lengths = frames.slice(0, -1).flatMap(({ length }) => {
    const full = Math.floor(length / 255);
    return [...new Array<number>(full).fill(255), length % 255];
  });
  return element('a3', header, Buffer.from(lengths), ...frames);
};

/** The frames of an MP4's sound, as they lie in it. */
const framesOf = (path: string): Buffer[] => {
  const args = ['-v', 'error', '-show_entries', 'packet=pos,size', '-of', 'csv=p=0', path];
  const bytes = readFileSync(path);
  const rows = execFileSync('ffprobe', args).toString().trim().split('\n');
  return rows.map((row) => {
    const [size = 0, at = 0] = row.split(',').map(Number);
    return bytes.subarray(at, at + size);
  });
};

/**
 * Writes the ALAC of an MP4 as Matroska with eight frames to a block, of which the first alone has a time, and without a
 * default duration, as mkvmerge does for rates such as 41 kHz.
 */
export const writeLacedAlac = (mp4: string, path: string, sampleRate: number): void => {
  const bytes = readFileSync(mp4);
  const [framesPerBlock, samplesPerFrame] = [8, 4096];
  // The configuration is in the second box of this name, behind 4 bytes of version and flags.
  const config = bytes.indexOf('alac', bytes.indexOf('alac', bytes.indexOf('stsd')) + 4) + 8;
  const track = element(
    'ae',
    ...[number('d7', 1), number('73c5', 1), number('83', 2), text('86', 'A_ALAC')],
    element('63a2', bytes.subarray(config, config + 24)),
    element('e1', float('b5', sampleRate), number('9f', 1), number('6264', 16)),
  );
  const frames = framesOf(mp4);
  const blocks = Array.from({ length: Math.ceil(frames.length / framesPerBlock) }, (_, index) =>
    lacedBlock(
      frames.slice(index * framesPerBlock, (index + 1) * framesPerBlock),
      Math.round((index * framesPerBlock * samplesPerFrame * 1000) / sampleRate),
    ),
  );
  writeFileSync(
    path,
    Buffer.concat([
      element('1a45dfa3', text('4282', 'matroska'), number('4287', 4), number('4285', 2)),
      element(
        '18538067',
        element('1549a966', number('2ad7b1', 1_000_000), text('4d80', 'test'), text('5741', 'test')),
        element('1654ae6b', track),
        element('1f43b675', number('e7', 0), ...blocks),
      ),
    ]),
  );
};
