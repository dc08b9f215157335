import { SAMPLE_RATE } from '../../../../electron/core/base/audio.ts';
import { AppError } from '../../../../electron/core/base/errors.ts';
import type { TranscribeRequest } from '../../../../electron/core/engines/whisper/engine.ts';
import type { WhisperResult } from '../../../../electron/core/engines/whisper/types.ts';
import { type LiveEvent, LiveRecognizer } from '../../../../electron/core/pipeline/live/live-recognizer.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { FakeEngine, WHISPER, whisperResult } from '../../../support/fake-engine.ts';

/** Seconds of each word, and of the sound in it that suffices to hear it. */
const WORD_SECONDS = 0.4;
const HEARD_SECONDS = 0.3;
/** Loud enough to be passed on as it is. */
const BASE = 0.2;
const STEP = 0.001;

const samplesOf = (seconds: number): number => Math.round(seconds * SAMPLE_RATE);

/** Audio in which word number n is a constant of its own: what the engine below "hears". Numbers are words, `-1` is a second of silence. */
export const spoken = (parts: readonly number[]): Float32Array => {
  const sounds = parts.map((part) =>
    part < 0
      ? new Float32Array(samplesOf(-part))
      : new Float32Array(samplesOf(WORD_SECONDS)).fill(BASE + part * STEP),
  );
  const pcm = new Float32Array(sounds.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const sound of sounds) {
    pcm.set(sound, at);
    at += sound.length;
  }
  return pcm;
};

export const wordOf = (number: number): string => `word${number}`;

type Heard = { readonly text: string; readonly start: number; end: number };

const wordsIn = (pcm: Float32Array): Heard[] => {
  const heard: { number: number; start: number; end: number }[] = [];
  for (const [index, sample] of pcm.entries()) {
    if (sample < BASE - STEP) continue;
    const number = Math.round((sample - BASE) / STEP);
    const last = heard.at(-1);
    if (last?.number === number) last.end = index + 1;
    else heard.push({ number, start: index, end: index + 1 });
  }
  return heard.map(({ number, start, end }) => ({
    // What is cut off is heard as something else, with the sign that ends a sentence.
    text: end - start >= samplesOf(HEARD_SECONDS) ? wordOf(number) : `cut${number}.`,
    start: start / SAMPLE_RATE,
    end: end / SAMPLE_RATE,
  }));
};

const resultOf = (words: readonly Heard[]): WhisperResult => {
  const [first] = words;
  if (first === undefined) return whisperResult();
  return whisperResult({
    start: first.start,
    end: words.at(-1)?.end ?? first.end,
    text: words.map(({ text }) => text).join(' '),
    noSpeechProbability: 0,
    averageLogprob: -0.1,
    aligned: true,
    tokens: words.map(({ text, start, end }, id) => ({
      ...{ id, text: ` ${text}`, probability: 0.9, start, end, special: false },
    })),
  });
};

/** Hears the words of `spoken`, and speech where there is sound. */
export class HearingEngine extends FakeEngine {
  constructor(before: (request: TranscribeRequest, call: number) => Promise<void> | void = () => {}) {
    super(async (request, call) => {
      await before(request, call);
      return resultOf(wordsIn(request.pcm));
    });
  }

  override async speechProbabilities({ pcm }: { readonly pcm: Float32Array }): Promise<Float32Array> {
    return Float32Array.from({ length: Math.ceil(pcm.length / 512) }, (_, frame) =>
      (pcm[frame * 512 + 256] ?? 0) > 0.01 ? 1 : 0,
    );
  }
}

export const engineCrash = (): AppError => new AppError('engine_crashed', 'The engine went down.');

export const recognizerOf = ({
  engine = new HearingEngine(),
  clock = new FakeClock(),
  pause = 0.7,
}: {
  readonly engine?: FakeEngine;
  readonly clock?: FakeClock;
  readonly pause?: number;
} = {}) => {
  const events: LiveEvent[] = [];
  const recognizer = new LiveRecognizer({
    engine,
    model: { path: 'model', capabilities: WHISPER },
    speechModel: 'detector',
    clock,
    recognition: { language: 'en', translate: false, wordTimes: 'aligned', beamSize: () => 5 },
    pause,
    signal: new AbortController().signal,
    onEvent: (event) => events.push(event),
  });
  return { events, recognizer };
};

/** Speaks to a recognizer, `blockSeconds` at a time, with the clock going as fast as the speech. */
export const speak = async (
  parts: readonly number[],
  {
    engine = new HearingEngine(),
    clock = new FakeClock(),
    blockSeconds = 0.1,
    ...options
  }: Parameters<typeof recognizerOf>[0] & { readonly blockSeconds?: number } = {},
) => {
  const { events, recognizer } = recognizerOf({ engine, clock, ...options });
  const pcm = spoken(parts);
  const block = samplesOf(blockSeconds);
  for (let at = 0; at < pcm.length; at += block) {
    recognizer.push(pcm.subarray(at, at + block));
    await clock.advance(blockSeconds * 1000);
  }
  let isDone = false;
  const flushed = recognizer.flush().then(() => {
    isDone = true;
  });
  while (!isDone) await clock.advance(1000);
  await flushed;
  const committed = events.flatMap((event) => (event.type === 'committed' ? event.words : []));
  return { events, committed, texts: committed.map(({ word }) => word), engine, recognizer };
};
