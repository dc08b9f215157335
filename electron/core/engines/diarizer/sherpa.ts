import { createRequire } from 'node:module';

/** The part of `sherpa-onnx-node` that we use; the package has no types of its own. */
export type Sherpa = {
  readonly OfflineSpeakerDiarization: new (config: {
    segmentation: { pyannote: { model: string; windowShiftRatio?: number }; numThreads: number };
    embedding: { model: string; numThreads: number };
    clustering: { numClusters: number; threshold: number };
    minDurationOn: number;
    minDurationOff: number;
  }) => {
    process(samples: Float32Array): { start: number; end: number; speaker: number }[];
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
