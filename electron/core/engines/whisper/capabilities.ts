import { clamp } from '../../base/numbers.ts';
import type { ModelHeader } from './model-header.ts';
import type { ModelFacts } from './types.ts';

/** What a model can do: all that the pipeline knows of it. */
export type Capabilities = {
  /** The code of the one language that it transcribes; null if there are several. */
  readonly onlyLanguage: string | null;
  /** Whether it finds out which language is spoken. */
  readonly detectsLanguage: boolean;
  /** Whether it keeps to the language that it is told; else it may drift into another one. */
  readonly takesLanguage: boolean;
  /** Whether it writes English whatever language is spoken. */
  readonly translates: boolean;
  /** Whether text given beforehand guides it. */
  readonly prompt: boolean;
  /** Whether another temperature makes it write another text. */
  readonly temperature: boolean;
  /** A chunk for it ends at the last silence before this; seconds. */
  readonly maxChunkSeconds: number;
  /** How its words' times come about: estimated after the text, or written with it. */
  readonly wordTimes: 'estimated' | 'exact';
};

/** What the models of a family have in common. */
const FAMILIES = {
  whisper: {
    detectsLanguage: true,
    takesLanguage: true,
    translates: true,
    prompt: true,
    temperature: true,
    wordTimes: 'estimated',
  },
  parakeet: {
    detectsLanguage: false,
    takesLanguage: false,
    translates: false,
    prompt: false,
    temperature: false,
    wordTimes: 'exact',
  },
} as const satisfies Record<ModelFacts['family'], Omit<Capabilities, 'onlyLanguage' | 'maxChunkSeconds'>>;

/** Whisper encodes windows of 30 s, at the same cost however full they are. */
const WINDOW_SECONDS = 29.5;
/** Text appears, and is saved, at least this often. */
const MAX_SECONDS = 240;
/** What the largest tensor of a chunk may take; all of them take about twice as much. */
const MAX_CHUNK_BYTES = 100e6;

/**
 * Models of the Parakeet family recognize a few more words the longer a chunk is (docs/decisions/008-chunks-at-silences.md),
 * and take memory for each of its seconds ("Length of chunks" in docs/performance.md).
 */
const maxChunkSeconds = ({ bytesPerSecond }: ModelHeader): number =>
  bytesPerSecond === undefined
    ? WINDOW_SECONDS
    : clamp(Math.floor(MAX_CHUNK_BYTES / bytesPerSecond), WINDOW_SECONDS, MAX_SECONDS);

export const capabilitiesOf = (header: ModelHeader): Capabilities => {
  const common = { ...FAMILIES[header.family], maxChunkSeconds: maxChunkSeconds(header) };
  // A model for one language needs no detection, and has nothing to translate from.
  return header.multilingual
    ? { ...common, onlyLanguage: null }
    : { ...common, onlyLanguage: 'en', detectsLanguage: true, translates: false };
};
