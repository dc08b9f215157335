import type { RecognitionCheckpoint } from '../stores/codecs.ts';
import type { Transcript } from '../stores/transcript-record.ts';

/** The checkpoint from which recognition can continue: the saved one if it belongs to this audio and model. */
export const matchingCheckpoint = (
  { checkpoint }: Pick<Transcript, 'checkpoint'>,
  source: string,
  model: string,
): RecognitionCheckpoint | undefined =>
  checkpoint?.kind === 'recognition' && checkpoint.source === source && checkpoint.model === model
    ? checkpoint
    : undefined;

export const firstCheckpoint = (at: number, source: string, model: string): RecognitionCheckpoint => ({
  kind: 'recognition',
  source,
  chunk: 0,
  at,
  segments: 0,
  language: null,
  languageConfidence: null,
  model,
  crashes: {},
});

/** The crash counts that still matter once all chunks before `chunk` are saved. */
export const crashesFrom = (
  crashes: RecognitionCheckpoint['crashes'],
  chunk: number,
): RecognitionCheckpoint['crashes'] =>
  Object.fromEntries(Object.entries(crashes).filter(([index]) => Number(index) >= chunk));
