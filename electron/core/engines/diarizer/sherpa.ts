import { createRequire } from 'node:module';
import { SAMPLE_RATE } from '../../base/audio.ts';
import { onnxMetadata } from './onnx-header.ts';
import { FRAME } from './recording-diarizer.ts';
import type { DiarizationModels, SpeakerTurn } from './tasks.ts';

/** The part of `sherpa-onnx-node` that we use; the package has no types of its own. */
export type Sherpa = {
  readonly OfflineSpeakerDiarization: new (config: {
    segmentation: { pyannote: { model: string }; numThreads: number };
    embedding: { model: string; numThreads: number };
    clustering: { numClusters: number; threshold: number };
    minDurationOn: number;
    minDurationOff: number;
  }) => {
    process(samples: Float32Array): SpeakerTurn[];
  };
  readonly SpeakerEmbeddingExtractor: new (config: {
    model: string;
    numThreads: number;
  }) => {
    createStream(): {
      acceptWaveform(sound: { samples: Float32Array; sampleRate: number }): void;
      inputFinished(): void;
    };
    compute(stream: object, enableExternalBuffer: boolean): Float32Array;
  };
};

/** Loads the native library: call it in the worker process only. */
export const loadSherpa = (): Sherpa => createRequire(import.meta.url)('sherpa-onnx-node');

const THREADS = 1;

/** Both models of diarization, loaded. */
export type SpeakerEngine = {
  /** The length of the segmentation's window, in frames. */
  readonly windowFrames: number;
  /** Who speaks when within a window at most; seconds. Speakers may overlap, and have numbers of their own in each window. */
  turnsIn(window: Float32Array): readonly SpeakerTurn[];
  /** Embeds the voice in consecutive parts of sound. */
  embed(parts: readonly Float32Array[]): Float32Array;
};

/**
 * sherpa-onnx offers the segmentation only within its diarization. It neither embeds nor clusters sound that fits into one
 * window, so that calls with single windows are the segmentation alone.
 */
export const loadSpeakerEngine = async (
  sherpa: Sherpa,
  { segmentation, embedding }: Pick<DiarizationModels, 'segmentation' | 'embedding'>,
): Promise<SpeakerEngine> => {
  const windowSamples = Number((await onnxMetadata(segmentation))?.get('window_size'));
  if (!(windowSamples > 0)) throw new Error('The segmentation model does not name its window.');
  const diarization = new sherpa.OfflineSpeakerDiarization({
    segmentation: { pyannote: { model: segmentation }, numThreads: THREADS },
    embedding: { model: embedding, numThreads: THREADS },
    clustering: { numClusters: -1, threshold: 0.5 },
    minDurationOn: 0,
    minDurationOff: 0,
  });
  const extractor = new sherpa.SpeakerEmbeddingExtractor({ model: embedding, numThreads: THREADS });
  return {
    windowFrames: Math.floor(windowSamples / FRAME),
    turnsIn: (window) => diarization.process(window),
    embed: (parts) => {
      const stream = extractor.createStream();
      for (const samples of parts) stream.acceptWaveform({ samples, sampleRate: SAMPLE_RATE });
      stream.inputFinished();
      // Electron forbids external buffers.
      return extractor.compute(stream, false);
    },
  };
};
