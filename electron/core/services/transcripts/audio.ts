import { createHmac } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { extname, join, parse } from 'node:path';
import type { z } from 'zod';
import type { Peaks, PeaksQuery } from '../../../contract/segments.ts';
import { concatSamples, PEAKS_PER_SECOND, SAMPLE_RATE } from '../../base/audio.ts';
import { type Clock, isoTime } from '../../base/clock.ts';
import { AppError, isAppError } from '../../base/errors.ts';
import { isSameSecret } from '../../base/ids.ts';
import { KeyedLock } from '../../base/in-order.ts';
import { round, roundMs } from '../../base/numbers.ts';
import type { DataPaths } from '../../base/paths.ts';
import { localFile } from '../../engines/ffmpeg/local-file.ts';
import type { MediaEngine } from '../../engines/ffmpeg/types.ts';
import { PEAKS_FILE } from '../../pipeline/recognition/peaks.ts';
import type { Transcript } from '../../stores/codecs.ts';
import type { ReadableDb } from '../../stores/database.ts';
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
  readonly media: MediaEngine;
  /** The readable path and the name of a stored file; undefined if it was deleted. */
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

/** Up to this second a file is decoded from its beginning, which is exact to a sample. */
const MAX_DECODED_SECONDS = 600;

type PeaksData = z.output<typeof Peaks>['data'];
type Buckets = Pick<PeaksData, 'min' | 'max'>;

/** Joins stored peaks; the rate need not divide theirs: a bucket takes the stored peaks that begin in it. */
const bucketsOf = (bytes: Int8Array, storedRate: number, rate: number): Buckets => {
  const stored = bytes.length / 2;
  const firstOf = (bucket: number) => Math.min(stored, Math.floor((bucket * storedRate) / rate));
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
  return { min, max };
};

const peaksOfSamples = (pcm: Float32Array, rate: number): Buckets => {
  const [min, max]: [number[], number[]] = [[], []];
  for (let from = 0; from < pcm.length; from += SAMPLE_RATE / rate) {
    let [low, high] = [0, 0];
    for (const sample of pcm.subarray(Math.round(from), Math.round(from + SAMPLE_RATE / rate))) {
      low = Math.min(low, sample);
      high = Math.max(high, sample);
    }
    min.push(round(Math.max(-1, low), 3));
    max.push(round(Math.min(1, high), 3));
  }
  return { min, max };
};

/** The name under which a transcript's own copy of the audio is saved. */
const nameOfCopy = ({ fileName, name, options }: Transcript, audioFile: string): string => {
  const { name: stem } = parse(fileName ?? name);
  return `${stem}${options.redact_pii ? ' (redacted)' : ''}${extname(audioFile)}`;
};

/** The audio of transcripts for playback, and its waveform. */
export class TranscriptAudio {
  readonly #deps: Deps;
  /** One ffmpeg at a time. */
  readonly #decoding = new KeyedLock();

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

  /** The file to play. `userId` is undefined if the caller's signature was checked. */
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

  /**
   * The waveform: the minimum and maximum of at most 20 buckets per second, from -1 to 1. A part of it is made anew, as
   * detailed as asked for, if the audio is still there.
   */
  async peaks(
    userId: string,
    id: string,
    { per_second: perSecond, from, to }: PeaksQuery,
    signal: AbortSignal,
  ): Promise<PeaksData> {
    const transcript = findOwnTranscript(this.#deps.db, userId, id);
    if (transcript === undefined) throw notFound();
    const range = from === undefined || to === undefined ? undefined : { from, to };
    const duration = roundMs(transcript.duration);
    const detail =
      range && (await this.#decoding.run('', () => this.#detail(transcript, range, perSecond, signal)));
    if (range !== undefined && detail !== undefined) return { per_second: perSecond, duration, ...detail };
    const bytes = await this.#readPeaks(transcript);
    const rate = Math.min(perSecond, PEAKS_PER_SECOND);
    if (range === undefined)
      return { per_second: rate, duration, ...bucketsOf(bytes, PEAKS_PER_SECOND, rate) };
    const begin = transcript.audioStartFrom ?? 0;
    const place = (seconds: number) => Math.max(0, Math.floor((seconds - begin) * PEAKS_PER_SECOND));
    const part = bytes.subarray(2 * place(range.from), 2 * place(range.to));
    return {
      per_second: rate,
      duration,
      from: roundMs(begin + place(range.from) / PEAKS_PER_SECOND),
      ...bucketsOf(part, PEAKS_PER_SECOND, rate),
    };
  }

  /** From its begin on; undefined if the audio is gone or cannot be read there. */
  async #detail(
    transcript: Transcript,
    { from, to }: { readonly from: number; readonly to: number },
    perSecond: number,
    signal: AbortSignal,
  ): Promise<(Buckets & { readonly from: number }) | undefined> {
    const found = await this.#locate(transcript);
    if (found === undefined) return undefined;
    const { audioOffset } = transcript;
    const start = Math.max(0, from - audioOffset);
    const options = { start, end: to - audioOffset, seek: start > MAX_DECODED_SECONDS, signal };
    try {
      const parts: Float32Array[] = [];
      const input = await localFile(found.path, found.name);
      for await (const { pcm } of this.#deps.media.decodeChunks(input, options).chunks) parts.push(pcm);
      return { from: roundMs(start + audioOffset), ...peaksOfSamples(concatSamples(parts), perSecond) };
    } catch (error) {
      if (isAppError(error) && error.code !== 'cancelled') return undefined;
      throw error;
    }
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
      name: nameOfCopy(transcript, transcript.audioFile),
    };
  }

  #sign(id: string, expires: number): string {
    return createHmac('sha256', this.#deps.secret).update(`audio\n${id}\n${expires}`).digest('base64url');
  }
}
