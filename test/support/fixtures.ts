import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AUDIO_FIXTURES } from './paths.ts';

export const fixturePath = (name: string): string => join(AUDIO_FIXTURES, name);
export const fixture = (name: string): Buffer => readFileSync(fixturePath(name));

export type Truth = {
  readonly file: string;
  readonly duration: number;
  readonly language: string | null;
  readonly text: string;
  readonly sentences: readonly { start: number; end: number; speaker: string; text: string }[];
};

/** What is really said in a recording. */
export const truth = (name: string): Truth =>
  JSON.parse(readFileSync(fixturePath(name.replace(/\.\w+$/, '.json')), 'utf8'));

/** The first sentence of `01-short-note.wav`, for tests to which the words do not matter. */
export const ONE_SENTENCE = '00-one-sentence.wav';

/** The recordings in English with a JSON file of what is said. */
export const ENGLISH_RECORDINGS = [
  '01-short-note.wav',
  '02-two-speakers.mp3',
  '03-three-speakers.flac',
  '04-personal-data.m4a',
  '08-meeting-4min.mp3',
  '11-news-and-entities.wav',
  '12-moderation.webm',
  '13-long-pause.wav',
] as const;

/** Without the meeting, which takes as long as all the others. */
export const SHORT_ENGLISH_RECORDINGS = ENGLISH_RECORDINGS.filter((name) => name !== '08-meeting-4min.mp3');

/** The recordings with a JSON file of what is said. */
export const RECORDINGS = [
  '01-short-note.wav',
  '02-two-speakers.mp3',
  '03-three-speakers.flac',
  '04-personal-data.m4a',
  '05-spanish.ogg',
  '06-german.webm',
  '07-french-video.mp4',
  '08-meeting-4min.mp3',
  '09-silence.wav',
  '10-noise.ogg',
  '11-news-and-entities.wav',
  '12-moderation.webm',
  '13-long-pause.wav',
] as const;
