import { describe, expect, it } from 'vitest';
import { SAMPLE_RATE } from '../../../../electron/core/base/audio.ts';
import { AppError } from '../../../../electron/core/base/errors.ts';
import { MAX_ENGINE_CRASHES_PER_CHUNK } from '../../../../electron/core/pipeline/recognition/chunk-scheduler.ts';
import type { RecognitionCheckpoint } from '../../../../electron/core/stores/codecs.ts';
import { claimNext, releaseJob } from '../../../../electron/core/stores/jobs.ts';
import type { StoredSegment } from '../../../../electron/core/stores/segments.ts';
import { chunkOf, FakeEngine, whisperResult, whisperSegment } from '../../../support/fake-engine.ts';
import { chunks, numbering, startJob } from './support/job.ts';

const crash = () => new AppError('engine_crashed', 'The engine crashed.');

describe('saving', () => {
  it('saves segments, numbers and checkpoint chunk by chunk', async () => {
    const job = startJob({ engine: numbering(), chunks: chunks(3), seconds: 30 });
    const { summary, checkpoint } = await job.run();
    expect(job.segments().map(({ id, text, start }) => [id, text, start])).toEqual([
      [0, 'Text 0', 0],
      [1, 'Text 1', 10],
      [2, 'Text 2', 20],
    ]);
    expect(job.saved).toEqual(job.segments());
    expect(checkpoint).toMatchObject({ streams: [{ chunk: 3, at: 30 }], segments: 3 });
    expect(job.checkpoint()).toEqual(checkpoint);
    expect(summary.duration).toBe(30);
  });

  it('saves in order, whatever order the chunks finish in', async () => {
    const results = [0, 1, 2].map(() => Promise.withResolvers<ReturnType<typeof whisperResult>>());
    const engine = new FakeEngine((_, call) => results[call]?.promise ?? whisperResult(), 3);
    const job = startJob({ engine, chunks: chunks(3) });
    const running = job.run();
    await expect.poll(() => engine.requests).toHaveLength(3);
    for (const call of [2, 1]) {
      results[call]?.resolve(whisperResult(whisperSegment(`Text ${call}`)));
      await new Promise(setImmediate);
      expect(job.segments()).toEqual([]);
    }
    results[0]?.resolve(whisperResult(whisperSegment('Text 0')));
    await running;
    expect(job.segments().map(({ text }) => text)).toEqual(['Text 0', 'Text 1', 'Text 2']);
  });

  it('keeps one chunk more in flight than the engine runs at once', async () => {
    const first = Promise.withResolvers<ReturnType<typeof whisperResult>>();
    const engine = new FakeEngine((_, call) => (call === 0 ? first.promise : whisperResult()), 2);
    const job = startJob({ engine, chunks: chunks(8) });
    const running = job.run();
    await expect.poll(() => engine.requests).toHaveLength(3);
    await new Promise(setImmediate);
    expect(job.events).toEqual(['decoded 0', 'decoded 1', 'decoded 2']);
    first.resolve(whisperResult());
    await running;
    expect(engine.requests).toHaveLength(8);
  });

  it('stops at the first failed chunk and keeps what was saved before it', async () => {
    const engine = new FakeEngine((_, call) => {
      if (call === 1) throw new AppError('internal_error', 'No memory.');
      return whisperResult(whisperSegment(`Text ${call}`));
    });
    const job = startJob({ engine, chunks: chunks(10) });
    await expect(job.run()).rejects.toMatchObject({ code: 'internal_error', message: 'No memory.' });
    expect(job.segments().map(({ text }) => text)).toEqual(['Text 0']);
    expect(job.checkpoint()).toMatchObject({ streams: [{ chunk: 1, at: 10 }] });
    expect(job.events.filter((event) => event.startsWith('decoded')).length).toBeLessThan(10);
  });

  it('frees the sound of a chunk once it is saved, and no sooner', async () => {
    const heard: number[][] = [];
    const engine = new FakeEngine((_, call) => {
      heard.push(job.pcms.map(({ length }) => length));
      if (call === 1) throw crash();
      return whisperResult();
    });
    const job = startJob({ engine, chunks: chunks(2) });
    await job.run();
    const whole = 10 * SAMPLE_RATE;
    // The second chunk is recognized twice.
    expect(heard.slice(1)).toEqual([
      [0, whole],
      [0, whole],
    ]);
    expect(job.pcms.map(({ length }) => length)).toEqual([0, 0]);
  });

  it('drops its results once another attempt holds the lease', async () => {
    const engine = new FakeEngine((_, call) => {
      if (call === 1) {
        releaseJob(job.db, job.transcript.id, job.transcript.attempt);
        claimNext(job.db, 'another run', 3);
      }
      return whisperResult(whisperSegment(`Text ${call}`));
    });
    const job = startJob({ engine, chunks: chunks(3) });
    await expect(job.run()).rejects.toMatchObject({ code: 'interrupted' });
    expect(job.segments().map(({ text }) => text)).toEqual(['Text 0']);
  });
});

