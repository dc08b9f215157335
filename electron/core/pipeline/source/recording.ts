import { join } from 'node:path';
import { localFile } from '../../engines/ffmpeg/local-file.ts';
import type { MediaInput } from '../../engines/ffmpeg/types.ts';
import type { Transcript } from '../../stores/transcript-record.ts';
import type { PipelineDeps } from '../deps.ts';
import { transcriptFolder } from './playback-audio.ts';
import type { RangeAudio } from './range-audio.ts';

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
