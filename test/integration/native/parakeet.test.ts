import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  loadAddon,
  type NativeAddon,
  type NativeModel,
} from '../../../electron/core/engines/whisper/addon.ts';
import type { WhisperResult } from '../../../electron/core/engines/whisper/types.ts';
import { testAddon } from '../../support/addon.ts';
import { SHORT_ENGLISH_RECORDINGS, truth } from '../../support/fixtures.ts';
import { parakeetCliTokens } from '../../support/parakeet-cli.ts';
import { STARTER_MODEL, STARTER_PARAKEET } from '../../support/paths.ts';
import { fixturePcm } from '../../support/pcm.ts';
import { plainWords, wordErrorRate } from '../../support/word-error-rate.ts';

vi.setConfig({ testTimeout: 240_000 });

/** The model card's own figure for these recordings, each heard in one piece: 0.2 % of 940 words. */
const MAX_WORD_ERROR_RATE = 0.005;

let addon: NativeAddon;
let model: NativeModel;

const textOf = (result: WhisperResult): string => result.segments.map(({ text }) => text).join('');
const tokensOf = (result: WhisperResult) => result.segments.flatMap(({ tokens }) => tokens);

beforeAll(async () => {
  addon = loadAddon(await testAddon());
  model = await addon.loadModel(STARTER_PARAKEET);
});

afterAll(() => model.free());

describe('a Parakeet model', () => {
  it('is known by its file', async () => {
    expect(await addon.inspectModel(STARTER_PARAKEET)).toMatchObject({
      family: 'parakeet',
      type: 'custom',
      quantization: 'f16',
      languages: ['en'],
      multilingual: false,
      vocabulary: 1024,
      audioLayers: 6,
      melBands: 64,
    });
    expect((await addon.inspectModel(STARTER_MODEL)).family).toBe('whisper');
  });

  it('writes the tokens, times and probabilities of parakeet-cli', async () => {
    let words = 0;
    let errors = 0;
    for (const name of SHORT_ENGLISH_RECORDINGS.slice(0, 2)) {
      const pcm = fixturePcm(name);
      const result = await model.transcribe(pcm, { threads: 1 }).promise;
      const expected = await parakeetCliTokens(pcm);
      const tokens = tokensOf(result);
      expect(expected.length, name).toBeGreaterThan(10);
      expect(tokens.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
      tokens.forEach((token, index) => {
        const other = expected[index];
        expect(token.start, name).toBeCloseTo(other?.start ?? -1, 5);
        expect(token.end, name).toBeCloseTo(Math.min(other?.end ?? -1, pcm.length / 16_000), 5);
        expect(token.probability, name).toBeCloseTo(other?.probability ?? -1, 3);
      });
      const said = plainWords(truth(name).text);
      words += said.length;
      errors += wordErrorRate(truth(name).text, textOf(result)) * said.length;
    }
    expect(errors / words).toBeLessThanOrEqual(MAX_WORD_ERROR_RATE);
  });

  it('hears the same with several threads', async () => {
    const pcm = fixturePcm('01-short-note.wav');
    const [one, three] = await Promise.all(
      [1, 3].map((threads) => model.transcribe(pcm, { threads }).promise),
    );
    expect(three).toEqual(one);
  });

  it('writes nothing for silence and noise', async () => {
    for (const name of ['09-silence.wav', '10-noise.ogg']) {
      expect(textOf(await model.transcribe(fixturePcm(name), {}).promise)).toBe('');
    }
  });

  it('hears audio of any length, as Whisper does', async () => {
    const whisper = await addon.loadModel(STARTER_MODEL);
    const pcm = fixturePcm('01-short-note.wav').subarray(16_000);
    for (const length of [1, 2, 100, 159, 160, 199, 200, 201, 319, 320, 400, 1599, 1600, 4000]) {
      for (const either of [model, whisper]) {
        const { segments } = await either.transcribe(pcm.slice(0, length), { threads: 1, language: 'en' })
          .promise;
        for (const segment of segments) expect(segment.averageLogprob, String(length)).not.toBeNaN();
      }
    }
    await whisper.free();
  });

  it('says its one language, and refuses what it cannot do', async () => {
    const pcm = fixturePcm('01-short-note.wav');
    expect(await model.detectLanguage(pcm)).toEqual({ language: 'en', probabilities: { en: 1 } });
    const languages: string[] = [];
    const { language } = await model.transcribe(
      pcm,
      {},
      { onLanguage: (guess) => languages.push(guess.language) },
    ).promise;
    expect([language, ...languages]).toEqual(['en', 'en']);
    for (const params of [{ language: 'de' }, { translate: true }]) {
      await expect(model.transcribe(pcm, params).promise).rejects.toMatchObject({ code: 'invalid_argument' });
    }
    await expect(model.transcribe(new Float32Array([0, Number.NaN]), {}).promise).rejects.toMatchObject({
      code: 'invalid_argument',
    });
  });

  it('reports progress, stops when it is asked to, and serves several jobs at once', async () => {
    const pcm = fixturePcm('02-two-speakers.mp3').subarray(0, 15 * 16_000);
    const percents: number[] = [];
    const [first, second] = await Promise.all([
      model.transcribe(pcm, {}, { onProgress: (percent) => percents.push(percent) }).promise,
      model.transcribe(pcm, {}).promise,
    ]);
    expect(textOf(first)).toBe(textOf(second));
    expect(percents).toEqual([...percents].sort((a, b) => a - b));
    expect(percents.at(0)).toBe(0);
    expect(percents.at(-1)).toBe(100);
    expect(percents.length).toBeGreaterThan(5);

    const job = model.transcribe(pcm, {});
    job.abort();
    await expect(job.promise).rejects.toMatchObject({ code: 'aborted' });
  });

  it('rejects calls after it was freed', async () => {
    const other = await addon.loadModel(STARTER_PARAKEET);
    await other.free();
    await expect(other.transcribe(new Float32Array(16_000), {}).promise).rejects.toMatchObject({
      code: 'model_closed',
    });
    await other.free();
  });
});