describe('draining', () => {
  it('is announced once all chunks are submitted, before their results are saved', async () => {
    const last = Promise.withResolvers<ReturnType<typeof whisperResult>>();
    const engine = new FakeEngine((_, call) => (call === 1 ? last.promise : whisperResult()));
    const job = startJob({ engine, chunks: chunks(2) });
    const running = job.run();
    await expect.poll(() => job.events).toContain('draining');
    expect(job.checkpoint()?.streams[0]?.chunk ?? 0).toBeLessThan(2);
    last.resolve(whisperResult(whisperSegment('End')));
    await running;
    expect(job.events.at(-1)).toBe('saved End');
  });
});

describe('resuming', () => {
  it('continues after the last saved chunk, with the next number', async () => {
    const job = startJob({ engine: numbering(), chunks: chunks(3) });
    await job.run({
      kind: 'recognition',
      source: 'fake source',
      streams: [{ chunk: 2, at: 20, crashes: { 2: 1 } }],
      segments: 5,
      language: 'en',
      languageConfidence: 1,
      model: 'fake-model',
    });
    expect(job.resumes).toEqual([{ at: 20, index: 2 }]);
    expect(job.segments().map(({ id, start }) => [id, start])).toEqual([[5, 20]]);
    expect(job.checkpoint()).toMatchObject({ streams: [{ chunk: 3, crashes: {} }], segments: 6 });
  });
});

describe('several channels', () => {
  /** Chunks of so many seconds each, one after the other. */
  const lasting = (...lengths: readonly number[]) => {
    let start = 0;
    return lengths.map((seconds, index) => {
      const chunk = chunkOf({ index, start, seconds });
      start += seconds;
      return chunk;
    });
  };
  const channels = [lasting(20, 20), lasting(10, 10, 20)];
  const places = (segments: readonly StoredSegment[]) =>
    segments.map(({ id, channel, speaker_id, start }) => [id, channel, speaker_id, start]);

  it('are recognized in order of time, each with its own speaker', async () => {
    const job = startJob({ engine: numbering(), chunks: [], channels, seconds: 40 });
    const { checkpoint } = await job.run();
    expect(places(job.segments())).toEqual([
      [0, 0, 'A', 0],
      [1, 1, 'B', 0],
      [2, 1, 'B', 10],
      [3, 0, 'A', 20],
      [4, 1, 'B', 20],
    ]);
    expect(job.segments()[1]?.words.every(({ speaker_id }) => speaker_id === 'B')).toBe(true);
    expect(checkpoint).toMatchObject({
      streams: [
        { chunk: 2, at: 40 },
        { chunk: 3, at: 40 },
      ],
      segments: 5,
    });
  });

  it('make progress together, at the speed of the recording', async () => {
    const job = startJob({
      engine: new FakeEngine(() => {
        job.advance(10_000);
        return whisperResult(whisperSegment('Text'));
      }),
      chunks: [],
      channels,
      seconds: 40,
    });
    await job.run();
    const saved = job.progress.map(({ percent }) => Math.round(percent));
    expect(saved).toEqual([10, 31, 42, 53, 74, 95]);
    // 80 s of two channels in 50 s: 1.6 for the model, and half of that for the recording.
    expect(job.speeds).toEqual([1.6]);
    expect(job.progress.at(-1)?.speed).toBeCloseTo(0.8);
    expect(job.progress.at(-1)?.etaSeconds).toBe(0);
  });

  it('continue each at its own chunk', async () => {
    const job = startJob({ engine: numbering(), chunks: [], channels, seconds: 40 });
    await job.run({
      kind: 'recognition',
      source: 'fake source',
      streams: [
        { chunk: 1, at: 20, crashes: {} },
        { chunk: 1, at: 10, crashes: { 1: 1 } },
      ],
      segments: 2,
      language: 'en',
      languageConfidence: 1,
      model: 'fake-model',
    });
    expect(job.resumes).toEqual([
      { at: 20, index: 1 },
      { at: 10, index: 1 },
    ]);
    expect(places(job.segments())).toEqual([
      [2, 1, 'B', 10],
      [3, 0, 'A', 20],
      [4, 1, 'B', 20],
    ]);
    expect(job.checkpoint()?.streams.map(({ crashes }) => crashes)).toEqual([{}, {}]);
  });

  it('count the crashes of each by themselves', async () => {
    const engine = new FakeEngine((_, call) => {
      if (call === 1) throw crash();
      return whisperResult(whisperSegment(`Text ${call}`));
    });
    const job = startJob({ engine, chunks: [], channels: [chunks(1), chunks(2)], seconds: 20 });
    const running = job.run();
    await running;
    expect(job.warnings).toMatchObject([{ chunk: 0, count: 1 }]);
    expect(job.segments()).toHaveLength(3);
  });

  it('count a shorter one as done where it ends', async () => {
    const job = startJob({
      engine: numbering(),
      chunks: [],
      channels: [lasting(20, 20), lasting(10)],
      seconds: 40,
    });
    await job.run();
    expect(job.progress.at(-1)?.percent).toBe(95);
  });
});

