import { type StoredWarning, warningOf } from '../../../contract/warnings.ts';
import { languageOfText } from '../../analysis/language-of-text.ts';
import { toSamples } from '../../base/audio.ts';
import { formatClock } from '../../base/time.ts';
import type { PipelineModel } from '../deps.ts';
import { without } from './speech-map.ts';
import type { SpeechRegion } from './speech-regions.ts';
import type { RecognizedSegment } from './words.ts';

/** Fewer words may be a name or a title. */
const MIN_WORDS = 8;
/** A region is not cut into halves shorter than this; seconds. */
const MIN_HALF_SECONDS = 4;
/** Most places that the warning names. */
const MAX_PLACES = 10;

type Text = Pick<RecognizedSegment, 'text' | 'words'>;

/**
 * Whether a text is English that should be in `language`. Models of the Parakeet family, which take no language, drift into
 * English in the middle of another one.
 */
export const hasDrifted = async (segments: readonly Text[], language: string | null): Promise<boolean> => {
  if (language === null || language === 'auto' || language === 'en') return false;
  const words = segments.reduce((sum, segment) => sum + segment.words.length, 0);
  if (words < MIN_WORDS) return false;
  const detected = await languageOfText(segments.map(({ text }) => text).join(' '));
  return detected?.language === 'en';
};

const part = (region: SpeechRegion, start: number, end: number): SpeechRegion => ({
  start,
  end,
  pcm: region.pcm.subarray(toSamples(start - region.start), toSamples(end - region.start)),
  speech: region.speech.filter((span) => span.start < end && span.end > start),
});

/**
 * Cuts a region in the pause nearest to its middle, undefined if there is none: a model that has drifted comes back when
 * it begins anew.
 */
export const halvesOf = (region: SpeechRegion): [SpeechRegion, SpeechRegion] | undefined => {
  const middle = (region.start + region.end) / 2;
  const [cut] = without(region, region.speech)
    .map(({ start, end }) => (start + end) / 2)
    .filter((at) => at - region.start >= MIN_HALF_SECONDS && region.end - at >= MIN_HALF_SECONDS)
    .sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle));
  return cut === undefined ? undefined : [part(region, region.start, cut), part(region, cut, region.end)];
};

/** A warning that names where the text of a transcript is English in spite of its language. */
export const driftWarning = async (
  { id, capabilities }: Pick<PipelineModel, 'id' | 'capabilities'>,
  language: string | null,
  segments: readonly RecognizedSegment[],
): Promise<StoredWarning[]> => {
  if (capabilities.takesLanguage) return [];
  const places: string[] = [];
  for (const segment of segments) {
    if (places.length === MAX_PLACES) break;
    if (await hasDrifted([segment], language)) places.push(formatClock(segment.start));
  }
  if (places.length === 0) return [];
  return [
    warningOf('english_written', { model: id, places: places.join(', '), language: language ?? 'und' }),
  ];
};
