import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../electron/core/base/errors.ts';
import type { TranscribeRequest } from '../../../electron/core/engines/whisper/engine.ts';
import { creditsBy } from '../../../electron/core/stores/credits.ts';
import { claimNext } from '../../../electron/core/stores/jobs.ts';
import { countMatches } from '../../../electron/core/stores/search.ts';
import { updateTranscript } from '../../../electron/core/stores/transcripts.ts';
import { updateUser } from '../../../electron/core/stores/users.ts';
import { addJob } from '../../support/database.ts';
import { FakeEngine, PARAKEET, whisperResult, whisperSegment } from '../../support/fake-engine.ts';
import { FakeMedia } from '../../support/fake-media.ts';
import { sentencesOf } from '../../support/sentences-of.ts';
import { aborted, chunksOf, createJob } from './support/whole-job.ts';

const SENTENCES = ['Good morning.', 'My name is Ann.', 'Goodbye.'];

const heardIn = ({ pcm }: TranscribeRequest) =>
  whisperResult(whisperSegment(SENTENCES[pcm[0] ?? -1] ?? '', { end: 8 }));

/** Recognizes one sentence in each chunk. */
const speaking = () => new FakeEngine(heardIn);

/** Fails once, at its `call`-th request. */
const failingAt = (call: number, error: unknown) =>
  new FakeEngine((request, now) => {
    if (now === call) throw error;
    return heardIn(request);
  });

describe('a job', () => {
  it('writes the finished transcript in one piece', async () => {
    const job = createJob({
      engine: speaking(),
      media: new FakeMedia(chunksOf(3), { warnings: ['Cut off.'] }),
    });
    await job.run();
    expect(job.transcript()).toMatchObject({
      status: 'completed',
      percent: 100,
      lease: null,
      text: SENTENCES.join(' '),
      wordCount: 7,
      duration: 30,
      language: 'en',
      languageConfidence: 1,
      modelId: 'small',
      fileName: 'talk.wav',
      fileSize: 5,
      fileFormat: 'wav',
      warnings: ['Cut off.'],
      completedAt: job.clock.now(),
      checkpoint: null,
      error: null,
    });
    expect(job.texts()).toEqual(SENTENCES);
  });

  it('charges credits for the seconds of audio', async () => {
    const job = createJob({ engine: speaking() });
    await job.run();
    expect(job.transcript().creditsUsed).toBe(1);
    expect(creditsBy(job.db, 'usr_1', 'model')).toMatchObject([{ credits: 1 }]);
  });

  it('recognizes nothing that the budget does not cover, if the duration is declared', async () => {
    const engine = speaking();
    const job = createJob({ engine });
    updateUser(job.db, { id: 'usr_1', name: 'Ann', storageLimit: null, creditBudget: 0.99 });
    await expect(job.run()).rejects.toMatchObject({ code: 'budget_exceeded' });
    expect(engine.requests).toHaveLength(0);
    expect(creditsBy(job.db, 'usr_1', 'model')).toEqual([]);
  });

  it('stops before the chunk that the budget does not cover, if the duration is unknown', async () => {
    const job = createJob({ engine: speaking(), media: new FakeMedia(chunksOf(3), { duration: null }) });
    updateUser(job.db, { id: 'usr_1', name: 'Ann', storageLimit: null, creditBudget: 0.7 });
    await expect(job.run()).rejects.toMatchObject({ code: 'budget_exceeded' });
    expect(job.texts()).not.toContain('Goodbye.');
  });

  it('fits a budget that is as large as its price, beside one that has failed', async () => {
    const job = createJob({ engine: speaking() });
    addJob(job.db, 'usr_1', { status: 'failed', creditsReserved: 1 });
    updateUser(job.db, { id: 'usr_1', name: 'Ann', storageLimit: null, creditBudget: 1 });
    await job.run();
    expect(job.transcript()).toMatchObject({ status: 'completed', creditsUsed: 1, creditsReserved: 0 });
  });

  it('writes the peaks of the whole audio: 20 pairs of bytes a second', async () => {
    const job = createJob({ engine: speaking() });
    await job.run();
    expect(statSync(job.fileOf('peaks-20.bin')).size).toBe(30 * 20 * 2);
  });

  it('passes through its stages in order, and its percent never exceeds 100', async () => {
    const job = createJob({ engine: speaking() });
    await job.run();
    const stages = [...new Set(job.progress.map(({ stage }) => stage))];
    expect(stages).toEqual(['decoding', 'transcribing', 'analyzing']);
    expect(Math.max(...job.progress.map(({ percent }) => percent))).toBeLessThanOrEqual(100);
  });

  it('says so when another model stands in for the one that was asked for', async () => {
    const job = createJob({ engine: speaking() });
    job.world.model = { ...job.world.model, standsInFor: 'tiny.en-q8_0' };
    await job.run();
    expect(sentencesOf(job.transcript().warnings)).toEqual([
      'The model small, held to English, answered for nano, whose own is not installed. Install it with: earshot models install tiny.en-q8_0',
    ]);
  });

  it('says so when the model takes no prompt', async () => {
    const job = createJob({ engine: speaking(), request: { prompt: 'Northwind' } });
    job.world.model = { ...job.world.model, capabilities: PARAKEET };
    await job.run();
    expect(sentencesOf(job.transcript().warnings)).toContain(
      'The prompt had no effect: the model small does not take one.',
    );
  });

  it('decodes only the range that was asked for', async () => {
    const job = createJob({ engine: speaking(), request: { audio_start_from: 5, audio_end_at: 25 } });
    await job.run();
    expect(job.media.decodes).toMatchObject([{ start: 5, end: 25 }]);
  });

  it('analyzes what it recognized', async () => {
    const job = createJob({ engine: speaking(), request: { entity_detection: true } });
    await job.run();
    expect(JSON.stringify(job.transcript().analysis)).toContain('Ann');
  });
});

