import type { RecognitionCheckpoint, StreamCheckpoint, Transcript } from '../stores/codecs.ts';

/** What is recognized: the same audio, cut into the same streams, by the same model. */
export type Recognized = {
  readonly source: string;
  readonly model: string;
  readonly streams: number;
};

/** The checkpoint from which recognition can continue: the saved one if it belongs to the same audio and model. */
export const matchingCheckpoint = (
  { checkpoint }: Pick<Transcript, 'checkpoint'>,
  { source, model, streams }: Recognized,
): RecognitionCheckpoint | undefined =>
  checkpoint?.kind === 'recognition' &&
  checkpoint.source === source &&
  checkpoint.model === model &&
  checkpoint.streams.length === streams
    ? checkpoint
    : undefined;

export const firstCheckpoint = (
  at: number,
  { source, model, streams }: Recognized,
): RecognitionCheckpoint => ({
  kind: 'recognition',
  source,
  streams: Array.from({ length: streams }, () => ({ chunk: 0, at, crashes: {} })),
  segments: 0,
  language: null,
  languageConfidence: null,
  model,
});

/** The crash counts that still matter once all chunks before `chunk` are saved. */
export const crashesFrom = (
  crashes: StreamCheckpoint['crashes'],
  chunk: number,
): StreamCheckpoint['crashes'] =>
  Object.fromEntries(Object.entries(crashes).filter(([index]) => Number(index) >= chunk));

/** The checkpoint with the place of one stream changed. */
export const withStream = (
  checkpoint: RecognitionCheckpoint,
  stream: number,
  change: Partial<StreamCheckpoint>,
): RecognitionCheckpoint => ({
  ...checkpoint,
  streams: checkpoint.streams.map((place, index) => (index === stream ? { ...place, ...change } : place)),
});

/** The position up to which any stream is recognized; seconds on the source's timeline. */
export const furthest = ({ streams }: Pick<RecognitionCheckpoint, 'streams'>): number =>
  Math.max(...streams.map(({ at }) => at));
