import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMediaEngine } from '../../../../electron/core/engines/ffmpeg/engine.ts';
import { findFfmpeg } from '../../../../electron/core/engines/ffmpeg/tools.ts';
import type {
  AudioPiece,
  DecodeOptions,
  DecodeSummary,
  MediaEngine,
  MediaInput,
} from '../../../../electron/core/engines/ffmpeg/types.ts';
import { createHttpClient } from '../../../../electron/core/engines/net/http-client.ts';
import { openRangeReader } from '../../../../electron/core/engines/range-reader/range-reader.ts';
import { ffmpeg } from '../../../support/ffmpeg.ts';
import { fixturePath } from '../../../support/fixtures.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { file, startUrlServer } from '../../../support/url-server.ts';

const CUT = { minSeconds: 3, maxSeconds: 10 };
const FORMATS = [
  'wav',
  'mp3',
  'flac',
  'm4a',
  'ogg',
  'webm',
  'mp4',
  'mkv',
  'avi',
  'aac',
  'aiff',
  'ts',
] as const;

/** Sound to the last bit, in a form that is compared at once rather than number by number. */
const digest = ({ buffer, byteOffset, byteLength }: Float32Array): string =>
  createHash('sha256')
    .update(new Uint8Array(buffer, byteOffset, byteLength))
    .digest('hex');
const digested = (pieces: readonly AudioPiece[]) =>
  pieces.map((piece) => ({ ...piece, pcm: digest(piece.pcm), samples: piece.pcm.length }));

