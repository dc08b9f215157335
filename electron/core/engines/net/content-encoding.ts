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

/** The content encoding of a response, or null. Servers use one although requests ask for `identity`. */
export const encodingOf = (response: Pick<OpenedResponse, 'headers'>): string | null => {
  const encoding = (response.headers['content-encoding'] ?? '').trim().toLowerCase();
  return encoding === '' || encoding === 'identity' ? null : encoding;
};

/** The decoded body. Throws `download_failed` for an unknown encoding. */
export const decodedBody = (response: OpenedResponse): Readable => {
  const encoding = encodingOf(response);
  if (encoding === null) return response.body;
  const createDecoder = DECODERS[encoding];
  if (createDecoder === undefined) {
    response.body.destroy();
    throw new AppError('download_failed', `The server packs the file as "${encoding}", which is not known.`);
  }
  const decoder = createDecoder();
  // `pipeline` destroys the decoder with the error, which reaches the reader that way.
  pipeline(response.body, decoder, () => undefined);
  return decoder;
};
