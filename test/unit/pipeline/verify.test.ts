import { describe, expect, it } from 'vitest';
import { AppError } from '../../../electron/core/base/errors.ts';
import { capabilitiesOf } from '../../../electron/core/engines/whisper/capabilities.ts';
import type { TranscribeRequest } from '../../../electron/core/engines/whisper/engine.ts';
import { creditsBy } from '../../../electron/core/stores/credits.ts';
import { FakeEngine, WHISPER, whisperResult, whisperSegment } from '../../support/fake-engine.ts';
import { FakeMedia } from '../../support/fake-media.ts';
import { sentencesOf } from '../../support/sentences-of.ts';
import { chunksOf, createJob } from './support/whole-job.ts';

const FIRST = ['Good morning.', 'My name is Ann.', 'Goodbye.'];
const SECOND = ['Good mourning.', 'My name is Ann.', 'Good buy now.'];
const request = { verify_with: 'other' };

const isSecond = ({ modelPath }: TranscribeRequest) => modelPath === '/other.bin';

const heardIn = (request: TranscribeRequest) => {
  const sentences = isSecond(request) ? SECOND : FIRST;
  return whisperResult(whisperSegment(sentences[request.pcm[0] ?? -1] ?? '', { end: 8 }));
};

/** Fails whenever `fails` says so of a request and its number among those of the second model. */
const engineThat = (fails: (call: number) => unknown) => {
  let calls = 0;
  return new FakeEngine((request) => {
    const error = isSecond(request) ? fails(calls++) : undefined;
    if (error !== undefined) throw error;
    return heardIn(request);
  });
};

const crash = () => new AppError('engine_crashed', 'The engine crashed.');

const readings = (job: ReturnType<typeof createJob>) =>
  job.words().map(({ word, confidence, alternatives }) => ({
    word,
    confidence,
    other: alternatives?.map(({ text, model }) => `${model}: ${text}`),
  }));

