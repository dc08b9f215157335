import { createHmac } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import type { Peaks } from '../../../contract/playback.ts';
import { PEAKS_PER_SECOND } from '../../base/audio.ts';
import { type Clock, isoTime } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { isSameSecret } from '../../base/ids.ts';
import { round, roundMs } from '../../base/numbers.ts';
import type { DataPaths } from '../../base/paths.ts';
import { PEAKS_FILE } from '../../pipeline/recognition/peaks.ts';
import type { ReadableDb } from '../../stores/database.ts';
import type { Transcript } from '../../stores/transcript-record.ts';
import { findOwnTranscript, findTranscript } from '../../stores/transcripts.ts';

export type PlayableAudio = {
  /** Open for reading; the caller closes it. */
  readonly handle: FileHandle;
  readonly size: number;
  readonly modified: number;
  readonly name: string;
  readonly mediaType: string;
};

type Deps = {
  readonly db: ReadableDb;
  readonly clock: Clock;
  readonly paths: DataPaths;
  readonly secret: string;
  readonly baseUrl: () => string;
  /** The readable path and the name of a stored file; undefined where it was deleted. */
  readonly locate: (fileId: string) => Promise<{ path: string; name: string } | undefined>;
};

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  m4a: 'audio/mp4',
  mp4: 'video/mp4',
  ogg: 'audio/ogg',
  opus: 'audio/ogg',
  webm: 'audio/webm',
  mkv: 'video/x-matroska',
  aac: 'audio/aac',
};

const URL_LIFETIME_SECONDS = 12 * 3600;

const notFound = () => new AppError('transcript_not_found', 'There is no such transcription.');
const noAudio = () => new AppError('file_not_found', 'The audio of this transcription is not kept any more.');

/** The audio of transcripts for playback, and its waveform. */
export class TranscriptAudio {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** A URL that works without a key, for 12 hours. */
  signedUrl(userId: string, id: string): { url: string; expires_at: string } {
    if (findOwnTranscript(this.#deps.db, userId, id) === undefined) throw notFound();
    const expires = Math.floor(this.#deps.clock.now() / 1000) + URL_LIFETIME_SECONDS;
    const url = `${this.#deps.baseUrl()}/v1/transcript/id/${id}/audio?expires=${expires}&signature=${this.#sign(id, expires)}`;
    return { url, expires_at: isoTime(expires * 1000) };
  }

  /** Throws `signature_invalid` or `signature_expired`. */
  checkSignature(id: string, expires: number, signature: string): void {
    if (!isSameSecret(signature, this.#sign(id, expires))) {
      throw new AppError('signature_invalid', 'This address was altered, or was never given out.');
    }
    if (expires * 1000 < this.#deps.clock.now()) {
      throw new AppError('signature_expired', 'This address has expired. Ask for a new one.');
    }
  }

  /** The file to play. `userId` is undefined where the caller's signature was checked. */
  async file(userId: string | undefined, id: string): Promise<PlayableAudio> {
    const transcript =
      userId === undefined ? findTranscript(this.#deps.db, id) : findOwnTranscript(this.#deps.db, userId, id);
    if (transcript === undefined) throw notFound();
    const found = await this.#locate(transcript);
    const handle = found === undefined ? undefined : await open(found.path, 'r').catch(() => undefined);
    if (found === undefined || handle === undefined) throw noAudio();
    const info = await handle.stat();
    const extension = transcript.audioFile?.split('.').at(-1) ?? transcript.fileFormat ?? 'bin';
    return {
      handle,
      size: info.size,
      modified: info.mtimeMs,
      name: found.name,
      mediaType: MEDIA_TYPES[extension] ?? 'application/octet-stream',
    };
  }

  /** The waveform: the minimum and maximum of at most 20 buckets per second, from -1 to 1. */
  async peaks(userId: string, id: string, perSecond: number): Promise<z.output<typeof Peaks>['data']> {
    const transcript = findOwnTranscript(this.#deps.db, userId, id);
    if (transcript === undefined) throw notFound();
    const bytes = await this.#readPeaks(transcript);
    // The rate need not divide the stored one: a bucket takes the stored peaks that begin in it.
    const rate = Math.min(perSecond, PEAKS_PER_SECOND);
    const stored = bytes.length / 2;
    const firstOf = (bucket: number) => Math.min(stored, Math.floor((bucket * PEAKS_PER_SECOND) / rate));
    const [min, max]: [number[], number[]] = [[], []];
    for (let bucket = 0; firstOf(bucket) < stored; bucket++) {
      let [low, high] = [0, 0];
      for (let peak = firstOf(bucket); peak < firstOf(bucket + 1); peak++) {
        low = Math.min(low, bytes[2 * peak] ?? 0);
        high = Math.max(high, bytes[2 * peak + 1] ?? 0);
      }
      min.push(round(low / 127, 3));
      max.push(round(high / 127, 3));
    }
    return { per_second: rate, duration: roundMs(transcript.duration), min, max };
  }

  async #readPeaks(transcript: Transcript): Promise<Int8Array> {
    const path = join(this.#deps.paths.transcripts, transcript.id, PEAKS_FILE);
    const file = await open(path, 'r').catch(() => undefined);
    if (file === undefined) return new Int8Array(0);
    try {
      return new Int8Array(await file.readFile());
    } finally {
      await file.close();
    }
  }

  async #locate(transcript: Transcript): Promise<{ path: string; name: string } | undefined> {
    if (transcript.audioFile === null) {
      // The user's own file still holds what was redacted from the transcript.
      const own = transcript.fileId === null || transcript.options.redact_pii ? undefined : transcript.fileId;
      return own === undefined ? undefined : this.#deps.locate(own);
    }
    return {
      path: join(this.#deps.paths.transcripts, transcript.id, transcript.audioFile),
      name: transcript.fileName ?? transcript.name,
    };
  }

  #sign(id: string, expires: number): string {
    return createHmac('sha256', this.#deps.secret).update(`audio\n${id}\n${expires}`).digest('base64url');
  }
}
