import { readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMediaEngine } from '../../../../electron/core/engines/ffmpeg/engine.ts';
import { findFfmpeg } from '../../../../electron/core/engines/ffmpeg/tools.ts';
import type {
  DecodeOptions,
  DecodeSummary,
  MediaEngine,
} from '../../../../electron/core/engines/ffmpeg/types.ts';
import { createHttpClient } from '../../../../electron/core/engines/net/http-client.ts';
import { openRangeReader } from '../../../../electron/core/engines/net/range-reader/range-reader.ts';
import { cutShort } from '../../../generators/damage.ts';
import {
  declaringHalf,
  withDeclaredBytes,
  withFormat,
  withTrailer,
  writeSilence,
} from '../../../generators/wav.ts';
import { wav } from '../../../support/audio.ts';
import { ffmpeg } from '../../../support/ffmpeg.ts';
import { fixturePath } from '../../../support/fixtures.ts';
import { processesWith } from '../../../support/processes.ts';
import { sentencesOf } from '../../../support/sentences-of.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { file, stall, startUrlServer } from '../../../support/url-server.ts';

describe('hostile input', () => {
  let engine: MediaEngine;
  let folder: string;

  const at = (name: string): string => join(folder, name);

  const decode = async (name: string, options: DecodeOptions = {}): Promise<DecodeSummary> => {
    const decoding = engine.decodeChunks({ kind: 'file', path: at(name) }, options);
    for await (const chunk of decoding.chunks) expect(chunk.pcm.length).toBeGreaterThan(0);
    return decoding.summary();
  };

  const write = async (name: string, content: string | Uint8Array): Promise<string> => {
    await writeFile(at(name), content);
    return name;
  };

  const writeCut = async (from: string, name: string, share: number): Promise<string> =>
    write(name, cutShort(await readFile(from), share));

  beforeAll(async () => {
    engine = createMediaEngine(await findFfmpeg({ environment: process.env, platform: process.platform }));
    folder = temporaryFolder();
    writeSilence(at('hour.wav'), 3600);
  });

  it.each([
    ['an HTML page', '<!DOCTYPE html>\n<html><body>Log in</body></html>', 'a web page'],
    ['a page without doctype', '\n <div></div><html lang="en">', 'a web page'],
    ['text', 'This is no recording at all, just words.\n'.repeat(100), 'a text file'],
    ['JSON', '{"error": "not found"}', 'a JSON file'],
    ['an XML error', '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>', 'an XML file'],
    ['nothing', '', 'an empty file'],
    ['a PDF', Buffer.from('%PDF-1.7\n%\u00e2\u00e3\n1 0 obj\n\u0000', 'latin1'), 'a PDF document'],
    [
      'a program',
      Buffer.concat([Buffer.from('\u007fELF\u0002\u0001\u0001'), Buffer.alloc(200)]),
      'a program',
    ],
  ])('%s named .mp3 is called what it is', async (_what, content, kind) => {
    const name = await write('named.mp3', content);
    await expect(decode(name)).rejects.toMatchObject({
      code: 'not_media',
      message: `This is ${kind}, not a recording.`,
    });
    await expect(engine.probe({ kind: 'file', path: at(name) })).rejects.toMatchObject({ code: 'not_media' });
  });

  it('refuses random bytes', async () => {
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_value, i) => (i * i * 7919) % 251));
    await expect(decode(await write('random.mp3', bytes))).rejects.toMatchObject({
      code: expect.stringMatching(/^(not_media|decode_failed)$/),
    });
  });

  it.each([
    ['a sample rate of 1 Hz', { rate: 1, channels: 1 }, '1 Hz'],
    ['a sample rate of 2 GHz', { rate: 2_000_000_000, channels: 1 }, '2000000000 Hz'],
    ['300 channels', { rate: 16_000, channels: 300 }, '300 audio channels'],
  ])('refuses %s before it decodes', async (_what, { rate, channels }, reason) => {
    const bytes = withFormat(wav(new Int16Array(8192)), { rate, channels });
    const path = at(await write('absurd.wav', bytes));
    await expect(engine.probe({ kind: 'file', path })).rejects.toMatchObject({
      code: 'decode_failed',
      message: expect.stringContaining(reason),
    });
  });

  it('probes and decodes a recording at 4 kHz', async () => {
    const bytes = withFormat(wav(new Int16Array(8000)), { rate: 4000, channels: 1 });
    const name = await write('slow.wav', bytes);
    expect(await engine.probe({ kind: 'file', path: at(name) })).toMatchObject({ duration: 2 });
    expect((await decode(name)).duration).toBeCloseTo(2, 1);
  });

  it('reads no other file for a playlist or script named .mp3', async () => {
    const secret = fixturePath('01-short-note.wav');
    const playlists = [
      `#EXTM3U\n#EXT-X-TARGETDURATION:20\n#EXTINF:15,\nfile://${secret}\n#EXT-X-ENDLIST\n`,
      `ffconcat version 1.0\nfile '${secret}'\n`,
      `\u0000#EXTM3U\n#EXT-X-TARGETDURATION:20\n#EXTINF:15,\nfile://${secret}\n#EXT-X-ENDLIST\n`,
      `<?xml version="1.0"?><MPD><Period><BaseURL>file://${secret}</BaseURL></Period></MPD>`,
      'v=0\no=- 0 0 IN IP4 127.0.0.1\nm=audio 5004 RTP/AVP 0\n',
    ];
    for (const [i, playlist] of playlists.entries()) {
      const name = await write(`list${i}.mp3`, playlist);
      await expect(decode(name)).rejects.toMatchObject({ code: 'not_media' });
    }
  });

  it('refuses a playlist that passes for binary, by the format whitelist', async () => {
    const list = `#EXTM3U\n#EXT-X-TARGETDURATION:20\n#\u0001\n#EXTINF:15,\nfile://${fixturePath('01-short-note.wav')}\n#EXT-X-ENDLIST\n`;
    await expect(decode(await write('binary.m3u8', list))).rejects.toMatchObject({ code: 'not_media' });
  });

  it('reports that a video without sound has no audio track', async () => {
    await ffmpeg('-f', 'lavfi', '-i', 'testsrc=duration=2:size=64x48:rate=5', at('mute.mp4'));
    await expect(decode('mute.mp4')).rejects.toMatchObject({ code: 'no_audio_track' });
    expect(await engine.probe({ kind: 'file', path: at('mute.mp4') })).toMatchObject({
      audioStreams: [],
      hasVideo: true,
    });
  });

  it.each([
    ['02-two-speakers.mp3', 'mp3'],
    ['03-three-speakers.flac', 'flac'],
    ['06-german.webm', 'webm'],
  ])('keeps what is left of a truncated %s, with a warning', async (name, format) => {
    const cut = await writeCut(fixturePath(name), `cut.${format}`, 0.6);
    const summary = await decode(cut);
    expect(summary.duration).toBeGreaterThan(5);
    expect(sentencesOf(summary.warnings)).toEqual([
      expect.stringMatching(/^The file ends early or is damaged: \d+ of \d+/),
    ]);
  });

  it.each(['mp4', 'mkv'])(
    'warns of a truncated %s with pictures, not of a whole one with less sound',
    async (format) => {
      const [pictures, sound] = ['testsrc=duration=40:size=64x48:rate=1', 'sine=frequency=300:duration=20'];
      const inputs = ['-f', 'lavfi', '-i', pictures, '-f', 'lavfi', '-i', sound];
      const whole = `pictures.${format}`;
      const quick = ['-compression_level', '0', '-preset', 'ultrafast'];
      await ffmpeg(...inputs, '-c:a', 'libopus', ...quick, '-movflags', 'faststart', at(whole));
      expect((await decode(whole)).warnings).toEqual([]);
      expect(sentencesOf((await decode(await writeCut(at(whole), `cut.${format}`, 0.4))).warnings)).toEqual([
        expect.stringMatching(/^The file ends early or is damaged: \d+ of 40/),
      ]);
    },
  );

  it('does not take a track that is shorter than another for a truncated one', async () => {
    const inputs = [20, 5].flatMap((s) => ['-f', 'lavfi', '-i', `sine=frequency=300:duration=${s}`]);
    await ffmpeg(...inputs, '-map', '0', '-map', '1', at('tracks.mka'));
    const summary = await decode('tracks.mka', { select: { track: 1, channel: 0 } });
    expect(summary.duration).toBeCloseTo(5, 1);
    expect(summary.warnings).toEqual([]);
  });

  it('keeps what is left of a truncated WAV, with a warning', async () => {
    const summary = await decode(await writeCut(fixturePath('01-short-note.wav'), 'cut.wav', 0.5));
    expect(summary.duration).toBeCloseTo(7.7, 1);
    expect(sentencesOf(summary.warnings)).toEqual([
      'The file ends early or is damaged: 8 of 15 seconds could be decoded.',
    ]);
  });

  it.each([
    ['4 GiB', 0xffff_ffff],
    ['none', 0],
  ])('takes a WAV with a length of %s, written to a pipe, for a whole one', async (_length, length) => {
    const bytes = withDeclaredBytes(await readFile(fixturePath('01-short-note.wav')), length);
    const summary = await decode(await write('piped.wav', bytes));
    expect(summary.duration).toBeCloseTo(15.4, 1);
    expect(summary.warnings).toEqual([]);
  });

  it('reads all of a WAV whose header declares half of it, with a warning', async () => {
    const bytes = declaringHalf(await readFile(fixturePath('01-short-note.wav')));
    const summary = await decode(await write('half.wav', bytes));
    expect(summary.duration).toBeCloseTo(15.4, 1);
    expect(sentencesOf(summary.warnings)).toEqual([
      'The header of the file declares 8 seconds, but more sound follows: all of it was read, 15 seconds.',
    ]);
    const output = at('half-redacted.wav');
    const { duration } = await engine.bleep({
      input: { kind: 'file', path: at('half.wav') },
      output,
      spans: [],
      format: 'wav',
    });
    expect(duration).toBeCloseTo(15.4, 1);
  });

  it('takes what follows the sound of a WAV for no sound', async () => {
    const bytes = withTrailer(await readFile(fixturePath('01-short-note.wav')), 100_000);
    const summary = await decode(await write('trailed.wav', bytes));
    expect(summary.duration).toBeCloseTo(15.4, 1);
    expect(summary.warnings).toEqual([]);
  });

  it('reports the missing index of a truncated M4A', async () => {
    await ffmpeg('-i', fixturePath('01-short-note.wav'), at('whole.m4a'));
    await expect(decode(await writeCut(at('whole.m4a'), 'cut.m4a', 0.5))).rejects.toMatchObject({
      code: 'decode_failed',
      message: expect.stringContaining('cut off'),
    });
  });

  it('refuses a header without content', async () => {
    for (const name of ['01-short-note.wav', '06-german.webm']) {
      const bytes = (await readFile(fixturePath(name))).subarray(0, 44);
      await expect(decode(await write('header', bytes))).rejects.toMatchObject({
        code: expect.stringMatching(/^(not_media|decode_failed|no_audio_track)$/),
      });
    }
  });

  it('refuses audio that is too long', async () => {
    await expect(decode('hour.wav', { limits: { maxSeconds: 60 } })).rejects.toMatchObject({
      code: 'decode_failed',
      message: expect.stringContaining('longer than'),
    });
  });

  it('reports a missing file as file_not_found', async () => {
    await expect(decode('gone.mp3')).rejects.toMatchObject({ code: 'file_not_found' });
  });

  it('does not interpret odd file names', async () => {
    const bytes = await readFile(fixturePath('09-silence.wav'));
    // Of a sort: signs that mean something to a demuxer, and a protocol.
    const names = ["Šimon's %d 会議 [1].wav", 'concat:a|b.wav'];
    for (const name of names) {
      expect((await decode(await write(name, bytes))).duration).toBe(6);
    }
  });

  it('leaves no ffmpeg process, whenever a decode is cancelled', async () => {
    for (const moment of [0, 1, 20, 60, 200]) {
      const abort = new AbortController();
      const timer = setTimeout(() => abort.abort(), moment);
      const decoding = decode('hour.wav', {
        signal: abort.signal,
        chunking: { minSeconds: 3590, windowSeconds: 3600 },
      });
      await expect(decoding).rejects.toMatchObject({ code: 'cancelled' });
      clearTimeout(timer);
      expect(processesWith(at('hour.wav'))).toEqual([]);
    }
  });

  it('ends ffmpeg when the loop is left early', async () => {
    const { chunks } = engine.decodeChunks(
      { kind: 'file', path: at('hour.wav') },
      { chunking: { minSeconds: 5, windowSeconds: 10 } },
    );
    for await (const chunk of chunks) {
      expect(processesWith(at('hour.wav'))).toHaveLength(1);
      if (chunk.index === 1) break;
    }
    expect(processesWith(at('hour.wav'))).toEqual([]);
  });

  it.runIf(process.platform === 'linux')('limits the memory of ffmpeg', async () => {
    const decoding = engine.decodeChunks({ kind: 'file', path: at('hour.wav') }, {});
    const iterator = decoding.chunks[Symbol.asyncIterator]();
    await iterator.next();
    const [id = 0] = processesWith(at('hour.wav'));
    const limitOf = async () =>
      Number(/^Max address space +(\d+)/m.exec(await readFile(`/proc/${id}/limits`, 'utf8'))?.[1]);
    expect(await limitOf()).toBeLessThan(2 ** 40);
    await iterator.return?.();
  });

  it.runIf(process.platform === 'linux')('limits the memory of ffprobe from its first moment', async () => {
    const tools = await findFfmpeg({ environment: process.env, platform: process.platform });
    const ffprobe = at('a program');
    const answer = `{"streams": [], "format": {"format_name": "'"$(ulimit -v)"'"}}`;
    await writeFile(ffprobe, `#!/bin/sh\necho '${answer}'\n`, { mode: 0o700 });
    const { probe } = createMediaEngine({ ...tools, ffprobe });
    const path = fixturePath('01-short-note.wav');
    expect(await probe({ kind: 'file', path })).toMatchObject({ container: expect.stringMatching(/^\d+$/) });
  });

  it('kills an ffmpeg that is stopped by SIGSTOP', async () => {
    const { chunks } = engine.decodeChunks(
      { kind: 'file', path: at('hour.wav') },
      { chunking: { minSeconds: 5, windowSeconds: 10 }, limits: { stallSeconds: 1 } },
    );
    const reading = async (): Promise<void> => {
      for await (const chunk of chunks) {
        if (chunk.index !== 0) continue;
        for (const id of processesWith(at('hour.wav'))) process.kill(id, 'SIGSTOP');
      }
    };
    await expect(reading()).rejects.toMatchObject({
      code: 'decode_failed',
      message: 'ffmpeg made no progress for 1 seconds.',
    });
    expect(processesWith(at('hour.wav'))).toEqual([]);
  });

  it('does not take a slow consumer for a stall', async () => {
    const { chunks } = engine.decodeChunks(
      { kind: 'file', path: fixturePath('08-meeting-4min.mp3') },
      // Long enough for ffmpeg to write something on a busy machine.
      { chunking: { minSeconds: 60, windowSeconds: 120 }, limits: { stallSeconds: 10 } },
    );
    for await (const chunk of chunks) {
      if (chunk.index === 0) await new Promise((resolve) => setTimeout(resolve, 11_000));
    }
  });

  it('reports the upstream error, not that of ffmpeg', async () => {
    const server = await startUrlServer();
    const client = createHttpClient({
      policy: () => ({ allowPrivateAddresses: true, offline: false }),
      version: '0',
    });
    const bytes = await readFile(fixturePath('08-meeting-4min.mp3'));
    for (const [later, code] of [
      [stall(bytes, 0), 'download_timeout'],
      [file(bytes.subarray(1)), 'download_failed'],
    ] as const) {
      let current = file(bytes);
      const url = server.set('/a', (request, response) => current(request, response));
      const opened = await openRangeReader({ client, url, maxBytes: 1e9, stallSeconds: 1 });
      if (!opened.supported) throw new Error(opened.reason);
      current = later;
      const reading = async (): Promise<void> => {
        for await (const chunk of engine.decodeChunks(opened.reader, { start: 100 }).chunks) {
          expect(chunk.pcm.length).toBeGreaterThan(0);
        }
      };
      await expect(reading()).rejects.toMatchObject({ code });
      await opened.reader.close();
    }
    await client.close();
    await server.close();
  });

  it('warns about a file that shrinks while it is read', async () => {
    writeSilence(at('shrinking.wav'), 480);
    const decoding = engine.decodeChunks(
      { kind: 'file', path: at('shrinking.wav') },
      { chunking: { minSeconds: 5, windowSeconds: 10 } },
    );
    for await (const chunk of decoding.chunks) {
      if (chunk.index === 0) await truncate(at('shrinking.wav'), (await stat(at('shrinking.wav'))).size / 2);
    }
    expect(decoding.summary().warnings).toHaveLength(1);
  });
});
