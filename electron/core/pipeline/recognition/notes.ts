import { type StoredWarning, warningOf } from '../../../contract/warnings.ts';
import { formatClock } from '../../base/time.ts';
import type { Span } from '../../engines/ffmpeg/types.ts';

/** What happened to speech that a reader should look at, and where on the source's timeline. */
export type RecognitionNote = Span & {
  /**
   * No words were found for it, words were removed that came faster than anybody speaks, another language was recognized than was
   * asked for, or the engine was sure of words that the vocabulary names as a mishearing.
   */
  readonly kind: 'unrecognized' | 'repeated' | 'language' | 'sure';
  /** That which was heard. */
  readonly language?: string | undefined;
};

/** Most places that a warning names. */
const MAX_PLACES = 10;

const placesOf = (notes: readonly RecognitionNote[]): string => {
  const places = notes.slice(0, MAX_PLACES).map(({ start }) => formatClock(start));
  return places.join(', ') + (notes.length > MAX_PLACES ? ', …' : '');
};

/** Warnings that name what is not in the text, or may be wrong in it, and where. */
export const noteWarnings = (notes: readonly RecognitionNote[] = []): StoredWarning[] => {
  const unrecognized = notes.filter(({ kind }) => kind === 'unrecognized');
  const repeated = notes.filter(({ kind }) => kind === 'repeated');
  const foreign = notes.filter(({ kind }) => kind === 'language');
  const sure = notes.filter(({ kind }) => kind === 'sure');
  const seconds = Math.round(unrecognized.reduce((sum, { start, end }) => sum + end - start, 0));
  return [
    ...(unrecognized.length === 0
      ? []
      : [warningOf('speech_not_recognized', { seconds, places: placesOf(unrecognized) })]),
    ...(repeated.length === 0 ? [] : [warningOf('repetition_removed', { places: placesOf(repeated) })]),
    ...[...new Set(foreign.map(({ language = 'und' }) => language))].map((language) =>
      warningOf('other_language', {
        language,
        places: placesOf(foreign.filter((note) => note.language === language)),
      }),
    ),
    ...(sure.length === 0 ? [] : [warningOf('mishearing_kept', { places: placesOf(sure) })]),
  ];
};