describe('engine crashes', () => {
  it('retries the chunk alone, and saves the count', async () => {
    const engine = new FakeEngine((_, call) => {
      if (call === 1) throw crash();
      if (call === 2) expect(job.checkpoint()).toMatchObject({ streams: [{ chunk: 1, crashes: { 1: 1 } }] });
      return whisperResult(whisperSegment(`Text ${call}`));
    });
    const job = startJob({ engine, chunks: chunks(2) });
    await job.run();
    expect(engine.requests.map(({ exclusive }) => exclusive)).toEqual([false, false, true]);
    expect(job.segments().map(({ text }) => text)).toEqual(['Text 0', 'Text 2']);
    expect(job.checkpoint()?.streams[0]?.crashes).toEqual({});
  });

  it('gives up after MAX_ENGINE_CRASHES_PER_CHUNK on one chunk, and forgets them for a retry', async () => {
    const engine = new FakeEngine(({ pcm }) => {
      if (pcm.length === chunkOf({ seconds: 6 }).pcm.length) throw crash();
      return whisperResult(whisperSegment('Text'));
    });
    const job = startJob({
      engine,
      chunks: [...chunks(1), chunkOf({ index: 1, start: 64, seconds: 6 })],
    });
    await expect(job.run()).rejects.toMatchObject({
      code: 'engine_crashed',
      message: expect.stringContaining(`${MAX_ENGINE_CRASHES_PER_CHUNK} times over the audio at 1:04`),
    });
    expect(engine.requests).toHaveLength(1 + MAX_ENGINE_CRASHES_PER_CHUNK);
    expect(job.warnings).toHaveLength(MAX_ENGINE_CRASHES_PER_CHUNK);
    expect(job.checkpoint()).toMatchObject({ streams: [{ chunk: 1, crashes: { 1: 0 } }] });
  });

  it('continues the count of an earlier run', async () => {
    const engine = new FakeEngine(() => {
      throw crash();
    });
    const job = startJob({ engine, chunks: chunks(1) });
    const crashed = { ...firstWith({ 0: MAX_ENGINE_CRASHES_PER_CHUNK - 1 }) };
    await expect(job.run(crashed)).rejects.toMatchObject({ code: 'engine_crashed' });
    expect(engine.requests).toHaveLength(1);
    expect(engine.requests[0]?.exclusive).toBe(true);
  });

  const firstWith = (crashes: Record<string, number>): RecognitionCheckpoint => ({
    kind: 'recognition',
    source: 'fake source',
    streams: [{ chunk: 0, at: 0, crashes }],
    segments: 0,
    language: 'en',
    languageConfidence: 1,
    model: 'fake-model',
  });
});

describe('progress', () => {
  it('counts the shares of chunks in flight, and never exceeds the stage', async () => {
    const engine = new FakeEngine(({ onProgress }) => {
      onProgress?.(50);
      return whisperResult();
    });
    const job = startJob({ engine, chunks: chunks(2), seconds: 20 });
    await job.run();
    expect(job.progress.map(({ percent }) => percent)).toEqual([10, 31.25, 52.5, 73.75, 95]);
    expect(job.progress.every(({ stage }) => stage === 'transcribing')).toBe(true);
  });

  it('estimates the remaining time from the measured speed, and notes it for the model', async () => {
    const engine = new FakeEngine(() => {
      job.advance(2000);
      return whisperResult();
    });
    // It turns out to be shorter than it says.
    const job = startJob({ engine, chunks: chunks(2), seconds: 40 });
    await job.run();
    expect(job.progress).toMatchObject([{}, { speed: 5, etaSeconds: 6 }, { speed: 5, etaSeconds: 0 }]);
    expect(job.speeds).toEqual([5]);
  });
});

it('stops when the job is aborted', async () => {
  const engine = new FakeEngine(({ signal }) => {
    job.controller.abort('cancelled');
    expect(signal?.aborted).toBe(true);
    throw new AppError('cancelled', 'The job was cancelled.');
  });
  const job = startJob({ engine, chunks: chunks(3) });
  await expect(job.run()).rejects.toMatchObject({ code: 'cancelled' });
  expect(job.segments()).toEqual([]);
});
