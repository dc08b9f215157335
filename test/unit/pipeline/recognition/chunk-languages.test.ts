import { describe, expect, it } from 'vitest';
import { chunkOf, FakeEngine, whisperResult, whisperSegment } from '../../../support/fake-engine.ts';
import { chunks, numbering, startJob } from './support/job.ts';

describe('the language of a job', () => {
  it('is that of the first chunk with speech: later chunks wait for it', async () => {
    const engine = new FakeEngine(async ({ onLanguage, params }, call) => {
      if (call === 0) {
        await new Promise(setImmediate);
        expect(engine.requests).toHaveLength(1);
        onLanguage?.({ language: 'de', probabilities: { de: 0.9 } });
      } else expect(params?.language).toBe('de');
      return whisperResult(whisperSegment('Guten Tag'));
    }, 4);
    const silent = { ...chunkOf({ index: 0, seconds: 10, silences: [{ start: 0, end: 10 }] }) };
    const job = startJob({ engine, chunks: [silent, ...chunks(3).slice(1)], language: 'auto' });
    const { checkpoint } = await job.run();
    expect(engine.requests[0]?.params?.language).toBe('auto');
    expect(checkpoint).toMatchObject({ language: 'de', languageConfidence: 0.9 });
  });

  it('is detected first if the chunk has several speech regions', async () => {
    const engine = numbering();
    const split = chunkOf({ seconds: 20, silences: [{ start: 5, end: 12 }] });
    const { checkpoint } = await startJob({ engine, chunks: [split], language: 'auto' }).run();
    expect(engine.detections).toHaveLength(1);
    expect(engine.requests.map(({ params }) => params?.language)).toEqual(['de', 'de']);
    expect(checkpoint).toMatchObject({ language: 'de', languageConfidence: 0.8 });
  });

  it('is heard by another model where this one cannot tell', async () => {
    const engine = numbering();
    const options = { engine, chunks: chunks(2), language: 'auto', isParakeet: true };
    const { checkpoint } = await startJob({ ...options, languageDetector: '/whisper.bin' }).run();
    expect(engine.detections.map(({ modelPath }) => modelPath)).toEqual(['/whisper.bin']);
    expect(engine.requests.map(({ modelPath, params }) => [modelPath, params?.language])).toEqual([
      ['/model.bin', 'de'],
      ['/model.bin', 'de'],
    ]);
    expect(checkpoint).toMatchObject({ language: 'de', languageConfidence: 0.8 });
  });

  it('is read from the text where no model can tell', async () => {
    const texts = ['Ja.', 'Guten Morgen, wir sprechen heute über den Vertrag und das Budget.', 'Danke.'];
    const engine = new FakeEngine((_, call) => ({
      ...whisperResult(whisperSegment(texts[call] ?? '')),
      language: 'auto',
    }));
    const job = startJob({ engine, chunks: chunks(3), language: 'auto', isParakeet: true });
    const { checkpoint } = await job.run();
    expect(engine.detections).toEqual([]);
    expect(engine.requests.map(({ params }) => params?.language)).toEqual(['auto', 'auto', 'de']);
    expect(checkpoint.language).toBe('de');
    expect(job.segments().map(({ text }) => text)).toEqual(texts);
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

  it('that is read from the text has to be as probable', async () => {
    const engine = new FakeEngine(() => ({
      ...whisperResult(whisperSegment('Guten Morgen, wir sprechen heute über den Vertrag und das Budget.')),
      language: 'auto',
    }));
    const request = { language_confidence_threshold: 1 };
    const job = startJob({ engine, chunks: chunks(2), language: 'auto', isParakeet: true, request });
    await expect(job.run()).rejects.toMatchObject({ code: 'language_uncertain' });
  });
});
