import { createRequire } from 'node:module';
import { dirname } from 'node:path';

/** What a model file says about itself. */
export type ModelFacts = {
  /** `tiny`, `base.en`, `large-v3-turbo`, … by its shape, or `custom`. */
  type: string;
  /** The type of its large matrices: `f16`, `q5_1`, … */
  quantization: string;
  multilingual: boolean;
  /** Every language code the model can be asked for. */
  languages: string[];
  vocabulary: number;
  audioContext: number;
  audioState: number;
  audioHeads: number;
  audioLayers: number;
  textContext: number;
  textState: number;
  textHeads: number;
  textLayers: number;
  melBands: number;
  ftype: number;
  /** Bytes. */
  fileSize: number;
};

/** How a model is loaded; another choice is another load. */
export type ModelOptions = {
  useGpu?: boolean;
  gpuDevice?: number;
  /** On by default: about a third faster. DTW token times need it off. */
  flashAttention?: boolean;
  /** Alignment heads for DTW token times: a model's name, `auto` for this model's own, empty for none. */
  dtw?: string;
};

/** How one recording is recognised. What is left out has whisper.cpp's own default. */
export type TranscribeParams = {
  /** A language code, or `auto`. */
  language?: string;
  /** Write English, whatever is spoken. */
  translate?: boolean;
  threads?: number;
  /** 1 decodes greedily (default); up to 8. */
  beamSize?: number;
  /** Candidates at a temperature above 0; up to 8. */
  bestOf?: number;
  temperature?: number;
  /** Step of the fallback temperatures; 0 for no fallback. */
  temperatureIncrement?: number;
  /** A window whose last tokens' entropy is lower has got stuck, and is decoded again warmer. */
  entropyThreshold?: number;
  /** A window with a lower mean log probability is decoded again warmer. */
  logprobThreshold?: number;
  noSpeechThreshold?: number;
  lengthPenalty?: number;
  /** Seconds. */
  maxInitialTimestamp?: number;
  /** Text that the model believes to have come before; at most 4,096 bytes. */
  initialPrompt?: string;
  /** Give the prompt to every window, not to the first alone. */
  carryInitialPrompt?: boolean;
  /** Tokens of earlier text given to the next window: 0 stops repetition loops, -1 is the most possible. */
  maxContext?: number;
  /** Encoder positions to compute, 0 for all: faster and less exact. */
  audioContext?: number;
  suppressBlank?: boolean;
  suppressNonSpeech?: boolean;
  /** Times of every token (on by default). */
  tokenTimes?: boolean;
  singleSegment?: boolean;
  maxTokens?: number;
};

/** Speech detection by a Silero model in whisper.cpp's format. */
export type SpeechParams = {
  modelPath: string;
  threads?: number;
  threshold?: number;
  minSpeechMs?: number;
  minSilenceMs?: number;
  maxSpeechSeconds?: number;
  padMs?: number;
};

export type SpeechSpan = { start: number; end: number };

export type WhisperToken = {
  id: number;
  /** Whole characters only: one that is spread over several tokens stands at the last of them. */
  text: string;
  probability: number;
  /** Seconds from the start of the given audio; null without token times. */
  start: number | null;
  end: number | null;
  /** Seconds by the alignment heads; null where the model was loaded without them. */
  dtw: number | null;
  /** A mark such as a timestamp, not a part of the text. */
  special: boolean;
};

export type WhisperSegment = {
  start: number;
  end: number;
  text: string;
  noSpeechProbability: number;
  /** Mean log probability of the text's tokens. */
  averageLogprob: number;
  tokens: WhisperToken[];
};

export type WhisperResult = {
  segments: WhisperSegment[];
  /** The language given or detected. */
  language: string;
  /** Every known language's probability, likeliest first; null where the language was given. */
  languageProbabilities: Record<string, number> | null;
};

export type LanguageGuess = { language: string; probabilities: Record<string, number> };

/** What a job tells while it runs. */
export type JobListeners = {
  /** Never falls. */
  onProgress?: (percent: number) => void;
  /** Each segment once, in order. */
  onSegment?: (segment: WhisperSegment) => void;
  /** The language, where it was to be detected: before all segments. */
  onLanguage?: (guess: LanguageGuess) => void;
};

export type SystemInfo = {
  /** whisper.cpp's version. */
  version: string;
  /** The processor's features that the engine uses, as whisper.cpp prints them. */
  features: string;
  devices: { name: string; description: string; kind: 'cpu' | 'gpu' | 'accelerator' }[];
};

export type NativeJob = {
  /** Rejects with an Error whose `code` is one of {@link NativeErrorCode}. */
  promise: Promise<WhisperResult>;
  /** Asks the job to stop; it does so after the encoder run or the decoding step that it is in. */
  abort(): void;
};

export type NativeErrorCode =
  | 'invalid_argument'
  | 'model_invalid'
  | 'model_not_found'
  | 'model_closed'
  | 'aborted'
  | 'engine_failed'
  | 'out_of_memory';

/** A loaded model. Several jobs may run on it at once; it is not freed before the last has ended. */
export type NativeModel = {
  facts(): ModelFacts;
  transcribe(pcm: Float32Array, params: TranscribeParams, listeners?: JobListeners): NativeJob;
  detectLanguage(pcm: Float32Array, params?: { threads?: number }): Promise<LanguageGuess>;
  free(): Promise<void>;
};

/** The addon's functions. Audio is always mono at 16 kHz, samples within -1 to 1. */
export type NativeAddon = {
  loadBackends(folder: string): void;
  loadModel(path: string, options?: ModelOptions): Promise<NativeModel>;
  /** Checks a whole file without loading it. */
  inspectModel(path: string): Promise<ModelFacts>;
  detectSpeech(pcm: Float32Array, params: SpeechParams): Promise<SpeechSpan[]>;
  systemInfo(): SystemInfo;
};

/** Loads the addon into this process. Only ever in a worker or a throwaway process: it can take its host down. */
export const loadAddon = (path: string): NativeAddon => {
  const addon: NativeAddon = createRequire(import.meta.url)(path);
  addon.loadBackends(dirname(path));
  return addon;
};
