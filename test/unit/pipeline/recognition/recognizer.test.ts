import { describe, expect, it } from 'vitest';
import { SAMPLE_RATE } from '../../../../electron/core/base/audio.ts';
import { AppError, isAppError } from '../../../../electron/core/base/errors.ts';
import {
  detectLanguage,
  type RecognizeOptions,
  recognizeChunk,
  speechFinder,
} from '../../../../electron/core/pipeline/recognition/recognizer.ts';
import { chooseLanguage } from '../../../../electron/core/pipeline/recognition/spoken-language.ts';
import {
  chunkOf,
  FakeEngine,
  PARAKEET,
  WHISPER,
  whisperResult,
  whisperSegment,
} from '../../../support/fake-engine.ts';

const optionsFor = (engine: FakeEngine, options: Partial<RecognizeOptions> = {}): RecognizeOptions => ({
  engine,
  model: { path: '/model.bin', capabilities: WHISPER },
  language: 'en',
  beamSize: 5,
  translate: false,
  signal: new AbortController().signal,
  crashes: 0,
  ...options,
});

const answering = (...segments: Parameters<typeof whisperResult>) =>
  new FakeEngine(() => whisperResult(...segments));

const SENTENCE = 'we will talk about the budget today';
const LOOP = `${SENTENCE} `.repeat(4).trim();