describe('decoding', { timeout: 60_000 }, () => {
  let engine: MediaEngine;
  let folder: string;
  const made = new Map<string, string>();

  const decode = async (
    input: MediaInput | string,
    options: DecodeOptions = {},
  ): Promise<{ pieces: AudioPiece[]; summary: DecodeSummary }> => {
    const source = typeof input === 'string' ? { kind: 'file' as const, path: input } : input;
    const { pieces, summary } = engine.decodePieces(source, { cut: CUT, ...options });
    const all: AudioPiece[] = [];
    for await (const piece of pieces) all.push(piece);
    return { pieces: all, summary: summary() };
  };

  const joined = (pieces: readonly AudioPiece[]): Float32Array => {
    const all = new Float32Array(pieces.reduce((sum, { pcm }) => sum + pcm.length, 0));
    let at = 0;
    for (const { pcm } of pieces) {
      all.set(pcm, at);
      at += pcm.length;
    }
    return all;
  };

  const pathOf = (format: string): string => {
    const path = made.get(format);
    if (path === undefined) throw new Error(`no ${format}`);
    return path;
  };

  beforeAll(async () => {
    engine = createMediaEngine(await findFfmpeg({ environment: process.env, platform: process.platform }));
    folder = temporaryFolder();
    const source = fixturePath('02-two-speakers.mp3');
    const video = ['-f', 'lavfi', '-i', 'testsrc=size=64x48:rate=5:duration=45', '-shortest'];
    for (const format of FORMATS) {
      const path = join(folder, `a.${format}`);
      const inputs = ['mp4', 'mkv', 'avi', 'ts'].includes(format) ? video : [];
      await ffmpeg('-i', source, ...inputs, ...(format === 'wav' ? ['-ar', '44100', '-ac', '2'] : []), path);
      made.set(format, path);
    }
    // An index at the front, and a variable rate.
    await ffmpeg('-i', pathOf('m4a'), '-c', 'copy', '-movflags', '+faststart', join(folder, 'front.m4a'));
    made.set('front.m4a', join(folder, 'front.m4a'));
    await ffmpeg('-i', source, '-q:a', '5', join(folder, 'vbr.mp3'));
    made.set('vbr.mp3', join(folder, 'vbr.mp3'));
  }, 60_000);

  it.each(FORMATS)('%s: the whole sound, gapless, at its right length', async (format) => {
    const { pieces, summary } = await decode(pathOf(format));
    expect(pieces.length).toBeGreaterThan(4);
    expect(summary.warnings).toEqual([]);
    expect(Math.abs(summary.duration - 44.9)).toBeLessThan(0.3);
    let end = 0;
    for (const [index, piece] of pieces.entries()) {
      expect(piece.index).toBe(index);
      expect(piece.start).toBe(end);
      expect(piece.last).toBe(index === pieces.length - 1);
      expect(piece.peaks.min.length).toBe(Math.ceil(piece.pcm.length / 800));
      end = piece.end;
    }
    expect(end).toBeCloseTo(summary.duration, 4);
  });

  it.each([...FORMATS, 'vbr.mp3'])(
    '%s: going on after any piece gives the same pieces, bit for bit',
    async (format) => {
      const { pieces, summary } = await decode(pathOf(format));
      for (const done of [pieces[0], pieces[2], pieces.at(-2)]) {
        if (done === undefined) throw new Error('too few pieces');
        const resumed = await decode(pathOf(format), { resume: { at: done.end, index: done.index + 1 } });
        expect(digested(resumed.pieces)).toEqual(digested(pieces.slice(done.index + 1)));
        expect(resumed.summary).toEqual(summary);
      }
    },
  );

  it('cuts in silences only: no piece of the meeting begins or ends in speech', async () => {
    const { pieces } = await decode(fixturePath('08-meeting-4min.mp3'), {
      cut: { minSeconds: 10, windowSeconds: 15, maxSeconds: 60 },
    });
    expect(pieces.length).toBeGreaterThan(8);
    for (const { pcm, start, end } of pieces.slice(0, -1)) {
      expect(end - start).toBeGreaterThan(9.999);
      expect(Math.max(...pcm.subarray(-1600).map(Math.abs))).toBeLessThan(0.0032);
    }
  });

  it('knows the ten seconds of silence inside a recording', async () => {
    const { pieces } = await decode(fixturePath('13-long-pause.wav'), {
      cut: { minSeconds: 30, maxSeconds: 60 },
    });
    const [piece] = pieces;
    const longest = piece?.silences.toSorted((a, b) => b.end - b.start - (a.end - a.start))[0];
    expect(longest?.start).toBeCloseTo(4.1, 1);
    expect(longest?.end).toBeCloseTo(13.85, 1);
  });

  it('a range is cut out of the whole to the sample, with times of the source', async () => {
    const whole = joined((await decode(pathOf('flac'))).pieces);
    const { pieces, summary } = await decode(pathOf('flac'), { start: 10.125, end: 20.5 });
    expect(pieces[0]?.start).toBe(10.125);
    expect(pieces.at(-1)?.end).toBe(20.5);
    expect(summary.duration).toBe(10.375);
    expect(digest(joined(pieces))).toBe(digest(whole.slice(10.125 * 16_000, 20.5 * 16_000)));
  });

  it('an end past the audio means its end; a start past it is an empty range', async () => {
    const { summary } = await decode(pathOf('wav'), { start: 40, end: 1000 });
    expect(summary.duration).toBeCloseTo(4.8, 1);
    expect(summary.warnings).toEqual([]);
    await expect(decode(pathOf('mp3'), { start: 100 })).rejects.toMatchObject({
      code: 'empty_range',
      message: expect.stringContaining('45 seconds long'),
    });
  });

  it('a resumed range gives the same pieces too', async () => {
    const options = { start: 5, end: 30 };
    const { pieces } = await decode(pathOf('m4a'), options);
    const [done] = pieces;
    if (done === undefined) throw new Error('no piece');
    const resumed = await decode(pathOf('m4a'), { ...options, resume: { at: done.end, index: 1 } });
    expect(digested(resumed.pieces)).toEqual(digested(pieces.slice(1)));
  });

  it('a late start and a gap of the sound become silence, so that times stay those of the player', async () => {
    const late = join(folder, 'late.mkv');
    const video = ['-f', 'lavfi', '-i', 'testsrc=size=64x48:rate=5:duration=20'];
    await ffmpeg(...video, '-itsoffset', '3', '-i', fixturePath('01-short-note.wav'), '-c:a', 'flac', late);
    const note = joined((await decode(fixturePath('01-short-note.wav'))).pieces);
    const delayed = joined((await decode(late)).pieces);
    expect(delayed.subarray(0, 47_000).every((value) => value === 0)).toBe(true);
    expect(digest(delayed.subarray(48_000, 48_000 + note.length))).toBe(digest(note));

    const gap = join(folder, 'gap.mkv');
    await ffmpeg(
      ...['-i', fixturePath('01-short-note.wav'), '-af', "aselect='not(between(t,4,8))'"],
      ...['-c:a', 'pcm_s16le', gap],
    );
    const holed = joined((await decode(gap)).pieces);
    expect(Math.abs(holed.length - note.length)).toBeLessThan(1600);
    expect(digest(holed.subarray(10 * 16_000, 14 * 16_000))).toBe(
      digest(note.subarray(10 * 16_000, 14 * 16_000)),
    );
  });

  it('takes the first sound track of several', async () => {
    const two = join(folder, 'two.mka');
    await ffmpeg(
      ...['-i', fixturePath('01-short-note.wav'), '-i', fixturePath('09-silence.wav')],
      ...['-map', '0:a', '-map', '1:a', '-c:a', 'flac', two],
    );
    const info = await engine.probe({ kind: 'file', path: two });
    expect(info.audioStreams).toHaveLength(2);
    expect((await decode(two)).summary.duration).toBeCloseTo(15.4, 1);
  });

  it('gives no length that is only a guess, and decodes such a file to its end', async () => {
    const path = join(folder, 'unmarked.mp3');
    await ffmpeg('-i', fixturePath('08-meeting-4min.mp3'), '-q:a', '5', '-write_xing', '0', path);
    expect(await engine.probe({ kind: 'file', path })).toMatchObject({ duration: null });
    const { summary } = await decode(path);
    expect(summary).toEqual({ duration: expect.closeTo(233.4, 0), warnings: [] });
  });

  it('probes what people want to know', async () => {
    const of = async (format: string): Promise<unknown> =>
      engine.probe({ kind: 'file', path: pathOf(format) });
    expect(await of('wav')).toMatchObject({
      format: 'wav',
      hasVideo: false,
      audioStreams: [{ codec: 'pcm_s16le', sampleRate: 44_100, channels: 2 }],
    });
    expect(await of('mp3')).toMatchObject({ format: 'mp3', duration: expect.closeTo(44.9, 0) });
    expect(await of('m4a')).toMatchObject({ format: 'm4a', hasVideo: false });
    expect(await of('mp4')).toMatchObject({ format: 'mp4', hasVideo: true });
    expect(await of('webm')).toMatchObject({ format: 'webm' });
    expect(await of('mkv')).toMatchObject({ hasVideo: true });
    expect(await engine.version()).toMatch(/^\S+$/);
  });

  it.each([...FORMATS, 'front.m4a', 'vbr.mp3'])(
    '%s: a range over the network is the same sound as from the file',
    async (format) => {
      const server = await startUrlServer();
      const client = createHttpClient({
        policy: () => ({ allowPrivateAddresses: true, offline: false }),
        version: '0',
      });
      try {
        const url = server.set('/a', file(await readFile(pathOf(format))));
        const opened = await openRangeReader({ client, url, maxBytes: 1e9 });
        if (!opened.supported) throw new Error(opened.reason);
        const options = { start: 20, end: 30 };
        const remote = await decode(opened.reader, options);
        await opened.reader.close();
        const local = await decode(pathOf(format), options);
        expect(remote.summary.warnings).toEqual([]);
        expect(Math.abs(remote.summary.duration - 10)).toBeLessThan(0.002);
        // Seeking is exact to a frame of the codec (36 ms in an MP3 of 16 kHz), and lossy decoders start
        // with other noise.
        const [a, b] = [joined(remote.pieces), joined(local.pieces)];
        let best = Number.POSITIVE_INFINITY;
        for (let shift = -600; shift <= 600; shift++) {
          let sum = 0;
          for (let i = 1000; i < b.length - 1000; i += 31) sum += Math.abs((a[i] ?? 0) - (b[i + shift] ?? 0));
          best = Math.min(best, sum / (b.length / 31));
        }
        expect(best).toBeLessThan(0.002);
      } finally {
        await client.close();
        await server.close();
      }
    },
  );
});