describe('an interrupted job', () => {
  it('resumes at its checkpoint and gives the same text', async () => {
    const job = createJob({ engine: failingAt(2, new AppError('interrupted', 'closed')) });
    await expect(job.run()).rejects.toMatchObject({ code: 'interrupted' });
    expect(job.transcript()).toMatchObject({
      status: 'processing',
      checkpoint: { streams: [{ chunk: 2, at: 20 }] },
    });
    expect(job.texts()).toEqual(SENTENCES.slice(0, 2));

    job.release();
    await job.run();
    expect(job.media.decodes.map(({ resume }) => resume)).toEqual([undefined, { at: 20, index: 2 }]);
    expect(job.transcript().status).toBe('completed');
    expect(job.texts()).toEqual(SENTENCES);
  });

  it('starts over where another model answers now', async () => {
    const job = createJob({ engine: failingAt(2, new AppError('interrupted', 'closed')) });
    await expect(job.run()).rejects.toMatchObject({ code: 'interrupted' });
    job.release();
    job.world.model = { ...job.world.model, id: 'large' };
    await job.run();
    expect(job.media.decodes.map(({ resume }) => resume)).toEqual([undefined, undefined]);
    expect(job.transcript()).toMatchObject({ status: 'completed', modelId: 'large' });
    expect(job.texts()).toEqual(SENTENCES);
  });

  it('keeps its checkpoint at a shutdown', async () => {
    const job = createJob({ engine: failingAt(2, new AppError('cancelled', 'stopped')) });
    await expect(job.run(aborted('shutdown'))).rejects.toThrow();
    expect(job.transcript()).toMatchObject({ status: 'processing', error: null });
  });

  it('writes nothing when another run has taken it over', async () => {
    const engine = new FakeEngine((request, call) => {
      if (call === 2) {
        updateTranscript(job.db, job.id, { lease: null });
        claimNext(job.db, 'another-run', 1);
      }
      return heardIn(request);
    });
    const job = createJob({ engine });
    await expect(job.run()).rejects.toMatchObject({ code: 'interrupted' });
    expect(job.transcript()).toMatchObject({ status: 'processing', attempt: 2, text: '', creditsUsed: 0 });
  });
});

describe('a job that fails', () => {
  it('shows the text so far and removes its work folder', async () => {
    const job = createJob({ engine: failingAt(2, new AppError('model_invalid', 'The model is broken.')) });
    await expect(job.run()).rejects.toMatchObject({ code: 'model_invalid' });
    expect(job.transcript()).toMatchObject({ text: SENTENCES.slice(0, 2).join(' '), wordCount: 6 });
    expect(job.hasWorkFolder()).toBe(false);
  });

  it('keeps no text that was to be redacted', async () => {
    const engine = failingAt(2, new AppError('model_invalid', 'The model is broken.'));
    const job = createJob({ engine, request: { redact_pii: true } });
    await expect(job.run()).rejects.toMatchObject({ code: 'model_invalid' });
    expect(job.transcript()).toMatchObject({ text: '', checkpoint: null });
    expect(job.texts()).toEqual([]);
  });

  it('fails for want of its model before it touches the audio', async () => {
    const job = createJob({ engine: speaking() });
    job.world.prepareModel = () => Promise.reject(new AppError('model_not_installed', 'Install it.'));
    await expect(job.run()).rejects.toMatchObject({ code: 'model_not_installed' });
    expect(job.media.decodes).toEqual([]);
  });

  it('fails where the uploaded file was deleted', async () => {
    const job = createJob({ engine: speaking() });
    job.world.fileId = undefined;
    await expect(job.run()).rejects.toMatchObject({ code: 'file_not_found' });
  });

  it('fails where too little of it is speech', async () => {
    const enough = createJob({ engine: speaking(), request: { speech_threshold: 0.75 } });
    await enough.run();
    expect(enough.transcript().status).toBe('completed');
    const job = createJob({ engine: speaking(), request: { speech_threshold: 0.85 } });
    await expect(job.run()).rejects.toMatchObject({
      code: 'too_little_speech',
      message: expect.stringMatching(/in (79|80) % of this recording.* 85 %/),
    });
    expect(creditsBy(job.db, 'usr_1', 'model')).toEqual([]);
  });

  it('fails where the file has no audio track', async () => {
    const job = createJob({ engine: speaking(), media: new FakeMedia(chunksOf(3), { audioStreams: [] }) });
    await expect(job.run()).rejects.toMatchObject({ code: 'no_audio_track' });
    expect(job.media.decodes).toEqual([]);
  });
});

