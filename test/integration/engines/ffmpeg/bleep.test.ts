import { execFile } from 'node:child_process';
import { readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { CoverTransform } from '../../../../electron/core/engines/ffmpeg/bleep.ts';
import { createMediaEngine } from '../../../../electron/core/engines/ffmpeg/engine.ts';
import { findFfmpeg } from '../../../../electron/core/engines/ffmpeg/tools.ts';
import type { MediaEngine, MediaInput, Span } from '../../../../electron/core/engines/ffmpeg/types.ts';
import { writeSilence } from '../../../generators/wav.ts';
import { ffmpeg } from '../../../support/ffmpeg.ts';
import { fixturePath } from '../../../support/fixtures.ts';
import { processesWith } from '../../../support/processes.ts';
import { createRandom, SEED } from '../../../support/random.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const run = promisify(execFile);
const TITLE = 'Call 555 0123';

describe('bleep', () => {
  let engine: MediaEngine;
  let folder: string;
  let output: string;
  /** The beginning of a talk, and its samples. */
  let talk: string;
  let before: Float32Array;

  const pcmOf = async (path: string): Promise<Float32Array> => {
    const { stdout } = await run(
      'ffmpeg',
      ['-v', 'error', '-i', path, '-ac', '1', '-ar', '16000', '-f', 'f32le', '-'],
      {
        encoding: 'buffer',
        maxBuffer: 1e9,
      },
    );
    return new Float32Array(new Uint8Array(stdout).buffer);
  };

  const input = (name: string): MediaInput => ({ kind: 'file', path: fixturePath(name) });

  /** The share of the energy at one frequency (Goertzel), 0 to 1. */
  const share = (pcm: Float32Array, hertz: number): number => {
    const coefficient = 2 * Math.cos((2 * Math.PI * hertz) / 16_000);
    let [one, two, all] = [0, 0, 0];
    for (const value of pcm) {
      [one, two] = [value + coefficient * one - two, one];
      all += value * value;
    }
    return (2 * (one * one + two * two - coefficient * one * two)) / (all * pcm.length);
  };

  const between = (pcm: Float32Array, { start, end }: Span): Float32Array =>
    pcm.subarray(Math.round(start * 16_000), Math.round(end * 16_000));

  beforeAll(async () => {
    engine = createMediaEngine(await findFfmpeg({ environment: process.env, platform: process.platform }));
    folder = temporaryFolder();
    output = join(folder, 'out');
    talk = join(folder, 'talk.m4a');
    const title = ['-metadata', `title=${TITLE}`];
    await ffmpeg('-i', fixturePath('04-personal-data.m4a'), '-t', '14', ...title, talk);
    expect((await readFile(talk)).includes(TITLE)).toBe(true);
    before = await pcmOf(talk);
  });

  it.each(['wav', 'm4a', 'ogg'] as const)(
    'covers spans with a tone in %s, leaves the rest in place, and drops the metadata of the source',
    async (format) => {
      const spans = [
        { start: 2, end: 3 },
        { start: 10, end: 11.5 },
      ];
      const result = await engine.bleep({ input: { kind: 'file', path: talk }, output, spans, format });
      expect(result.bytes).toBe((await stat(output)).size);
      const after = await pcmOf(output);
      expect(Math.abs(after.length - before.length)).toBeLessThan(2500);
      expect(Math.abs(result.duration - before.length / 16_000)).toBeLessThan(0.1);
      for (const span of spans) {
        const inside = { start: span.start + 0.1, end: span.end - 0.1 };
        expect(share(between(before, inside), 1000)).toBeLessThan(0.3);
        expect(share(between(after, inside), 1000)).toBeGreaterThan(0.9);
      }
      const { stdout } = await run('ffprobe', ['-v', 'error', '-show_format', '-show_streams', output]);
      expect(stdout).toContain('[/FORMAT]');
      expect(stdout).not.toContain(TITLE);
      if (format === 'wav') {
        const same = { start: 4, end: 9.9 };
        const [a, b] = [between(before, same), between(after, same)];
        expect(Math.max(...a.map((value, i) => Math.abs(value - (b[i] ?? 9))))).toBeLessThan(1e-4);
      }
    },
  );

  it('mutes on request, keeps a range, and takes only the audio of a video', async () => {
    const spans = [{ start: 6, end: 8 }];
    await engine.bleep({
      input: input('07-french-video.mp4'),
      output,
      spans,
      format: 'wav',
      cover: 'mute',
      range: { start: 5, end: 15 },
    });
    const pcm = await pcmOf(output);
    expect(pcm.length / 16_000).toBeCloseTo(10, 2);
    expect(between(pcm, { start: 1, end: 3 }).every((value) => value === 0)).toBe(true);
    expect(between(pcm, { start: 3, end: 10 }).some((value) => value !== 0)).toBe(true);
    expect(await engine.probe({ kind: 'file', path: output })).toMatchObject({ hasVideo: false });
  });

  it('reports a full disk, and ends the decoder with the encoder', async () => {
    const target = join(folder, 'full.wav');
    await symlink('/dev/full', target);
    const long = join(folder, 'ten-minutes.wav');
    writeSilence(long, 600);
    const bleeping = engine.bleep({
      input: { kind: 'file', path: long },
      output: target,
      spans: [],
      format: 'wav',
    });
    await expect(bleeping).rejects.toMatchObject({ code: 'disk_full' });
    expect(processesWith(long)).toEqual([]);
  });

  it('handles hundreds of spans', async () => {
    const spans = Array.from({ length: 700 }, (_value, i) => ({ start: i / 3, end: i / 3 + 0.1 }));
    await engine.bleep({ input: input('08-meeting-4min.mp3'), output, spans, format: 'wav' });
    const pcm = await pcmOf(output);
    const [first, last] = [spans[1], spans[690]];
    for (const span of [first, last]) {
      if (span === undefined) throw new Error('no span');
      expect(share(between(pcm, span), 1000)).toBeGreaterThan(0.9);
    }
  });

  it('ends whenever it is cancelled', async () => {
    const random = createRandom(SEED);
    const cancelSoon = async (index: number): Promise<void> => {
      const abort = new AbortController();
      setTimeout(() => abort.abort(), random.int(0, 250));
      const bleeping = engine.bleep({
        input: input('04-personal-data.m4a'),
        output: join(folder, `cancelled-${index}`),
        spans: [{ start: 1, end: 2 }],
        format: 'm4a',
        signal: abort.signal,
      });
      // A fast machine may be done before.
      await bleeping.catch((error: unknown) => expect(error).toMatchObject({ code: 'cancelled' }));
    };
    // Six at once, so that the moments differ in what the processes have written by then.
    await Promise.all(Array.from({ length: 6 }, (_, i) => cancelSoon(i)));
  });

  it('leaves no file and no process when it fails or is cancelled', async () => {
    const target = join(folder, 'failed.m4a');
    const text = join(folder, 'text.mp3');
    await writeFile(text, 'words');
    const failing = engine.bleep({
      input: { kind: 'file', path: text },
      output: target,
      spans: [],
      format: 'm4a',
    });
    await expect(failing).rejects.toMatchObject({ code: 'not_media' });
    const abort = new AbortController();
    const long = join(folder, 'long.wav');
    writeSilence(long, 1800);
    setTimeout(() => abort.abort(), 300);
    const cancelled = engine.bleep({
      input: { kind: 'file', path: long },
      output: target,
      spans: [],
      format: 'm4a',
      signal: abort.signal,
    });
    await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' });
    expect(await readdir(folder)).not.toContain('failed.m4a');
    expect(processesWith(long)).toEqual([]);
    expect(processesWith(target)).toEqual([]);
  });
});

describe('CoverTransform', () => {
  const cover = async (spans: Span[], chunks: number[]): Promise<number[]> => {
    const transform = new CoverTransform({ sampleRate: 10, channels: 1, spans, start: 1, cover: 'mute' });
    const out: Buffer[] = [];
    transform.on('data', (chunk: Buffer) => out.push(chunk));
    const bytes = Buffer.alloc(40);
    for (let i = 0; i < 20; i++) bytes.writeInt16LE(i + 1, i * 2);
    let at = 0;
    for (const size of chunks) {
      transform.write(bytes.subarray(at, at + size));
      at += size;
    }
    await new Promise<void>((resolve) => {
      transform.end(resolve);
    });
    const all = Buffer.concat(out);
    return Array.from({ length: all.length / 2 }, (_value, i) => all.readInt16LE(i * 2));
  };

  it('covers the same frames whatever the size of the reads, also for unsorted, overlapping and outside spans', async () => {
    const spans = [
      { start: 2.5, end: 2.7 },
      { start: 0, end: 1.2 },
      { start: 1.5, end: 1.8 },
      { start: 1.7, end: 1.9 },
      { start: 90, end: 91 },
      { start: 2.2, end: 2.2 },
    ];
    const expected = Array.from({ length: 20 }, (_value, i) =>
      i < 2 || (i >= 5 && i < 9) || (i >= 15 && i < 17) ? 0 : i + 1,
    );
    for (const chunks of [[40], [1, 39], [3, 7, 11, 19], Array.from({ length: 40 }, () => 1)]) {
      expect(await cover(spans, chunks)).toEqual(expected);
    }
  });
});
