import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  loadAddon,
  type NativeAddon,
  type NativeModel,
} from '../../../electron/core/engines/whisper/addon.ts';
import type { LanguageGuess, WhisperResult } from '../../../electron/core/engines/whisper/types.ts';
import { testAddon } from '../../support/addon.ts';
import { truth } from '../../support/fixtures.ts';
import { STARTER_MODEL } from '../../support/paths.ts';
import { cut, firstSentences, fixturePcm } from '../../support/pcm.ts';
import { plainWords, wordErrorRate } from '../../support/word-error-rate.ts';

// Transcription is slow on a busy machine.
vi.setConfig({ testTimeout: 240_000 });

let addon: NativeAddon;
let model: NativeModel;

const textOf = (result: WhisperResult): string => result.segments.map(({ text }) => text).join('');
const beam = { beamSize: 5, maxContext: 0 };
const greedy = { beamSize: 1, maxContext: 0 };

const expectToRise = (percents: readonly number[]): void => {
  expect(percents).toEqual([...percents].sort((a, b) => a - b));
  expect(new Set(percents).size).toBe(percents.length);
  expect(percents.at(-1)).toBe(100);
  expect(percents.length).toBeGreaterThan(3);
};

/** Uses one thread: more would spin while other tests use the other cores. */
const transcribe = (...[pcm, params, listeners]: Parameters<NativeModel['transcribe']>) =>
  model.transcribe(pcm, { threads: 1, ...params }, listeners);

beforeAll(async () => {
  addon = loadAddon(await testAddon());
  model = await addon.loadModel(STARTER_MODEL);
});

afterAll(() => model.free());

describe('the addon', () => {
  it('reports its version, its devices and the processor features', () => {
    const system = addon.systemInfo();
    expect(system.version).toBe('1.9.1');
    expect(system.devices.map(({ kind }) => kind)).toContain('cpu');
    expect(system.features).not.toMatch(/OPENMP = 1|AMX\w* = 1/);
  });

  it('rejects arguments of the wrong type', async () => {
    const wrong: unknown = 'not audio';
    const pcm = cut(fixturePcm('01-short-note.wav'), 0, 1);
    const attempts: [unknown, unknown, RegExp][] = [
      [new Float32Array(0), {}, /audio is empty/],
      [wrong, {}, /Float32Array/],
      [undefined, {}, /Float32Array/],
      [new Float64Array(16_000), {}, /Float32Array/],
      [new Float32Array([0, Number.NaN, 0]), {}, /not numbers/],
      [pcm, { language: 'xx' }, /language 'xx'/],
      [pcm, { language: 'yue' }, /language 'yue'/],
      [pcm, { language: 5 }, /'language' must be a string/],
      [pcm, { threads: 0 }, /'threads'/],
      [pcm, { threads: 1.5 }, /whole number/],
      [pcm, { beamSize: 9 }, /'beamSize'/],
      [pcm, { temperature: Number.NaN }, /'temperature'/],
      [pcm, { audioContext: 1501 }, /'audioContext'/],
      [pcm, { initialPrompt: 'a'.repeat(5000) }, /'initialPrompt'/],
      [pcm, { translate: 'yes' }, /'translate' must be true or false/],
      [pcm, { speech: 'all' }, /'speech' must be a list/],
      [pcm, { speech: [{ start: 0.5, end: 0.2 }] }, /'end'/],
      [
        pcm,
        {
          speech: [
            { start: 0, end: 0.5 },
            { start: 0.4, end: 0.9 },
          ],
        },
        /'start'/,
      ],
    ];
    for (const [audio, params, message] of attempts) {
      const call = (): { promise: Promise<unknown> } =>
        Reflect.apply(model.transcribe, model, [audio, params]);
      await expect(call().promise).rejects.toThrow(message);
      await expect(call().promise).rejects.toMatchObject({ code: 'invalid_argument' });
    }
  });

  it('rejects every call after the model was freed, and can be freed twice', async () => {
    const other = await addon.loadModel(STARTER_MODEL);
    await other.free();
    const pcm = new Float32Array(16_000);
    await expect(other.transcribe(pcm, {}).promise).rejects.toMatchObject({ code: 'model_closed' });
    await expect(other.detectLanguage(pcm)).rejects.toMatchObject({ code: 'model_closed' });
    await other.free();
    expect(other.facts().type).toBe('custom');
  });

  it('frees a model after its running job has ended', async () => {
    const other = await addon.loadModel(STARTER_MODEL);
    const job = other.transcribe(cut(fixturePcm('01-short-note.wav'), 0, 4.3), {
      language: 'en',
      ...beam,
    });
    const freed = other.free();
    expect(plainWords(textOf(await job.promise)).join(' ')).toBe(
      'good morning my name is david clark and i work at northwind',
    );
    await freed;
  });
});