describe('a job with redaction', () => {
  it('stores neither the text nor the sound of what it hides', async () => {
    const engine = new FakeEngine((_, call) =>
      whisperResult(whisperSegment(call === 1 ? 'Write to ann@example.org today.' : 'Fine.', { end: 8 })),
    );
    const job = createJob({ engine, request: { redact_pii: true } });
    await job.run();
    expect(job.transcript().status).toBe('completed');
    expect(job.texts().join(' ')).not.toContain('example.org');
    expect(job.transcript().text).toContain('Write to');
    const [{ spans } = { spans: [] }] = job.media.bleeps;
    expect(spans.some(({ start, end }) => start < 16 && end > 12)).toBe(true);
  });

  it.each(['hash', 'mask', 'remove'] as const)(
    'redacts its name and file name with the text: %s',
    async (method) => {
      const engine = new FakeEngine(() =>
        whisperResult(whisperSegment('My name is Zelda Quist.', { end: 8 })),
      );
      const job = createJob({ engine, request: { redact_pii: true, redact_pii_sub: method } });
      const name = 'Interview Maria Lopez 555-014-2367 zelda_quist.wav';
      updateTranscript(job.db, job.id, { name, isNameGiven: true });
      job.world.fileName = name;
      await job.run();
      const { name: shown, fileName } = job.transcript();
      for (const part of ['Maria', 'Lopez', '555', '2367', 'zelda', 'quist']) {
        expect(`${shown} ${fileName}`).not.toContain(part);
      }
      expect(shown).toMatch(/^Interview.*\.wav$/);
      expect(fileName).toBe(shown);
      for (const q of ['maria', 'lopez', 'zelda']) {
        expect(countMatches(job.db, 'usr_1', q)).toBe(0);
      }
    },
  );

  it.each([
    ['maria@example.com.wav', /maria|example/],
    ['Call with Mr.Lopez', /Lopez/],
    ['Interview_Maria_Lopez_2026.m4a', /Maria|Lopez/],
    ['maria lopez, card 4111111111111111', /4111/],
  ])('redacts the name %s', async (name, hidden) => {
    const job = createJob({ engine: speaking(), request: { redact_pii: true } });
    updateTranscript(job.db, job.id, { name });
    await job.run();
    expect(job.transcript().name).not.toMatch(hidden);
  });

  it.each([
    [
      'storage:/usr_01JD3ZA0C4E6G8J1K3M5N7P9Q2/files/Call-Maria-Lopez_20261122T104500123Z.wav',
      /^storage:\/usr_01JD3ZA0C4E6G8J1K3M5N7P9Q2\/files\/Call.*\.wav$/,
    ],
    ['https://example.org/2026/Call%20Maria%20Lopez.wav', /^https:\/\/example\.org\/2026\/Call.*\.wav$/],
    ['https://example.org/Maria-Lopez/call.wav?a=1', /^https:\/\/example\.org\/.*\/call\.wav\?a=1$/],
    ['https://example.org/call.wav?a=1&for=Maria+Lopez#Maria-Lopez', /^https:.*\?a=1&for=[^#]*$/],
  ])('redacts the address %s', async (audioUrl, shape) => {
    const job = createJob({ engine: speaking(), request: { redact_pii: true } });
    updateTranscript(job.db, job.id, { audioUrl });
    await job.run();
    expect(job.transcript().audioUrl).not.toMatch(/Maria|Lopez/);
    expect(job.transcript().audioUrl).toMatch(shape);
  });

  it.each([
    'storage:/usr_01JD3ZA0C4E6G8J1K3M5N7P9Q2/files/weekly-meeting_20261122T104500123Z.wav',
    'https://cdn.example.org/podcast/episode%20seven.mp3?token=aGVsbG8#t=90',
  ])('keeps an address without private data as it is: %s', async (audioUrl) => {
    const job = createJob({ engine: speaking(), request: { redact_pii: true } });
    updateTranscript(job.db, job.id, { audioUrl });
    await job.run();
    expect(job.transcript().audioUrl).toBe(audioUrl);
  });

  it('keeps names that were not to be redacted', async () => {
    const job = createJob({ engine: speaking(), request: { redact_pii: true, redact_names: false } });
    const names = { name: 'Call Maria Lopez.wav', audioUrl: 'storage:/usr_1/files/Call-Maria-Lopez.wav' };
    updateTranscript(job.db, job.id, names);
    await job.run();
    expect(job.transcript()).toMatchObject(names);
  });

  it('keeps a name without private data as it is', async () => {
    const job = createJob({ engine: speaking(), request: { redact_pii: true } });
    updateTranscript(job.db, job.id, { name: 'weekly_meeting-notes 2.wav' });
    await job.run();
    expect(job.transcript()).toMatchObject({ name: 'weekly_meeting-notes 2.wav', fileName: 'talk.wav' });
  });
});
