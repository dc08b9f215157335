import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWhisperEngine, type WhisperEngine } from '../../../electron/core/engines/whisper/engine.ts';
import { forkNodeWorker } from '../../../electron/core/engines/worker/client.ts';
import { testAddon } from '../../support/addon.ts';
import { truth } from '../../support/fixtures.ts';
import { SPEECH_DETECTOR, STARTER_MODEL, WORKER_ENTRY } from '../../support/paths.ts';
import { cut, fixturePcm } from '../../support/pcm.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const SECONDS_PER_WINDOW = 512 / 16_000;
const modelPath = SPEECH_DETECTOR;

let addonPath: string;
let engine: WhisperEngine;

beforeAll(async () => {
  addonPath = await testAddon();
  engine = createWhisperEngine({ fork: forkNodeWorker(WORKER_ENTRY), addonPath, threads: 1, concurrency: 2 });
});
afterAll(() => engine.close());

const detect = (pcm: Float32Array, signal?: AbortSignal): Promise<Float32Array> =>
  engine.speechProbabilities({ modelPath, pcm, ...(signal && { signal }) });

/** The share of windows in the span of these seconds that are speech rather than not. */
const shareOfSpeech = (probabilities: Float32Array, start: number, end: number): number => {
  const windows = probabilities.slice(
    Math.ceil(start / SECONDS_PER_WINDOW),
    Math.floor(end / SECONDS_PER_WINDOW),
  );
  return windows.filter((probability) => probability > 0.5).length / windows.length;
};

describe('the speech detector', () => {
  it('hears the sentences of a recording, and nothing in the long pause between them', async () => {
    const pcm = fixturePcm('13-long-pause.wav');
    const probabilities = await detect(pcm);
    expect(probabilities).toHaveLength(Math.ceil(pcm.length / 512));
    const { sentences } = truth('13-long-pause.wav');
    for (const { start, end } of sentences)
      expect(shareOfSpeech(probabilities, start, end)).toBeGreaterThan(0.7);
    const pauses = sentences
      .slice(1)
      .map(({ start }, index) => ({ start: sentences[index]?.end ?? 0, end: start }));
    const longest = pauses.sort((a, b) => b.end - b.start - (a.end - a.start))[0] ?? { start: 0, end: 0 };
    expect(longest.end - longest.start).toBeGreaterThan(5);
    expect(shareOfSpeech(probabilities, longest.start + 1, longest.end - 0.5)).toBe(0);
  });

  it.each(['09-silence.wav', '10-noise.ogg'])('hears no speech in %s', async (fixture) => {
    const probabilities = await detect(fixturePcm(fixture));
    expect(Math.max(...probabilities)).toBeLessThan(0.5);
  });

  it('begins anew with every call, also beside another, and continues the last window with silence', async () => {
    const pcm = fixturePcm('01-short-note.wav');
    const [first, second] = await Promise.all([detect(pcm), detect(pcm)]);
    expect(second).toEqual(first);
    // Longer than what is detected between two looks at the signal, so that windows depend on those of the block before.
    const twice = new Float32Array(2 * pcm.length);
    twice.set(pcm);
    twice.set(pcm, pcm.length);
    expect((await detect(twice)).slice(0, Math.floor(pcm.length / 512))).toEqual(
      first.slice(0, Math.floor(pcm.length / 512)),
    );
    const short = await detect(pcm.slice(0, 5 * 512 + 1));
    const padded = new Float32Array(6 * 512);
    padded.set(pcm.slice(0, 5 * 512 + 1));
    expect(short).toEqual(await detect(padded));
    expect(short.slice(0, 5)).toEqual(first.slice(0, 5));
  });

  it('survives a crash of its process, and stays usable beside a model of recognition', async () => {
    const pcm = cut(fixturePcm('01-short-note.wav'), 0, 4.3);
    const before = await detect(pcm);
    const pid = engine.workerPid ?? 0;
    const speech = new Float32Array(16_000 * 600);
    const crashed = detect(speech);
    process.kill(pid, 'SIGSEGV');
    await expect(crashed).rejects.toMatchObject({ code: 'engine_crashed' });
    expect(await detect(pcm)).toEqual(before);
    const { segments } = await engine.transcribe({
      modelPath: STARTER_MODEL,
      pcm,
      params: { language: 'en' },
    });
    expect(segments.length).toBeGreaterThan(0);
    expect(await detect(pcm)).toEqual(before);
  });

  it('stops when its signal aborts, in the same process', async () => {
    await detect(new Float32Array(512));
    const pid = engine.workerPid;
    const controller = new AbortController();
    const stopped = detect(new Float32Array(16_000 * 600), controller.signal);
    controller.abort();
    await expect(stopped).rejects.toMatchObject({ code: 'cancelled' });
    await detect(new Float32Array(512));
    expect(engine.workerPid).toBe(pid);
  });

  it('refuses audio without samples or with numbers that are none, and files that it cannot use', async () => {
    await expect(detect(new Float32Array(0))).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(detect(new Float32Array([0, Number.NaN]))).rejects.toMatchObject({
      code: 'invalid_request',
    });
    const pcm = new Float32Array(512);
    const withModel = (path: string) => engine.speechProbabilities({ modelPath: path, pcm });
    await expect(withModel(join(temporaryFolder(), 'none.bin'))).rejects.toMatchObject({
      code: 'model_not_installed',
    });
    await expect(withModel(STARTER_MODEL)).rejects.toMatchObject({ code: 'model_invalid' });
    const damaged = join(temporaryFolder(), 'damaged.bin');
    const bytes = readFileSync(SPEECH_DETECTOR);
    for (const length of [3, 20, 60, 100, 5000, bytes.length - 1]) {
      copyFileSync(SPEECH_DETECTOR, damaged);
      truncateSync(damaged, length);
      await expect(withModel(damaged), String(length)).rejects.toMatchObject({ code: 'model_invalid' });
    }
    // Every number of the header that whisper.cpp relies on.
    for (const offset of [4, ...Array.from({ length: 22 }, (_, index) => 30 + 4 * index)]) {
      const changed = Buffer.from(bytes);
      changed.writeInt32LE(-1, offset);
      writeFileSync(damaged, changed);
      await expect(withModel(damaged), String(offset)).rejects.toMatchObject({ code: 'model_invalid' });
    }
    // The detector that was loaded first is still there.
    expect(await detect(pcm)).toHaveLength(1);
  });
});