describe('recognizeChunk', () => {
  it('returns words and times on the source timeline', async () => {
    const engine = answering(whisperSegment('Good morning', { start: 0.5, end: 1.5 }));
    const { segments } = await recognizeChunk(chunkOf({ start: 100 }), optionsFor(engine));
    expect(segments).toEqual([
      {
        text: 'Good morning',
        start: 100.5,
        end: 101.5,
        speaker_id: null,
        language: 'en',
        words: [
          { word: 'Good', start: 100.5, end: 101, confidence: expect.closeTo(0.9, 6), speaker_id: null },
          { word: 'morning', start: 101, end: 101.5, confidence: expect.closeTo(0.9, 6), speaker_id: null },
        ],
      },
    ]);
  });

  it.each([
    ['aligned', {}, true],
    ['fast', { wordTimes: 'fast' }, false],
    ['exact in any case', { model: { path: '/model.bin', capabilities: PARAKEET } }, false],
    ['estimated in a translation', { translate: true }, false],
    ['aligned after a crash', { crashes: 1 }, true],
    ['estimated after two crashes', { crashes: 2 }, false],
  ] as const)('asks for word times that are %s', async (_, options, isAligned) => {
    const engine = answering(whisperSegment('Good morning'));
    await recognizeChunk(chunkOf(), optionsFor(engine, { wordTimes: 'aligned', ...options }));
    expect(engine.requests.map(({ params }) => params?.alignWords)).toEqual([isAligned]);
  });

  it('lets aligned words set the bounds of their segment, out of known silence', async () => {
    const { tokens } = whisperSegment('Good morning', { start: 0.5, end: 1.5 });
    const engine = answering(whisperSegment('Good morning', { start: 0, end: 3, tokens, aligned: true }));
    const chunk = chunkOf({ start: 100, silences: [{ start: 101.3, end: 103 }] });
    const { segments } = await recognizeChunk(chunk, optionsFor(engine, { wordTimes: 'aligned' }));
    const [segment] = segments;
    expect(segment).toMatchObject({ start: 100.5, end: 101.35 });
    expect(segment?.words.map(({ start, end }) => [start, end])).toEqual([
      [100.5, 101],
      [101, 101.35],
    ]);
  });

  it('discards what was written over a silence, wherever its words were aligned', async () => {
    const { tokens } = whisperSegment('Thank you', { start: 3.5, end: 4 });
    const written = whisperSegment('Thank you', { start: 1.6, end: 3.3, tokens, aligned: true });
    const chunk = chunkOf({ silences: [{ start: 1.5, end: 3.4 }] });
    expect((await recognizeChunk(chunk, optionsFor(answering(written)))).segments).toEqual([]);
  });

  it('never lets a segment end after its chunk', async () => {
    const engine = answering(whisperSegment('Good morning', { start: 3, end: 30 }));
    const { segments } = await recognizeChunk(
      chunkOf({ start: 100, seconds: 4, silences: [] }),
      optionsFor(engine),
    );
    const [segment] = segments;
    expect(segment).toMatchObject({ start: 103, end: 104 });
    expect(segment?.words.every((word) => word.end <= 104)).toBe(true);
  });

  it('does not ask the engine about a silent chunk', async () => {
    const engine = answering(whisperSegment('Thank you.'));
    const chunk = chunkOf({ seconds: 10, silences: [{ start: 0, end: 10 }] });
    expect(await recognizeChunk(chunk, optionsFor(engine))).toMatchObject({ segments: [], notes: [] });
    expect(engine.requests).toEqual([]);
  });

  it('decodes each speech region separately and reports progress over all of them', async () => {
    const chunk = chunkOf({ start: 50, seconds: 20, silences: [{ start: 54, end: 64 }] });
    const engine = new FakeEngine(({ onProgress }, call) => {
      onProgress?.(50);
      return whisperResult(whisperSegment(`Region ${call}`));
    });
    const shares: number[] = [];
    const { segments } = await recognizeChunk(
      chunk,
      optionsFor(engine, { onProgress: (share) => shares.push(share) }),
    );
    expect(engine.requests.map(({ pcm }) => [pcm[0], pcm.length])).toEqual([
      [0, 4.5 * SAMPLE_RATE],
      [13.5 * SAMPLE_RATE, 6.5 * SAMPLE_RATE],
    ]);
    expect(segments.map(({ text, start }) => [text, start])).toEqual([
      ['Region 0', 50],
      // The padding before the region is silence, which is trimmed but for its margin.
      ['Region 1', 63.95],
    ]);
    expect(shares.map((share) => Math.round(share * 1000))).toEqual([205, 705]);
  });

  it('discards a segment that is probably no speech and badly decoded, but not on one sign alone', async () => {
    const engine = answering(
      whisperSegment('Both signs', { noSpeechProbability: 0.7, averageLogprob: -1.2 }),
      whisperSegment('Quiet speech', { noSpeechProbability: 0.7, averageLogprob: -0.4 }),
      whisperSegment('Mumbled speech', { noSpeechProbability: 0.1, averageLogprob: -1.2 }),
    );
    const { segments } = await recognizeChunk(chunkOf(), optionsFor(engine));
    expect(segments.map(({ text }) => text)).toEqual(['Quiet speech', 'Mumbled speech']);
  });

  it('leaves out words that an exact model repeats at once', async () => {
    const token = (text: string, start: number) => ({
      id: 1,
      text: ` ${text}`,
      probability: 0.9,
      start,
      end: start + 0.08,
      special: false,
    });
    const repeated = ['no', 'no', 'thank', 'you', 'you.', 'you.'];
    const starts = [0.2, 0.6, 1, 1.4, 1.4, 1.48];
    const said = whisperSegment(repeated.join(' '), {
      tokens: repeated.map((text, index) => token(text, starts[index] ?? 0)),
    });
    const exact = optionsFor(answering(said), { model: { path: '/model.bin', capabilities: PARAKEET } });
    const { segments } = await recognizeChunk(chunkOf(), exact);
    expect(segments[0]?.text).toBe('no no thank you');
    const estimated = await recognizeChunk(chunkOf(), optionsFor(answering(said)));
    expect(estimated.segments[0]?.text).toBe(repeated.join(' '));
  });

  it('discards a segment that lies in silence for more than nine tenths', async () => {
    const chunk = chunkOf({ start: 10, seconds: 8, silences: [{ start: 12, end: 14.9 }] });
    const engine = answering(
      whisperSegment('Speech', { start: 0, end: 1.9 }),
      whisperSegment('Thank you.', { start: 1.9, end: 4.95 }),
      whisperSegment('More speech', { start: 4.5, end: 8 }),
    );
    const { segments } = await recognizeChunk(chunk, optionsFor(engine));
    expect(segments.map(({ text }) => text)).toEqual(['Speech', 'More speech']);
  });

  it('removes sound tags and what consists of nothing else', async () => {
    const engine = answering(
      whisperSegment('[BLANK_AUDIO]'),
      whisperSegment('Music'),
      whisperSegment('♪ Musik ♪'),
      whisperSegment('Hello (laughs) there'),
      whisperSegment('Music is what we talk about'),
    );
    const { segments } = await recognizeChunk(chunkOf(), optionsFor(engine));
    expect(segments.map(({ text }) => text)).toEqual(['Hello there', 'Music is what we talk about']);
  });

  it('reads each utterance by itself where the decoder repeats itself, and keeps what was said several times', async () => {
    const silences = [
      { start: 3, end: 4 },
      { start: 7, end: 8 },
    ];
    const engine = new FakeEngine((_, call) =>
      whisperResult(whisperSegment(call === 0 ? LOOP : SENTENCE, { end: call === 0 ? 11 : 2.8 })),
    );
    const { segments, notes } = await recognizeChunk(chunkOf({ seconds: 11, silences }), optionsFor(engine));
    expect(engine.requests.map(({ pcm }) => pcm.length / SAMPLE_RATE)).toEqual([11, 3.5, 4, 3.5]);
    expect(segments.map(({ text, start }) => [text, Math.floor(start)])).toEqual([
      [SENTENCE, 0],
      [SENTENCE, 3],
      [SENTENCE, 7],
    ]);
    expect(notes).toEqual([]);
  });

  it('cuts a loop that came faster than anybody speaks, across segments, and says where', async () => {
    const engine = answering(
      whisperSegment(`First ${LOOP}`, { start: 0, end: 2 }),
      whisperSegment(SENTENCE, { start: 2, end: 3 }),
      whisperSegment('and then we left', { start: 3, end: 4 }),
    );
    const { segments, notes } = await recognizeChunk(chunkOf({ silences: [] }), optionsFor(engine));
    expect(engine.requests).toHaveLength(1);
    expect(segments.map(({ text }) => text)).toEqual([`First ${SENTENCE}`, 'and then we left']);
    expect(segments[0]?.end).toBe(segments[0]?.words.at(-1)?.end);
    expect(notes).toEqual([{ kind: 'repeated', start: expect.closeTo(0.07, 1), end: 3 }]);
  });

  it('reads an utterance without words by itself, and says so if there are none', async () => {
    const chunk = chunkOf({ start: 50, seconds: 10, silences: [{ start: 54, end: 55 }] });
    const first = whisperSegment('We begin with the budget', { end: 3.9 });
    const answer = (again: string) =>
      new FakeEngine((_, call) => {
        if (call === 0) return whisperResult(first);
        return again === '' ? whisperResult() : whisperResult(whisperSegment(again, { start: 0.5, end: 5 }));
      });
    const found = await recognizeChunk(chunk, optionsFor(answer('and end with the weather')));
    expect(found.segments.map(({ text, start }) => [text, start])).toEqual([
      ['We begin with the budget', 50],
      ['and end with the weather', 55],
    ]);
    expect(found.notes).toEqual([]);
    const lost = await recognizeChunk(chunk, optionsFor(answer('')));
    expect(lost.segments.map(({ text }) => text)).toEqual(['We begin with the budget']);
    expect(lost.notes).toEqual([{ kind: 'unrecognized', start: 55, end: 60 }]);
  });

  it('gives every window the prompt, and room for it', async () => {
    const engine = answering(whisperSegment('Hello'));
    await recognizeChunk(chunkOf(), optionsFor(engine, { prompt: 'Earshot' }));
    expect(engine.requests[0]?.params).toMatchObject({
      initialPrompt: 'Earshot',
      carryInitialPrompt: true,
      maxContext: 96,
    });
  });

  it('gives the engine the terms of the vocabulary, but for those with the weight 0', async () => {
    const engine = answering(whisperSegment('Hello'));
    const vocabulary = [
      'Ana',
      { term: 'kubectl', sounds_like: ['cube'], weight: 2 },
      { term: 'SAP', weight: 0 },
    ];
    await recognizeChunk(chunkOf(), optionsFor(engine, { vocabulary }));
    expect(engine.requests[0]?.params?.vocabulary).toEqual([
      { term: 'Ana', weight: 1 },
      { term: 'kubectl', weight: 2 },
    ]);
  });

  it('keeps the prompt from a model that takes none', async () => {
    const engine = answering(whisperSegment('Hello'));
    const model = { path: '/model.bin', capabilities: PARAKEET };
    await recognizeChunk(chunkOf(), optionsFor(engine, { model, prompt: 'Earshot' }));
    expect(engine.requests[0]?.params).not.toHaveProperty('initialPrompt');
  });
});

