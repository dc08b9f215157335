import { z } from 'zod';

/** A number from native code. Unlike `z.number()`, accepts NaN and infinities. */
const Float = z.custom<number>((value) => typeof value === 'number');

/** The facts in a model file's header. */
export const ModelFacts = z.object({
  family: z.enum(['whisper', 'parakeet']),
  /** `tiny`, `base.en`, `large-v3-turbo`, `parakeet-tdt-0.6b-v3`, … by its shape, or `custom`. */
  type: z.string(),
  /** The type of its large matrices: `f16`, `q5_1`, … */
  quantization: z.string(),
  multilingual: z.boolean(),
  /** Every language code that the model knows. */
  languages: z.array(z.string()),
  vocabulary: Float,
  audioLayers: Float,
  textLayers: Float,
  melBands: Float,
  /** Bytes. */
  fileSize: Float,
});
export type ModelFacts = z.output<typeof ModelFacts>;

/** How the addon loads a model. */
export type ModelOptions = {
  /** Default: yes. */
  useGpu?: boolean;
};

/** A name or term to prefer while decoding, written exactly like this; the weight is from 0 to 10. */
export type PreferredTerm = { readonly term: string; readonly weight: number };

/** An attention head of the decoder. */
export type AlignmentHead = { readonly layer: number; readonly head: number };

/** Decoding options. The defaults are whisper.cpp's; the addon checks the ranges. */
export type TranscribeParams = {
  /** A language code, or `auto`. */
  language?: string;
  /** Write English, whatever language is spoken. */
  translate?: boolean;
  threads?: number;
  /** 1 decodes greedily (default); at most 8. */
  beamSize?: number;
  /** Candidates at a temperature above 0; at most 8. */
  bestOf?: number;
  temperature?: number;
  /** Step of the fallback temperatures; 0 disables the fallback. */
  temperatureIncrement?: number;
  /** A window whose last tokens have a lower entropy is decoded again at the next temperature. */
  entropyThreshold?: number;
  /** A window with a lower mean log probability is decoded again at the next temperature. */
  logprobThreshold?: number;
  noSpeechThreshold?: number;
  /** Text that the model takes for what was said before; at most 4,096 bytes. */
  initialPrompt?: string;
  /** Give the prompt to every window instead of the first alone. */
  carryInitialPrompt?: boolean;
  /** Tokens of earlier text given to the next window: 0 prevents repetition loops, -1 gives as many as fit. */
  maxContext?: number;
  /** Encoder positions to compute; 0 for all (default). With fewer, models repeat and lose sentences. */
  audioContext?: number;
  suppressBlank?: boolean;
  suppressNonSpeech?: boolean;
  /** Names and terms that may occur; no effect on models of other families. At most 1,000. */
  vocabulary?: readonly PreferredTerm[];
  /** Times of every token (on by default). */
  tokenTimes?: boolean;
  /** Take the times of tokens from the model's attention, if it can (off by default); no effect on other families. */
  alignWords?: boolean;
  /**
   * Where the audio has speech, in order; seconds. No word is aligned outside of it, and a window whose text ends before its speech
   * does is continued behind its last word.
   */
  speech?: readonly { readonly start: number; readonly end: number }[];
  /** The attention heads to align with; default: those known for the model. At most 32. */
  alignmentHeads?: readonly AlignmentHead[];
};

export const WhisperToken = z.object({
  id: Float,
  /** Whole characters only: one that is spread over several tokens belongs to the last of them. */
  text: z.string(),
  probability: Float,
  /** Seconds from the start of the given audio; null without token times. */
  start: Float.nullable(),
  end: Float.nullable(),
  /** A control token such as a timestamp, not a part of the text. */
  special: z.boolean(),
});
export type WhisperToken = z.output<typeof WhisperToken>;

export const WhisperSegment = z.object({
  start: Float,
  end: Float,
  text: z.string(),
  noSpeechProbability: Float,
  /** Mean log probability of the text's tokens. */
  averageLogprob: Float,
  tokens: z.array(WhisperToken),
  /** Whether the times of its tokens come from the model's attention. */
  aligned: z.boolean(),
});
export type WhisperSegment = z.output<typeof WhisperSegment>;

export const WhisperResult = z.object({
  segments: z.array(WhisperSegment),
  /** The language given or detected; `auto` if the model recognizes several and cannot tell which. */
  language: z.string(),
  /** Every known language's probability, likeliest first; null if the language was given. */
  languageProbabilities: z.record(z.string(), Float).nullable(),
});
export type WhisperResult = z.output<typeof WhisperResult>;

export const LanguageGuess = z.object({
  language: z.string(),
  probabilities: z.record(z.string(), Float),
});
export type LanguageGuess = z.output<typeof LanguageGuess>;

export const SystemInfo = z.object({
  /** whisper.cpp's version. */
  version: z.string(),
  /** The processor features that the engine uses, as whisper.cpp prints them. */
  features: z.string(),
  devices: z.array(
    z.object({ name: z.string(), description: z.string(), kind: z.enum(['cpu', 'gpu', 'accelerator']) }),
  ),
});
export type SystemInfo = z.output<typeof SystemInfo>;
