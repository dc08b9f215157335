import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMediaEngine } from '../../../../electron/core/engines/ffmpeg/engine.ts';
import { findFfmpeg } from '../../../../electron/core/engines/ffmpeg/tools.ts';
import type {
  AudioChunk,
  DecodeOptions,
  DecodeSummary,
  FindSpeech,
  MediaEngine,
  MediaInput,
} from '../../../../electron/core/engines/ffmpeg/types.ts';
import { createHttpClient } from '../../../../electron/core/engines/net/http-client.ts';
import { openRangeReader } from '../../../../electron/core/engines/net/range-reader/range-reader.ts';
import { encodeLateSound, encodeSentence } from '../../../generators/encoded.ts';
import { ffmpeg } from '../../../support/ffmpeg.ts';
import { fixturePath } from '../../../support/fixtures.ts';
import { filePcm } from '../../../support/pcm.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { file, startUrlServer } from '../../../support/url-server.ts';

const CHUNKING = { minSeconds: 3, windowSeconds: 10 };
const FORMATS = ['wav', 'mp3', 'flac', 'm4a', 'ogg', 'webm', 'mp4', 'mkv', 'aac', 'ts'];

/** The quickest search of the encoders of MP3, AAC, Opus and H.264: their quality does not matter. */
const QUICKEST = ['-compression_level', '9'];
const QUICK_VIDEO = ['-c:v', 'libx264', '-preset', 'ultrafast'];
const QUICK_AAC = ['-aac_coder', 'fast'];
const QUICK_OPUS = ['-compression_level', '0'];
const ENCODED: Readonly<Record<string, readonly string[]>> = {
  wav: ['-ar', '44100', '-ac', '2'],
  mp3: QUICKEST,
  m4a: QUICK_AAC,
  webm: QUICK_OPUS,
  'vbr.mp3': ['-q:a', '5', ...QUICKEST],
};
/** The others: of the M4A, the Ogg, the source and a video, in this order. `front.m4a` has its index at the front. */
const COPIED: Readonly<Record<string, readonly string[]>> = {
  aac: ['-map', '0:a', '-c', 'copy'],
  'front.m4a': ['-map', '0:a', '-c', 'copy', '-movflags', '+faststart'],
  mp4: ['-map', '3:v', '-shortest', '-map', '0:a', ...QUICK_VIDEO, '-c:a', 'copy'],
  mkv: ['-map', '3:v', '-shortest', '-map', '1:a', ...QUICK_VIDEO, '-c:a', 'copy'],
  ts: ['-map', '3:v', '-shortest', '-map', '2:a'],
  avi: ['-map', '3:v', '-shortest', '-map', '2:a'],
};

/** Hashed, because comparing millions of samples one by one is slow. */
const digest = ({ buffer, byteOffset, byteLength }: Float32Array): string =>
  createHash('sha256')
    .update(new Uint8Array(buffer, byteOffset, byteLength))
    .digest('hex');
const digested = (chunks: readonly AudioChunk[]) =>
  chunks.map((chunk) => ({ ...chunk, pcm: digest(chunk.pcm), samples: chunk.pcm.length }));

/** Takes what is louder than -50 dB for speech, for lack of a model. */
const loudParts: FindSpeech = async (pcm) => {
  const spans: { start: number; end: number }[] = [];
  for (let at = 0; at < pcm.length; at += 320) {
    if (pcm.subarray(at, at + 320).every((sample) => Math.abs(sample) < 0.0032)) continue;
    const last = spans.at(-1);
    if (last !== undefined && at / 16_000 - last.end < 0.2) last.end = (at + 320) / 16_000;
    else spans.push({ start: at / 16_000, end: (at + 320) / 16_000 });
  }
  return spans;
};