describe('detectLanguage', () => {
  it('uses the first 30 s from where somebody speaks on', async () => {
    const engine = answering();
    const chunk = chunkOf({ seconds: 60, silences: [{ start: 0, end: 10 }] });
    const options = { engine, modelPath: '/model.bin', signal: new AbortController().signal };
    expect(await detectLanguage(chunk, options)).toEqual({ language: 'de', confidence: 0.8 });
    const pcm = engine.detections[0]?.pcm;
    expect([pcm?.[0], pcm?.length]).toEqual([10 * SAMPLE_RATE, 30 * SAMPLE_RATE]);
  });

  it.each([
    [{ expected: ['de', 'fr'] }, 'de', 0.7],
    [{ expected: ['en', 'fr'] }, 'en', 0.2],
    [{ expected: ['es', 'fr'], fallback: 'fr' }, 'fr', 0.1],
    [{ expected: ['ja'] }, 'ja', 0],
    [{ expected: ['de'], fallback: 'fr' }, 'de', 0.7],
    [{}, 'de', 0.7],
  ])('chooses with %j the language %s', (choice, language, confidence) => {
    const guess = { language: 'de', probabilities: { de: 0.7, en: 0.2, fr: 0.1 } };
    expect(chooseLanguage(guess, choice)).toEqual({ language, confidence });
  });

  it.each([
    [{ threshold: 0.7 }, 'de'],
    [{ threshold: 0.71 }, 'language_uncertain'],
    [{ threshold: 0.71, onLowConfidence: 'error', fallback: 'fr' }, 'language_uncertain'],
    [{ threshold: 0.71, onLowConfidence: 'fallback', fallback: 'fr' }, 'fr'],
    [{ threshold: 0.71, onLowConfidence: 'fallback', expected: ['en', 'fr'] }, 'en'],
    [{ threshold: 0.71, onLowConfidence: 'fallback' }, 'de'],
    [{ threshold: 0.3, expected: ['en', 'fr'] }, 'language_uncertain'],
    [{ threshold: 0.3, expected: ['en', 'fr'], fallback: 'fr' }, 'fr'],
  ] as const)('takes a language that is as probable as %j wants: %s', (choice, outcome) => {
    const guess = { language: 'de', probabilities: { de: 0.7, en: 0.2, fr: 0.1 } };
    const choose = () => {
      try {
        return chooseLanguage(guess, choice).language;
      } catch (error) {
        return isAppError(error) ? error.code : String(error);
      }
    };
    expect(choose()).toBe(outcome);
  });
});

describe('speechFinder', () => {
  const crashing = (times: number) => {
    let calls = 0;
    const speechProbabilities = async ({ pcm }: { readonly pcm: Float32Array }) => {
      calls += 1;
      if (calls <= times) throw new AppError('engine_crashed', 'The engine crashed.');
      return new Float32Array(Math.ceil(pcm.length / 512)).fill(1);
    };
    return speechFinder({ speechProbabilities }, '/speech.bin', new AbortController().signal);
  };
  const second = new Float32Array(SAMPLE_RATE).fill(0.5);

  it('tries again after a crash, but not for ever', async () => {
    expect(await crashing(2)(second)).toHaveLength(1);
    await expect(crashing(3)(second)).rejects.toMatchObject({ code: 'engine_crashed' });
  });
});
