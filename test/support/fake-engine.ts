import { SAMPLE_RATE } from '../../electron/core/base/audio.ts';
import type { AudioChunk, Span } from '../../electron/core/engines/ffmpeg/types.ts';
import { capabilitiesOf } from '../../electron/core/engines/whisper/capabilities.ts';
import type {
  DetectLanguageRequest,
  TranscribeRequest,
  WhisperEngine,
} from '../../electron/core/engines/whisper/engine.ts';
import type {
  LanguageGuess,
  WhisperResult,
  WhisperSegment,
} from '../../electron/core/engines/whisper/types.ts';
import { without } from '../../electron/core/pipeline/recognition/speech-map.ts';

/** What models of the two families can do, those for several languages. */
export const WHISPER = capabilitiesOf({ family: 'whisper', multilingual: true });
export const PARAKEET = capabilitiesOf({ family: 'parakeet', multilingual: true });

/** A chunk of audio in which each sample is its own index, and all but `silences` is speech. */
export const chunkOf = ({
  index = 0,
  start = 0,
  seconds = 4,
  silences = [],
}: Partial<Pick<AudioChunk, 'index' | 'start'>> & {
  readonly seconds?: number;
  readonly silences?: readonly Span[];
} = {}): AudioChunk => ({
  index,
  start,
  end: start + seconds,
  pcm: Float32Array.from({ length: Math.round(seconds * SAMPLE_RATE) }, (_, sample) => sample),
  speech: without({ start, end: start + seconds }, silences),
  peaks: { min: new Int8Array(seconds * 20), max: new Int8Array(seconds * 20) },
});

/** An engine's segment of one token a word, with the time shared out evenly. */
export const whisperSegment = (
  text: string,
  { start = 0, end = 2, ...rest }: Partial<WhisperSegment> = {},
): WhisperSegment => {
  const words = text.split(' ');
  const step = (end - start) / words.length;
  return {
    start,
    end,
    text,
    noSpeechProbability: 0.01,
    averageLogprob: -0.1,
    tokens: words.map((word, index) => ({
      id: index,
      text: ` ${word}`,
      probability: 0.9,
      start: start + index * step,
      end: start + (index + 1) * step,
      special: false,
    })),
    aligned: false,
    ...rest,
  };
};

export const whisperResult = (...segments: WhisperSegment[]): WhisperResult => ({
  segments,
  language: 'en',
  languageProbabilities: null,
});

/** Answers each request with `transcribe`, and records what it was asked. */
export class FakeEngine implements WhisperEngine {
  readonly workerPid = undefined;
  readonly isStalled = false;
  readonly requests: TranscribeRequest[] = [];
  readonly detections: DetectLanguageRequest[] = [];
  readonly concurrency: number;
  readonly #transcribe: (request: TranscribeRequest, call: number) => WhisperResult | Promise<WhisperResult>;

  constructor(
    transcribe: (request: TranscribeRequest, call: number) => WhisperResult | Promise<WhisperResult>,
    concurrency = 1,
  ) {
    this.#transcribe = transcribe;
    this.concurrency = concurrency;
  }

  async transcribe(request: TranscribeRequest): Promise<WhisperResult> {
    // With a copy of the sound, as the real one gets it in another process.
    const call = this.requests.push({ ...request, pcm: request.pcm.slice() }) - 1;
    // The real one, in another process, never calls back before it has returned its promise.
    await null;
    return this.#transcribe(request, call);
  }

  async detectLanguage(request: DetectLanguageRequest): Promise<LanguageGuess> {
    this.detections.push(request);
    return { language: 'de', probabilities: { de: 0.8, en: 0.1 } };
  }

  /** Everything is speech. */
  async speechProbabilities({ pcm }: { readonly pcm: Float32Array }): Promise<Float32Array> {
    return new Float32Array(Math.ceil(pcm.length / 512)).fill(1);
  }

  async probe(): Promise<never> {
    throw new Error('The fake engine has no addon.');
  }

  async modelFacts(): Promise<never> {
    throw new Error('The fake engine reads no models.');
  }

  async close(): Promise<void> {}
}