describe('hearing twice', () => {
  it('marks what the second model heard otherwise, and trusts the rest more', async () => {
    const job = createJob({ engine: new FakeEngine(heardIn), request });
    await job.run();
    expect(job.transcript()).toMatchObject({ status: 'completed', text: FIRST.join(' '), warnings: [] });
    expect(readings(job)).toEqual([
      { word: 'Good', confidence: 0.99, other: undefined },
      { word: 'morning.', confidence: 0.9, other: ['other: mourning.'] },
      { word: 'My', confidence: 0.99, other: undefined },
      { word: 'name', confidence: 0.99, other: undefined },
      { word: 'is', confidence: 0.99, other: undefined },
      { word: 'Ann.', confidence: 0.99, other: undefined },
      { word: 'Goodbye.', confidence: 0.9, other: ['other: Good buy now.'] },
    ]);
    expect(job.progress.map(({ stage }) => stage)).toContain('verifying');
    const percents = job.progress.map(({ percent }) => percent);
    expect(percents).toEqual(percents.toSorted((a, b) => a - b));
  });

  it('cuts the recording alike for both models, as short as both take it', async () => {
    const media = new FakeMedia(chunksOf(3));
    const job = createJob({ engine: new FakeEngine(heardIn), media, request });
    job.world.model = { ...job.world.model, capabilities: { ...WHISPER, maxChunkSeconds: 60 } };
    job.world.verifier = { ...job.world.verifier, capabilities: { ...WHISPER, maxChunkSeconds: 20 } };
    await job.run();
    expect(media.decodes.map(({ chunking }) => chunking?.windowSeconds)).toEqual([20, 20]);

    const alone = createJob({ engine: new FakeEngine(heardIn), media });
    alone.world.model = job.world.model;
    await alone.run();
    expect(media.decodes.at(-1)?.chunking?.windowSeconds).toBe(60);
  });

  it('charges for both models', async () => {
    const job = createJob({ engine: new FakeEngine(heardIn), request });
    await job.run();
    expect(creditsBy(job.db, 'usr_1', 'model')).toMatchObject([{ credits: 2 }]);
  });

  it('spells the second reading as the request says, too', async () => {
    const spelling = [{ from: ['mourning'], to: 'morning' }];
    const job = createJob({
      engine: new FakeEngine(heardIn),
      request: { ...request, custom_spelling: spelling },
    });
    await job.run();
    expect(readings(job)[1]).toMatchObject({ word: 'morning.', confidence: 0.99, other: undefined });
  });

  it('goes on after an interruption, and compares no word twice', async () => {
    const whole = createJob({ engine: new FakeEngine(heardIn), request });
    await whole.run();
    const controller = new AbortController();
    const stopping = engineThat((call) => {
      if (call !== 1) return undefined;
      controller.abort('shutdown');
      return new AppError('interrupted', 'Closed.');
    });
    const job = createJob({ engine: stopping, request });
    await expect(job.run(controller)).rejects.toThrow();
    expect(job.transcript().checkpoint).toMatchObject({ verified: { chunk: 1, segments: 1 } });
    job.release();
    await job.run();
    expect(readings(job)).toEqual(readings(whole));
    expect(stopping.requests.filter((each) => isSecond(each) && each.pcm[0] === 0)).toHaveLength(1);
    expect(stopping.requests.filter((each) => !isSecond(each))).toHaveLength(3);
  });

  it('keeps the text with a warning when the second model fails', async () => {
    const job = createJob({ engine: engineThat((call) => (call > 0 ? crash() : undefined)), request });
    await job.run();
    const { warnings, ...transcript } = job.transcript();
    expect(transcript).toMatchObject({ status: 'completed', text: FIRST.join(' ') });
    expect(sentencesOf(warnings)).toEqual([
      'The text was checked with the model other only up to 0:10: the engine crashed several times at the same place.',
    ]);
    expect(readings(job)[1]?.other).toEqual(['other: mourning.']);
    expect(readings(job)[6]).toEqual({ word: 'Goodbye.', confidence: 0.9, other: undefined });
  });

  it('tries again after a crash of the second model', async () => {
    const engine = engineThat((call) => (call === 1 ? crash() : undefined));
    const job = createJob({ engine, request });
    await job.run();
    expect(job.transcript().warnings).toEqual([]);
    expect(engine.requests.filter(isSecond).map(({ exclusive }) => exclusive)).toContain(true);
  });

  it('ends at once when the job is cancelled', async () => {
    const controller = new AbortController();
    const engine = engineThat(() => {
      controller.abort('cancelled');
      return new AppError('cancelled', 'Cancelled.');
    });
    const job = createJob({ engine, request });
    await expect(job.run(controller)).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('does not ask a model that does not know the language', async () => {
    const engine = new FakeEngine(heardIn);
    const job = createJob({ engine, request: { ...request, language: 'de' } });
    job.world.verifier = {
      ...job.world.verifier,
      capabilities: capabilitiesOf({ family: 'parakeet', multilingual: false }),
    };
    await job.run();
    expect(sentencesOf(job.transcript().warnings)).toEqual([
      'The text was not checked with the model other: it does not know the language of the recording (de).',
    ]);
    expect(engine.requests.some(isSecond)).toBe(false);
  });

  it('says where only the second model heard anything', async () => {
    const silent = new FakeEngine((request) =>
      !isSecond(request) && request.pcm[0] === 1 ? whisperResult() : heardIn(request),
    );
    const job = createJob({ engine: silent, request });
    await job.run();
    expect(sentencesOf(job.transcript().warnings)).toEqual([
      '10 s of speech could not be recognized, at 0:10.',
      'The model other heard words where the text has none, at 0:10.',
    ]);
  });

  it('masks profanity in the other readings, too', async () => {
    const engine = new FakeEngine((request) =>
      isSecond(request) && request.pcm[0] === 2
        ? whisperResult(whisperSegment('Damn bye.', { end: 8 }))
        : heardIn(request),
    );
    const job = createJob({ engine, request: { ...request, content_safety: true } });
    await job.run();
    const others = readings(job).flatMap(({ other = [] }) => other);
    expect(others).toEqual(['other: mourning.', 'other: D*** bye.']);
  });

  it('keeps no other reading in a redacted transcript', async () => {
    const job = createJob({
      engine: new FakeEngine((request) =>
        isSecond(request)
          ? whisperResult(whisperSegment('My name is Anna Lopez now.', { end: 8 }))
          : heardIn(request),
      ),
      request: { ...request, redact_pii: true },
    });
    await job.run();
    expect(job.transcript().status).toBe('completed');
    expect(JSON.stringify(job.words())).not.toMatch(/Lopez|Anna/);
  });
});
