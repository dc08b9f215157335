import { extname } from 'node:path';
import { fileTypeFromBuffer } from 'file-type';
import { isAppError } from '../../base/errors.ts';
import { readBytes } from './content-kind.ts';
import type { LocalFile } from './types.ts';

/** Formats that are samples without a header, by the extension alone by which ffmpeg knows them. */
const HEADERLESS: Readonly<Record<string, string>> = {
  '.g722': 'g722',
  '.722': 'g722',
  '.sbc': 'sbc',
  '.msbc': 'sbc',
  '.aptx': 'aptx',
  '.aptxhd': 'aptx_hd',
  '.rso': 'rso',
  '.302': 'daud',
};

/** MPEG frames begin with 11 bits that samples can have, too. */
const WEAK_SIGNATURES = new Set(['mp1', 'mp2', 'mp3', 'aac']);

const HEAD_BYTES = 4100;
/** Frames of SBC in a row that no other content has. */
const SBC_FRAMES = 4;
const MSBC_FRAME = 57;

/** Bytes of a frame of SBC (A2DP 1.3, 12.9); null where none begins. */
const sbcFrameLength = (head: Uint8Array, at: number): number | null => {
  const [sync, flags = 0, bitpool = 0] = head.subarray(at, at + 3);
  if (sync === 0xad) return MSBC_FRAME;
  if (sync !== 0x9c || bitpool < 2) return null;
  const blocks = 4 * (1 + ((flags >> 4) & 3));
  const mode = (flags >> 2) & 3;
  const subbands = (flags & 1) === 0 ? 4 : 8;
  const channels = mode === 0 ? 1 : 2;
  const perBlock = mode < 2 ? channels * bitpool : bitpool;
  const joint = mode === 3 ? subbands : 0;
  return 4 + (subbands * channels) / 2 + Math.ceil((joint + blocks * perBlock) / 8);
};

const isSbc = (head: Uint8Array): boolean => {
  let at = 0;
  for (let frame = 0; frame < SBC_FRAMES; frame++) {
    const length = sbcFrameLength(head, at);
    if (length === null) return false;
    at += length;
  }
  return true;
};

/** A file of this machine as input of ffmpeg. Its path says nothing: `name` is that under which it came. */
export const localFile = async (path: string, name: string): Promise<LocalFile> => {
  const format = HEADERLESS[extname(name).toLowerCase()];
  const head = await readBytes({ kind: 'file', path }, 0, HEAD_BYTES).catch((error: unknown) => {
    // Whoever reads the file says that it is gone.
    if (isAppError(error)) return new Uint8Array();
    throw error;
  });
  if (isSbc(head)) return { kind: 'file', path, format: 'sbc' };
  if (format === undefined) return { kind: 'file', path };
  const found = await fileTypeFromBuffer(head);
  const isOther = found !== undefined && !WEAK_SIGNATURES.has(found.ext);
  return isOther ? { kind: 'file', path } : { kind: 'file', path, format };
};
