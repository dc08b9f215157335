import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { loadAddon, type NativeModel } from '../../../electron/core/engines/whisper/addon.ts';
import type { TranscribeParams } from '../../../electron/core/engines/whisper/types.ts';
import { testAddon } from '../../support/addon.ts';
import { truth } from '../../support/fixtures.ts';
import { STARTER_MODEL } from '../../support/paths.ts';
import { cut, fixturePcm } from '../../support/pcm.ts';
import { createRandom } from '../../support/random.ts';

// Transcription is slow on a busy machine.
vi.setConfig({ testTimeout: 240_000 });

const MEETING = '08-meeting-4min.mp3';
const NAMES =
  'Northwind Initech Contoso Toronto Barcelona Seattle Oslo Laura Tokyo Munich Vienna Sunday Tuesday'.split(
    ' ',
  );

let model: NativeModel;

const terms = (words: readonly string[], weight = 1) => words.map((term) => ({ term, weight }));

const transcribe = async (pcm: Float32Array, params: TranscribeParams = {}) => {
  const { segments } = await model.transcribe(pcm, { threads: 1, language: 'en', maxContext: 0, ...params })
    .promise;
  return {
    text: segments.map(({ text }) => text).join(''),
    tokens: segments.flatMap(({ tokens }) => tokens),
  };
};

/** The audio of the meeting's sentence with these words, under white noise 8 dB below it. */
const inNoise = (words: string): Float32Array => {
  const sentence = truth(MEETING).sentences.find(({ text }) => text.includes(words));
  if (sentence === undefined) throw new Error(`Nobody says ${words}.`);
  const pcm = cut(fixturePcm(MEETING), sentence.start - 0.15, sentence.end + 0.25);
  const power = pcm.reduce((sum, sample) => sum + sample * sample, 0) / pcm.length;
  const amplitude = Math.sqrt((power / 10 ** 0.8) * 3);
  const random = createRandom(1);
  return pcm.map((sample) => sample + amplitude * (2 * random.next() - 1));
};

beforeAll(async () => {
  model = await loadAddon(await testAddon()).loadModel(STARTER_MODEL);
});
afterAll(() => model.free());

describe('a vocabulary in the decoder', () => {
  it('makes what was said win over what the model prefers, and reports the model’s own probabilities', async () => {
    for (const [words, term] of [
      ['contract with Northwind', 'Northwind'],
      ['coffee with Laura', 'Laura'],
    ] as const) {
      const pcm = inNoise(words);
      const decoding = { beamSize: 5, suppressNonSpeech: true };
      const without = await transcribe(pcm, decoding);
      expect(without.text).not.toContain(term);
      const { text, tokens } = await transcribe(pcm, { ...decoding, vocabulary: terms(NAMES) });
      expect(text).toContain(term);
      expect(Math.max(...tokens.map(({ probability }) => probability))).toBeLessThanOrEqual(1);
    }
  });

  it.each([1, 5])('writes no term that nobody says, with a beam of %i', async (beamSize) => {
    const others = terms(['Hamburg', 'Kubernetes', 'Nguyen', 'Wednesday', 'Rome'], 3);
    const clear = cut(fixturePcm('01-short-note.wav'), 0, 4.3);
    const without = await transcribe(clear, { beamSize });
    expect((await transcribe(clear, { beamSize, vocabulary: others })).text).toBe(without.text);
    for (const name of ['09-silence.wav', '10-noise.ogg']) {
      const { text } = await transcribe(cut(fixturePcm(name), 0, 8), {
        beamSize,
        vocabulary: terms(NAMES, 10),
      });
      expect(text, name).toBe('');
    }
  });

  it('takes a thousand terms in any script, and names what is wrong with a list', async () => {
    const many = Array.from({ length: 997 }, (_, index) => `Term${index}`);
    const pcm = cut(fixturePcm('01-short-note.wav'), 0, 4.3);
    const { text } = await transcribe(pcm, { vocabulary: terms([...many, '東京', 'Ærø', 'C++']) });
    expect(text).toContain('Good morning');
    const attempts: [unknown, RegExp][] = [
      ['Ana', /'vocabulary' must be a list/],
      [terms(Array.from({ length: 1001 }, String)), /at most 1000/],
      [['Ana'], /list of objects/],
      [terms(['']), /'term'/],
      [terms(['x'.repeat(801)]), /'term'/],
      [terms(['Ana'], 11), /'weight'/],
    ];
    for (const [vocabulary, message] of attempts) {
      await expect(transcribe(pcm, { vocabulary: vocabulary as never })).rejects.toThrow(message);
    }
  });
});
