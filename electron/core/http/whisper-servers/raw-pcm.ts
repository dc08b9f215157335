import { Readable } from 'node:stream';
import { UNKNOWN_WAV_LENGTH, wavHeader } from '../../base/wav.ts';

/** What files begin with that some clients send as raw samples: WAV, Ogg, FLAC, and Matroska (EBML). */
const CONTAINERS = ['RIFF', 'OggS', 'fLaC', '\u001aE\u00df\u00a3'];

async function* withHeader(samples: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const chunk of samples) {
    if (isFirst && !CONTAINERS.includes(chunk.toString('latin1', 0, 4))) yield wavHeader(UNKNOWN_WAV_LENGTH);
    isFirst = false;
    yield chunk;
  }
}

/** Raw 16-bit PCM of one channel at 16 kHz as a WAV file; a file that has a header stays as it is. */
export const wavOfRawPcm = (samples: Readable): Readable =>
  Readable.from(withHeader(samples), { objectMode: false });