describe('recognition', () => {
  it('transcribes speech into segments and tokens with times and probabilities, and reports progress', async () => {
    const pcm = fixturePcm('01-short-note.wav');
    const progress: number[] = [];
    const onProgress = (percent: number) => progress.push(percent);
    const result = await transcribe(pcm, { language: 'en', ...beam }, { onProgress }).promise;
    expect(wordErrorRate(truth('01-short-note.wav').text, textOf(result))).toBeLessThanOrEqual(0.02);
    expect(result.languageProbabilities).toBeNull();
    expect(result.segments.length).toBeGreaterThan(3);
    expectToRise(progress);
    const seconds = pcm.length / 16_000;
    for (const segment of result.segments) {
      expect(segment.start).toBeGreaterThanOrEqual(0);
      expect(segment.end).toBeLessThanOrEqual(seconds + 0.1);
      expect(segment.averageLogprob).toBeLessThanOrEqual(0);
      expect(segment.noSpeechProbability).toBeLessThan(0.6);
      const spoken = segment.tokens.filter(({ special }) => !special);
      expect(spoken.map(({ text }) => text).join('')).toBe(segment.text);
      for (const { probability, start, end } of spoken) {
        expect(probability).toBeGreaterThan(0);
        expect(probability).toBeLessThanOrEqual(1);
        expect(typeof start).toBe('number');
        expect(typeof end).toBe('number');
      }
    }
  });

  it.each([
    ['06-german.webm', 'de'],
    ['07-french-video.mp4', 'fr'],
  ])('detects the language of %s and keeps characters outside ASCII whole', async (fixture, language) => {
    const { pcm, text } = firstSentences(fixture, 2);
    const guesses: LanguageGuess[] = [];
    const listeners = { onLanguage: (guess: LanguageGuess) => guesses.push(guess) };
    const result = await transcribe(pcm, { language: 'auto', ...greedy }, listeners).promise;
    expect(result.language).toBe(language);
    expect(guesses).toEqual([{ language, probabilities: result.languageProbabilities }]);
    expect(result.languageProbabilities?.[language]).toBeGreaterThan(0.5);
    expect(wordErrorRate(text, textOf(result))).toBeLessThan(0.2);
    expect(textOf(result)).not.toContain('\uFFFD');
    expect(textOf(result)).toMatch(/[áéíóúñüöäßçè]/i);
    // A given language changes nothing; shown for one.
    if (language !== 'de') return;
    const given = await transcribe(pcm, { language, ...greedy }).promise;
    expect(given.segments).toEqual(result.segments);
  });

  it('returns no text for silence or for less than a tenth of a second', async () => {
    expect(textOf(await transcribe(fixturePcm('09-silence.wav'), { language: 'en' }).promise)).toBe('');
    expect((await transcribe(new Float32Array(800), { language: 'en' }).promise).segments).toEqual([]);
  });

  it('is deterministic, alone and beside another job', async () => {
    const english = cut(fixturePcm('02-two-speakers.mp3'), 0, 4.3);
    const german = cut(fixturePcm('06-german.webm'), 0, 4.3);
    // A temperature above 0 samples at random, with a fixed seed.
    const params = { maxContext: 0, temperature: 0.4, bestOf: 2 };
    const jobs = [
      () => transcribe(english, { language: 'en', ...params }).promise,
      () => transcribe(german, { language: 'de', ...params }).promise,
    ];
    const together = await Promise.all(jobs.map((job) => job()));
    for (const [index, job] of jobs.slice(0, 1).entries()) expect(await job()).toEqual(together[index]);
  });

  it('aborts before and during a job, and the model stays usable', async () => {
    const pcm = cut(fixturePcm('08-meeting-4min.mp3'), 0, 120);
    const early = transcribe(pcm, { language: 'en' });
    early.abort();
    await expect(early.promise).rejects.toMatchObject({ code: 'aborted' });
    const progress: number[] = [];
    const onProgress = (percent: number) => progress.push(percent) === 2 && job.abort();
    const job = transcribe(pcm, { language: 'en', ...greedy }, { onProgress });
    await expect(job.promise).rejects.toMatchObject({ code: 'aborted' });
    expect(progress.at(-1)).toBeLessThan(50);
    job.abort();
    const again = await transcribe(cut(pcm, 0, 6), { language: 'en', ...greedy }).promise;
    expect(again.segments.length).toBeGreaterThan(0);
  });

  it('accepts an initial prompt with and without text context', async () => {
    const pcm = cut(fixturePcm('01-short-note.wav'), 0, 4.3);
    for (const params of [
      { initialPrompt: 'A note about the budget.', maxContext: 0 },
      { initialPrompt: 'A note about the budget. '.repeat(100), carryInitialPrompt: true },
    ]) {
      const result = await transcribe(pcm, { language: 'en', ...params }).promise;
      expect(result.segments.length).toBeGreaterThan(0);
    }
  });

  it('returns probabilities of all known languages that add up to one', async () => {
    const guess = await model.detectLanguage(fixturePcm('06-german.webm'));
    expect(guess.language).toBe('de');
    expect(Object.keys(guess.probabilities).sort()).toEqual([...model.facts().languages].sort());
    expect(Object.keys(guess.probabilities)).toHaveLength(99);
    const sum = Object.values(guess.probabilities).reduce((total, value) => total + value, 0);
    expect(sum).toBeCloseTo(1, 4);
    expect(Object.keys(guess.probabilities)[0]).toBe('de');
  });
});