describe('decoding', () => {
  let engine: MediaEngine;
  let folder: string;
  const made = new Map<string, string>();
  const wholes = new Map<string, ReturnType<typeof decode>>();

  const decode = async (
    input: MediaInput | string,
    options: DecodeOptions = {},
  ): Promise<{ chunks: AudioChunk[]; summary: DecodeSummary }> => {
    const source = typeof input === 'string' ? { kind: 'file' as const, path: input } : input;
    const decoding = engine.decodeChunks(source, { chunking: CHUNKING, ...options });
    const all: AudioChunk[] = [];
    for await (const chunk of decoding.chunks) all.push(chunk);
    return { chunks: all, summary: decoding.summary() };
  };

  const joined = (chunks: readonly AudioChunk[]): Float32Array => {
    const all = new Float32Array(chunks.reduce((sum, { pcm }) => sum + pcm.length, 0));
    let at = 0;
    for (const { pcm } of chunks) {
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

  /** A format decoded whole, once: as it is, and from one time to another. */
  const decoded = (format: string): ReturnType<typeof decode> => {
    const whole = wholes.get(format) ?? decode(pathOf(format));
    wholes.set(format, whole);
    return whole;
  };
  const decodedRange = async (format: string, start: number, end: number): Promise<Float32Array> =>
    joined((await decoded(format)).chunks).subarray(start * 16_000, end * 16_000);

  beforeAll(async () => {
    engine = createMediaEngine(await findFfmpeg({ environment: process.env, platform: process.platform }));
    folder = temporaryFolder();
    const source = fixturePath('02-two-speakers.mp3');
    const video = ['-f', 'lavfi', '-i', 'testsrc=size=64x48:rate=5:duration=45'];
    const output = (name: string, options: readonly string[]): string[] => {
      const path = join(folder, name.includes('.') ? name : `a.${name}`);
      made.set(name, path);
      return [...options, path];
    };
    const names = [...FORMATS, 'front.m4a', 'vbr.mp3'];
    const encoded = names.filter((name) => !(name in COPIED));
    await ffmpeg(
      '-i',
      source,
      ...encoded.flatMap((name) => output(name, ['-map', '0:a', ...(ENCODED[name] ?? [])])),
    );
    const copied = names.flatMap((name) => (COPIED[name] === undefined ? [] : output(name, COPIED[name])));
    await ffmpeg('-i', pathOf('m4a'), '-i', pathOf('ogg'), '-i', source, ...video, ...copied);
  });

  it.each(FORMATS)('%s: decodes all audio, gapless, with the right duration', async (format) => {
    const { chunks, summary } = await decoded(format);
    expect(chunks.length).toBeGreaterThan(4);
    expect(summary.warnings).toEqual([]);
    expect(Math.abs(summary.duration - 44.9)).toBeLessThan(0.3);
    let end = 0;
    for (const [index, chunk] of chunks.entries()) {
      expect(chunk.index).toBe(index);
      expect(chunk.start).toBe(end);
      expect(chunk.peaks.min.length).toBe(Math.ceil(chunk.pcm.length / 800));
      end = chunk.end;
    }
    expect(end).toBeCloseTo(summary.duration, 4);
  });

  it.each(['mp3', 'flac', 'webm', 'aac'])(
    '%s: resuming after any chunk yields the same chunks, bit for bit',
    async (format) => {
      const { chunks, summary } = await decoded(format);
      // An early and a late chunk, of a format each.
      const isEarly = ['mp3', 'webm'].includes(format);
      for (const done of isEarly ? [chunks[2]] : [chunks.at(-2)]) {
        if (done === undefined) throw new Error('too few chunks');
        const resumed = await decode(pathOf(format), { resume: { at: done.end, index: done.index + 1 } });
        expect(digested(resumed.chunks)).toEqual(digested(chunks.slice(done.index + 1)));
        expect(resumed.summary).toEqual(summary);
      }
    },
  );

  it('cuts in pauses alone: no chunk of the meeting starts or ends in speech', async () => {
    const { chunks } = await decode(fixturePath('08-meeting-4min.mp3'), {
      chunking: { minSeconds: 10, windowSeconds: 15, findSpeech: loudParts },
    });
    expect(chunks.length).toBeGreaterThan(14);
    for (const { pcm, start, end, speech } of chunks.slice(0, -1)) {
      expect(end - start).toBeGreaterThan(9.999);
      expect(Math.max(...pcm.subarray(-800).map(Math.abs))).toBeLessThan(0.0032);
      expect(speech.every((span) => span.start >= start && span.end <= end)).toBe(true);
    }
  });

  it('cuts a range out of the audio to the sample, with times of the source', async () => {
    const { chunks, summary } = await decode(pathOf('flac'), { start: 10.125, end: 20.5 });
    expect(chunks[0]?.start).toBe(10.125);
    expect(chunks.at(-1)?.end).toBe(20.5);
    expect(summary.duration).toBe(10.375);
    expect(digest(joined(chunks))).toBe(digest(await decodedRange('flac', 10.125, 20.5)));
  });

  it.each(['wav', 'mp3', 'vbr.mp3', 'm4a'])(
    '%s: a range of a local file to which it seeks is where it is in the whole',
    async (format) => {
      const range = { start: 40.25, end: 42.25 };
      const exact = await decodedRange(format, range.start, range.end);
      const sought = joined((await decode(pathOf(format), { ...range, seek: true })).chunks);
      expect(sought.length).toBe(exact.length);
      const likeness = (lag: number): number => {
        let sum = 0;
        for (let at = 1000; at < exact.length - 1000; at++) sum += (exact[at] ?? 0) * (sought[at + lag] ?? 0);
        return sum;
      };
      const lags = Array.from({ length: 241 }, (_, index) => (index - 120) * 8);
      const likenesses = lags.map(likeness);
      const best = lags[likenesses.indexOf(Math.max(...likenesses))] ?? Number.NaN;
      // A bucket of the most detailed waveform: 10 ms.
      expect(Math.abs(best)).toBeLessThanOrEqual(160);
    },
  );

  it('ends a range at the end of the audio, and refuses one that starts after it', async () => {
    const { summary } = await decode(pathOf('wav'), { start: 40, end: 1000 });
    expect(summary.duration).toBeCloseTo(4.8, 1);
    expect(summary.warnings).toEqual([]);
    await expect(decode(pathOf('mp3'), { start: 100 })).rejects.toMatchObject({
      code: 'empty_range',
      message: expect.stringContaining('45 seconds long'),
    });
  });

  it('resuming a range yields the same chunks, too', async () => {
    const options = { start: 5, end: 30 };
    const { chunks } = await decode(pathOf('m4a'), options);
    const [done] = chunks;
    if (done === undefined) throw new Error('no chunk');
    const resumed = await decode(pathOf('m4a'), { ...options, resume: { at: done.end, index: 1 } });
    expect(digested(resumed.chunks)).toEqual(digested(chunks.slice(1)));
  });

  it('fills a late start and a gap with silence, so that times match those of a player', async () => {
    const late = join(folder, 'late.mkv');
    const video = ['-f', 'lavfi', '-i', 'testsrc=size=64x48:rate=5:duration=20'];
    await ffmpeg(...video, '-itsoffset', '3', '-i', fixturePath('01-short-note.wav'), '-c:a', 'flac', late);
    const note = joined((await decode(fixturePath('01-short-note.wav'))).chunks);
    const delayed = joined((await decode(late)).chunks);
    expect(delayed.subarray(0, 47_000).every((value) => value === 0)).toBe(true);
    expect(digest(delayed.subarray(48_000, 48_000 + note.length))).toBe(digest(note));

    const gap = join(folder, 'gap.mkv');
    await ffmpeg(
      ...['-i', fixturePath('01-short-note.wav'), '-af', "aselect='not(between(t,4,8))'"],
      ...['-c:a', 'pcm_s16le', gap],
    );
    const holed = joined((await decode(gap)).chunks);
    expect(Math.abs(holed.length - note.length)).toBeLessThan(1600);
    expect(digest(holed.subarray(10 * 16_000, 14 * 16_000))).toBe(
      digest(note.subarray(10 * 16_000, 14 * 16_000)),
    );
  });

  it.each(['mka', 'm4a', 'webm', 'ts', 'ogg'])(
    '%s: begins with its sound, whatever its clock says',
    async (format) => {
      const path = join(folder, `clock.${format}`);
      await ffmpeg('-itsoffset', '4', '-i', fixturePath('00-one-sentence.wav'), path);
      const plain = filePcm(path).length / 16_000;
      const { chunks, summary } = await decode(path);
      expect(summary).toEqual({ duration: expect.closeTo(plain, 1), warnings: [] });
      expect(
        joined(chunks)
          .subarray(0, 16_000)
          .some((sample) => sample > 0.02),
      ).toBe(true);
      const { duration } = await engine.probe({ kind: 'file', path });
      if (duration !== null) expect(duration).toBeCloseTo(plain, 0);
    },
  );

  it.each(['mp4', 'mkv'])('%s: keeps the start of its sound after its pictures', async (format) => {
    const path = join(folder, `late-sound.${format}`);
    await encodeLateSound(path);
    const { summary, chunks } = await decode(path);
    expect(summary).toEqual({ duration: expect.closeTo(7.3, 0), warnings: [] });
    expect(
      joined(chunks)
        .subarray(0, 2.5 * 16_000)
        .every((sample) => Math.abs(sample) < 0.001),
    ).toBe(true);
  });

  it('takes no times from an AVI, whose AAC of 16 kHz would get gaps', async () => {
    const path = join(folder, 'speech.avi');
    await encodeSentence(path, ['-c:a', 'aac']);
    const whole = joined((await decode(path)).chunks);
    expect(Math.abs(whole.length - filePcm(path).length)).toBeLessThan(320);
  });

  it('decodes the first of several audio streams', async () => {
    const two = join(folder, 'two.mka');
    await ffmpeg(
      ...['-i', fixturePath('01-short-note.wav'), '-i', fixturePath('09-silence.wav')],
      ...['-map', '0:a', '-map', '1:a', '-c:a', 'flac', two],
    );
    const info = await engine.probe({ kind: 'file', path: two });
    expect(info.audioStreams).toHaveLength(2);
    expect((await decode(two)).summary.duration).toBeCloseTo(15.4, 1);
  });

  it('reports no estimated duration, and decodes such a file to its end', async () => {
    const path = join(folder, 'unmarked.mp3');
    await ffmpeg('-i', fixturePath('02-two-speakers.mp3'), '-q:a', '5', '-write_xing', '0', path);
    expect(await engine.probe({ kind: 'file', path })).toMatchObject({ duration: null });
    const { summary } = await decode(path);
    expect(summary).toEqual({ duration: expect.closeTo(44.9, 0), warnings: [] });
  });

  it('probes container, codec, sample rate, channels and duration', async () => {
    const of = async (format: string): Promise<unknown> =>
      engine.probe({ kind: 'file', path: pathOf(format) });
    expect(await of('wav')).toMatchObject({
      format: 'wav',
      hasVideo: false,
      audioStreams: [{ codec: 'pcm_s16le', sampleRate: 44_100, channels: 2 }],
    });
    const duration = expect.closeTo(44.9, 0);
    expect(await of('m4a')).toMatchObject({ format: 'm4a', hasVideo: false, duration });
    expect(await of('mp4')).toMatchObject({ format: 'mp4', hasVideo: true });
    expect(await of('webm')).toMatchObject({ format: 'webm' });
    expect(await engine.version()).toMatch(/^\S+$/);
  });

  it.each(['wav', 'ogg', 'mkv', 'front.m4a', 'vbr.mp3'])(
    '%s: decodes the same range over the network as from the file',
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
        expect(remote.summary.warnings).toEqual([]);
        expect(Math.abs(remote.summary.duration - 10)).toBeLessThan(0.002);
        // Seeking is exact to a frame of the codec (36 ms in an MP3 of 16 kHz), and lossy decoders start
        // with different noise.
        const [a, b] = [joined(remote.chunks), await decodedRange(format, options.start, options.end)];
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
