import { warningText } from '../../../contract/warnings.ts';
import { formatClock } from '../../base/time.ts';
import type { Span } from '../../engines/ffmpeg/types.ts';

/** What happened to speech that a reader should look at, and where on the source's timeline. */
export type RecognitionNote = Span & {
  /** No words were found for it, or words were removed that came faster than anybody speaks. */
  readonly kind: 'unrecognized' | 'repeated';
};

/** Most places that a warning names. */
const MAX_PLACES = 10;

const placesOf = (notes: readonly RecognitionNote[]): string => {
  const places = notes.slice(0, MAX_PLACES).map(({ start }) => formatClock(start));
  return places.join(', ') + (notes.length > MAX_PLACES ? ', …' : '');
};

/** Warnings that name what is not in the text, and where. */
export const noteWarnings = (notes: readonly RecognitionNote[] = []): string[] => {
  const unrecognized = notes.filter(({ kind }) => kind === 'unrecognized');
  const repeated = notes.filter(({ kind }) => kind === 'repeated');
  const seconds = Math.round(unrecognized.reduce((sum, { start, end }) => sum + end - start, 0));
  return [
    ...(unrecognized.length === 0
      ? []
      : [warningText('speech_not_recognized', { seconds, places: placesOf(unrecognized) })]),
    ...(repeated.length === 0 ? [] : [warningText('repetition_removed', { places: placesOf(repeated) })]),
  ];
};
