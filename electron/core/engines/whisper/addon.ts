import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { VulkanDevice } from './devices/types.ts';
import type {
  LanguageGuess,
  ModelFacts,
  ModelOptions,
  SystemInfo,
  TranscribeParams,
  WhisperResult,
} from './types.ts';

/** Callbacks of a transcription. */
export type TranscribeListeners = {
  /** 0 to 100, never falling. */
  onProgress?: (percent: number) => void;
  /** The language, if it was to be detected: called once, before decoding starts. */
  onLanguage?: (guess: LanguageGuess) => void;
};

export type NativeJob<Result> = {
  /** Rejects with an Error whose `code` is one of {@link NativeErrorCode}. */
  promise: Promise<Result>;
  /** Asks the job to stop; it does so after the current encoder run, decoding step or 8 s of detection. */
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
  transcribe(
    pcm: Float32Array,
    params: TranscribeParams,
    listeners?: TranscribeListeners,
  ): NativeJob<WhisperResult>;
  detectLanguage(
    pcm: Float32Array,
    params?: Pick<TranscribeParams, 'threads' | 'audioContext'>,
  ): Promise<LanguageGuess>;
  free(): Promise<void>;
};

/** A loaded speech detector. Its memory is freed with this object. */
export type NativeSpeechDetector = {
  /** One probability for each 512 samples; jobs wait for each other. */
  speechProbabilities(pcm: Float32Array): NativeJob<Float32Array>;
};

/** The addon's functions. Audio is always mono at 16 kHz, samples within -1 to 1. */
export type NativeAddon = {
  loadBackends(folder: string): void;
  /** Loads the Vulkan library and opens its best device; models loaded from then on may use it. */
  loadVulkan(library: string): Promise<VulkanDevice>;
  loadModel(path: string, options?: ModelOptions): Promise<NativeModel>;
  /** Loads Silero VAD from a file in whisper.cpp's format. */
  loadSpeechDetector(path: string): Promise<NativeSpeechDetector>;
  /** Checks a whole file without loading it. */
  inspectModel(path: string): Promise<ModelFacts>;
  systemInfo(): SystemInfo;
};

/** Loads the addon into this process, which it can crash: call it in worker and throwaway processes only. */
export const loadAddon = (path: string): NativeAddon => {
  const addon: NativeAddon = createRequire(import.meta.url)(path);
  addon.loadBackends(dirname(path));
  return addon;
};
