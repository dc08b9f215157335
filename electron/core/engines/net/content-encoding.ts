import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { AppError } from '../../base/errors.ts';
import type { OpenedResponse } from './types.ts';

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** The encoding that a server used although it was asked for none, or null. */
export const encodingOf = (response: Pick<OpenedResponse, 'headers'>): string | null => {
  const encoding = (response.headers['content-encoding'] ?? '').trim().toLowerCase();
  return encoding === '' || encoding === 'identity' ? null : encoding;
};

/** The file's own bytes. Throws `download_failed` for an encoding that is not known here. */
export const decodedBody = (response: OpenedResponse): Readable => {
  const encoding = encodingOf(response);
  if (encoding === null) return response.body;
  const make = DECODERS[encoding];
  if (make === undefined) {
    response.body.destroy();
    throw new AppError('download_failed', `The server packs the file as "${encoding}", which is not known.`);
  }
  const decoder = make();
  // The error reaches the reader through the decoder, which `pipeline` destroys with it.
  pipeline(response.body, decoder, () => undefined);
  return decoder;
};
