import { mkdir, open, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { RedactionReport } from '../../../contract/transcript.ts';
import { type StoredWarning, warningOf } from '../../../contract/warnings.ts';
import { toSamples, WAV_HEADER_BYTES, wavHeader } from '../../base/audio.ts';
import { localFile } from '../../engines/ffmpeg/local-file.ts';
import type { AudioChunk, MediaInfo, MediaInput } from '../../engines/ffmpeg/types.ts';
import type { Transcript } from '../../stores/codecs.ts';
import type { JobContext, PipelineDeps } from '../deps.ts';
import type { Source } from './resolve.ts';
import { workFolder } from './work-folder.ts';

const RANGE_TOO_LONG = warningOf('range_too_long');

/** The file name of audio that was encoded here. */
export const ENCODED_FILE = 'audio.m4a';

/** The folder of the files that belong to a transcript. */
export const transcriptFolder = (deps: Pick<PipelineDeps, 'paths'>, id: string): string =>
  join(deps.paths.transcripts, id);

/** The audio that a transcript plays. */
export type PlaybackAudio = {
  /** The file name in the transcript's folder; null if the upload is played, or nothing. */
  readonly file: string | null;
  /** Where it starts on the source's timeline; seconds. */
  readonly offset: number;
  readonly warnings: readonly StoredWarning[];
  /** For redacted audio alone. */
  readonly report?: RedactionReport;
};

/** Keeps what was downloaded, or collected of a range, or several tracks mixed, as the transcript's playback audio. */
export const keepPlaybackAudio = async (
  deps: PipelineDeps,
  { transcript, signal }: JobContext,
  source: Source,
  info: MediaInfo,
  rangeAudio: RangeAudio | null,
): Promise<PlaybackAudio> => {
  const none: PlaybackAudio = { file: null, offset: 0, warnings: [] };
  const folder = transcriptFolder(deps, transcript.id);
  await mkdir(folder, { recursive: true });
  if (rangeAudio !== null) {
    const input = await rangeAudio.finish();
    if (input === null) return { ...none, warnings: [RANGE_TOO_LONG] };
    const encoded = join(workFolder(deps, transcript), ENCODED_FILE);
    await deps.media.bleep({ input, output: encoded, spans: [], format: 'm4a', signal });
    await rename(encoded, join(folder, ENCODED_FILE));
    return { file: ENCODED_FILE, offset: rangeAudio.from, warnings: [] };
  }
  if (transcript.options.multichannel && info.audioStreams.length > 1) {
    // Players play the first track alone.
    const encoded = join(workFolder(deps, transcript), ENCODED_FILE);
    const { input } = source;
    await deps.media.bleep({ input, output: encoded, spans: [], format: 'm4a', tracks: 'all', signal });
    await rename(encoded, join(folder, ENCODED_FILE));
    return { ...none, file: ENCODED_FILE };
  }
  if (source.kind === 'upload' || source.input.kind !== 'file') return none;
  const file = `audio.${info.format.replaceAll(/\W/g, '')}`;
  await rename(source.input.path, join(folder, file));
  return { ...none, file };
};

const BYTES_PER_SAMPLE = 2;
/** Longer ranges are not kept for playback: an hour takes 115 MB, uncompressed, while the job runs. */
const MAX_SECONDS = 3 * 3600;
const FILE_NAME = /^range-(\d+)\.wav$/;

const toInt16 = (pcm: Float32Array): Buffer => {
  const samples = Int16Array.from(pcm, (value) => Math.round(Math.max(-1, Math.min(1, value)) * 32_767));
  return Buffer.from(samples.buffer);
};

/**
 * Collects the audio of a time range that is read from a server part by part, chunk by chunk while it is recognized,
 * because nothing else of it is on this machine. Each chunk has a fixed place in the file, so an interrupted job
 * continues with the same file.
 */
export class RangeAudio {
  readonly #path: string;
  /** Where this audio starts on the source's timeline; seconds. */
  readonly from: number;
  #bytes = 0;
  #isTooLong = false;

  private constructor(path: string, from: number) {
    this.#path = path;
    this.from = from;
  }

  /** Continues the file of an interrupted attempt if there is one in the folder, else starts one at `from`. */
  static async open(folder: string, from: number): Promise<RangeAudio> {
    await mkdir(folder, { recursive: true });
    const name = (await readdir(folder)).find((entry) => FILE_NAME.test(entry)) ?? '';
    const milliseconds = Number(FILE_NAME.exec(name)?.[1] ?? Math.floor(from * 1000));
    const path = join(folder, `range-${milliseconds}.wav`);
    await (await open(path, 'a', 0o600)).close();
    return new RangeAudio(path, milliseconds / 1000);
  }

  /** Writes a chunk and flushes it to the disk. */
  async write(chunk: AudioChunk): Promise<void> {
    if (chunk.end - this.from > MAX_SECONDS) this.#isTooLong = true;
    if (this.#isTooLong) return;
    const at = toSamples(chunk.start - this.from) * BYTES_PER_SAMPLE;
    const samples = toInt16(chunk.pcm);
    const file = await open(this.#path, 'r+');
    try {
      await file.write(samples, 0, samples.length, WAV_HEADER_BYTES + at);
      await file.datasync();
    } finally {
      await file.close();
    }
    this.#bytes = Math.max(this.#bytes, at + samples.length);
  }

  /** Completes the WAV file; null if the range is too long to keep, or empty. */
  async finish(): Promise<MediaInput | null> {
    if (this.#isTooLong || this.#bytes === 0) return null;
    const file = await open(this.#path, 'r+');
    try {
      await file.write(wavHeader(this.#bytes), 0, WAV_HEADER_BYTES, 0);
    } finally {
      await file.close();
    }
    return { kind: 'file', path: this.#path };
  }
}

/** Audio that can be read again after recognition. */
export type Recording = {
  readonly input: MediaInput;
  /** Where the playback audio starts on the transcript's timeline; seconds. */
  readonly offset: number;
  /** Seconds to add to a time of the input to get that of the transcript. */
  readonly shift: number;
  /** The part of the input that the transcript covers; absent: all of it. */
  readonly range?: { readonly start: number; readonly end: number | null };
};

type RequestedRange = Pick<Transcript, 'audioStartFrom' | 'audioEndAt'>;

const wholeOrRange = (
  input: MediaInput,
  { audioStartFrom: start, audioEndAt: end }: RequestedRange,
): Recording =>
  start === 0 && end === 0
    ? { input, offset: 0, shift: 0 }
    : { input, offset: start, shift: 0, range: { start, end: end === 0 ? null : end } };

/** The audio that a job has just recognized; null if a range was too long to collect. */
export const recognizedRecording = async (
  transcript: RequestedRange,
  input: MediaInput,
  rangeAudio: RangeAudio | null,
): Promise<Recording | null> => {
  if (rangeAudio === null) return wholeOrRange(input, transcript);
  const file = await rangeAudio.finish();
  return file && { input: file, offset: rangeAudio.from, shift: rangeAudio.from };
};

/** The audio that a finished transcript plays; null if there is none on this machine. */
export const playedRecording = async (
  deps: Pick<PipelineDeps, 'files' | 'paths'>,
  transcript: Transcript,
): Promise<Recording | null> => {
  const { audioFile, audioOffset, fileId } = transcript;
  if (audioFile !== null) {
    const path = join(transcriptFolder(deps, transcript.id), audioFile);
    return { input: { kind: 'file', path }, offset: audioOffset, shift: audioOffset };
  }
  const file = fileId === null ? undefined : await deps.files.locate(fileId);
  return file === undefined ? null : wholeOrRange(await localFile(file.path, file.name), transcript);
};
