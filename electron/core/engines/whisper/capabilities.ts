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

/**
 * What the models of a family have in common. Whisper encodes windows of 30 s, at the same cost however full they are. The
 * attention of Parakeet models grows with the square of the audio's length, and a longer chunk gives them no better text:
 * see "Length of chunks" in docs/performance.md.
 */
const FAMILIES = {
  whisper: {
    detectsLanguage: true,
    takesLanguage: true,
    translates: true,
    prompt: true,
    temperature: true,
    maxChunkSeconds: 29.5,
    wordTimes: 'estimated',
  },
  parakeet: {
    detectsLanguage: false,
    takesLanguage: false,
    translates: false,
    prompt: false,
    temperature: false,
    maxChunkSeconds: 29.5,
    wordTimes: 'exact',
  },
} as const satisfies Record<ModelFacts['family'], Omit<Capabilities, 'onlyLanguage'>>;

export const capabilitiesOf = ({
  family,
  multilingual,
}: Pick<ModelFacts, 'family' | 'multilingual'>): Capabilities => {
  const common = FAMILIES[family];
  // A model for one language needs no detection, and has nothing to translate from.
  return multilingual
    ? { ...common, onlyLanguage: null }
    : { ...common, onlyLanguage: 'en', detectsLanguage: true, translates: false };
};
