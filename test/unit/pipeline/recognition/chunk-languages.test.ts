import { describe, expect, it } from 'vitest';
import { firstCheckpoint } from '../../../../electron/core/pipeline/checkpoint.ts';
import { noteWarnings } from '../../../../electron/core/pipeline/recognition/notes.ts';
import { chunkOf, FakeEngine, whisperResult, whisperSegment } from '../../../support/fake-engine.ts';
import { chunks, numbering, startJob } from './support/job.ts';

describe('the language of a job', () => {
  it('follows what is spoken from chunk to chunk, and is first that of the first speech', async () => {
    const heard = [
      { fr: 0.99, de: 0.01 },
      { de: 0.995, fr: 0.005 },
    ];
    const engine = new FakeEngine((_, call) => ({
      ...whisperResult(whisperSegment(`Text ${call}`, { end: 10 })),
      language: call === 0 ? 'fr' : 'de',
      languageProbabilities: heard[call] ?? null,
    }));
    const silent = chunkOf({ seconds: 10, silences: [{ start: 0, end: 10 }] });
    const job = startJob({ engine, chunks: [silent, ...chunks(3).slice(1)], language: 'auto' });
    const { checkpoint } = await job.run();
    expect(engine.requests.map(({ params }) => params?.language)).toEqual(['auto', 'auto']);
    expect(engine.detections).toEqual([]);
    expect(job.segments().map(({ language }) => language)).toEqual(['fr', 'de']);
    expect(checkpoint).toMatchObject({ language: 'fr', languageConfidence: 0.99, lastLanguage: 'de' });
  });

  it('is found for each utterance of a chunk where it is in doubt', async () => {
    const engine = new FakeEngine(({ params }) => ({
      ...whisperResult(whisperSegment(`In ${params?.language}`, { end: 9 })),
      language: params?.language === 'auto' ? 'en' : (params?.language ?? ''),
      languageProbabilities: params?.language === 'auto' ? { en: 0.6, de: 0.4 } : null,
    }));
    const split = chunkOf({ seconds: 20, silences: [{ start: 9, end: 10 }] });
    const job = startJob({ engine, chunks: [split], language: 'auto' });
    const { checkpoint } = await job.run();
    // The fake hears German in both.
    expect(engine.detections).toHaveLength(2);
    expect(engine.requests.map(({ params }) => params?.language).slice(0, 2)).toEqual(['auto', 'de']);
    expect(job.segments()[0]).toMatchObject({ text: 'In de', language: 'de' });
    expect(checkpoint).toMatchObject({ language: 'de', languageConfidence: 0.8 });
  });

  it('is, for an uncertain beginning, that of the regions of its chunk together', async () => {
    const engine = new FakeEngine(({ params }, call) => ({
      ...whisperResult(whisperSegment('Text', { end: 2 })),
      language: params?.language === 'auto' && call === 0 ? 'en' : 'ar',
      languageProbabilities: call === 0 ? { en: 0.6, ar: 0.05 } : { en: 0.01, ar: 0.99 },
    }));
    engine.detectLanguage = async ({ pcm }) =>
      pcm.length > 5 * 16_000
        ? { language: 'ar', probabilities: { ar: 0.8, en: 0.1 } }
        : { language: 'en', probabilities: { en: 0.6, ar: 0.05 } };
    const split = chunkOf({ seconds: 20, silences: [{ start: 2, end: 12 }] });
    const job = startJob({ engine, chunks: [split], language: 'auto' });
    await job.run();
    expect(engine.requests.map(({ params }) => params?.language)).toEqual(['auto', 'ar', 'auto']);
  });

  it('goes on, after an interruption, from what was spoken last', async () => {
    const engine = new FakeEngine(({ params }) => ({
      ...whisperResult(whisperSegment('Oui', { end: 1 })),
      language: params?.language === 'auto' ? 'en' : 'fr',
      languageProbabilities: params?.language === 'auto' ? { en: 0.5, fr: 0.4 } : null,
    }));
    engine.detectLanguage = async () => ({ language: 'en', probabilities: { en: 0.5, fr: 0.4 } });
    const short = chunkOf({ index: 1, start: 10, seconds: 10, silences: [{ start: 11, end: 20 }] });
    const job = startJob({ engine, chunks: [short], language: 'auto' });
    await job.run({
      ...firstCheckpoint(0, { source: 'fake source', model: 'fake-model', streams: 1 }),
      streams: [{ chunk: 1, at: 10, crashes: {} }],
      language: 'fr',
      lastLanguage: 'fr',
    });
    expect(engine.requests.map(({ params }) => params?.language)).toEqual(['auto', 'fr']);
  });

  it('that was asked for is kept, and a warning names where another is spoken', async () => {
    const engine = new FakeEngine(({ params }) => ({
      ...whisperResult(whisperSegment('Text', { end: 10 })),
      language: params?.language === 'auto' ? 'de' : 'en',
      languageProbabilities: params?.language === 'auto' ? { de: 0.99 } : null,
    }));
    const job = startJob({ engine, chunks: chunks(1) });
    const { checkpoint } = await job.run();
    expect(engine.requests.map(({ params }) => params?.language)).toEqual(['auto', 'en']);
    expect(job.segments()[0]?.language).toBe('en');
    expect(noteWarnings(checkpoint.notes)).toEqual([
      'Another language (de) than the one that was asked for is spoken at 0:00: the text there may be a translation, or wrong.',
    ]);
  });

  it('is heard by another model where this one cannot tell', async () => {
    const engine = numbering();
    const options = { engine, chunks: chunks(2), language: 'auto', isParakeet: true };
    const { checkpoint } = await startJob(options).run();
    expect(engine.detections.map(({ modelPath }) => modelPath)).toEqual(['/whisper.bin']);
    expect(engine.requests.map(({ modelPath, params }) => [modelPath, params?.language])).toEqual([
      ['/model.bin', 'de'],
      ['/model.bin', 'de'],
    ]);
    expect(checkpoint).toMatchObject({ language: 'de', languageConfidence: 0.8 });
  });

  it('is detected before anything is recognized where the request asks how probable it is', async () => {
    const engine = numbering();
    const job = { engine, chunks: chunks(2), language: 'auto' };
    const accepted = await startJob({ ...job, request: { language_confidence_threshold: 0.8 } }).run();
    expect(accepted.checkpoint).toMatchObject({ language: 'de', languageConfidence: 0.8 });
    expect(engine.requests.map(({ params }) => params?.language)).toEqual(['de', 'de']);
    const refused = startJob({ ...job, request: { language_confidence_threshold: 0.9 } });
    await expect(refused.run()).rejects.toMatchObject({
      code: 'language_uncertain',
      message: expect.stringMatching(/“de”.* 80 %.* 90 %/),
    });
    expect(refused.segments()).toEqual([]);
    expect(engine.requests).toHaveLength(2);
  });
});
