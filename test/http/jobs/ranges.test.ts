import { execFileSync, spawnSync } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { talk } from '../../support/audio.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { file, startUrlServer, status, type UrlServer } from '../../support/url-server.ts';

let server: TestServer;
let urls: UrlServer;
let folder: string;

beforeAll(async () => {
  folder = temporaryFolder();
  urls = await startUrlServer();
  urls.set('/talk.wav', file(talk(120)));
  urls.set('/whole-only.wav', file(talk(40), { ranges: false }));
  urls.set('/from-zero.wav', file(talk(40), { wrongRange: true }));
  urls.set('/forbidden-ranges.wav', (request, response) => {
    const isRange = request.headers.range !== undefined;
    (isRange ? status(403) : file(talk(40)))(request, response);
  });
  server = await startServer({ quick: true, model: 'starter-parakeet' });
});

afterAll(async () => {
  await discard(server);
  await urls.close();
});

const create = (path: string, from: number, to: number) =>
  server.client.call('createTranscript', {
    body: {
      audio_url: urls.url(path),
      audio_start_from: from,
      audio_end_at: to,
      timestamp_style: 'word',
      wait_until_complete: true,
    },
  });

/** Seconds of a sound file. */
const secondsOf = (path: string): number =>
  Number(
    execFileSync('ffprobe', ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', path]),
  );

/** The loudness of a part of a sound file in dB. */
const loudnessOf = (path: string, from: number, to: number): number => {
  const args = ['-nostdin', '-i', path, '-af', `atrim=${from}:${to},volumedetect`, '-f', 'null', '-'];
  const { stderr } = spawnSync('ffmpeg', args, { encoding: 'utf8' });
  return Number(/mean_volume: (-?[\d.]+)/.exec(stderr)?.[1]);
};

describe('a time range of a recording on a server with range requests', () => {
  it('fetches only its part, and keeps a playable file of it', async () => {
    const seconds = 8;
    const made = await create('/talk.wav', 64, 64 + seconds);
    expect(made).toMatchObject({ status: 'completed', audio_offset: 64, duration: seconds });
    expect(made.bytes_fetched).toBeLessThan(1_500_000);
    expect(made.segments[0]?.start).toBeGreaterThanOrEqual(64);
    const response = await server.fetch(`/v1/transcript/id/${made.id}/audio`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('audio/mp4');
    const path = join(folder, 'range.m4a');
    await writeFile(path, Buffer.from(await response.arrayBuffer()));
    // The sentence of 64 s is in the first four seconds, the silence before the next one in the last of eight.
    expect(loudnessOf(path, 0.5, 3.5)).toBeGreaterThan(loudnessOf(path, 5.5, 7.5) + 20);
    expect(secondsOf(path)).toBeCloseTo(seconds, 1);
  });

  it.each([
    ['ignores the range', '/whole-only.wav'],
    ['answers it from the beginning', '/from-zero.wav'],
    ['refuses it', '/forbidden-ranges.wav'],
  ])('keeps the whole file, on the source’s timeline, if the server %s', async (_name, path) => {
    const made = await create(path, 8, 20);
    expect(made).toMatchObject({ status: 'completed', audio_offset: 0 });
    const response = await server.fetch(`/v1/transcript/id/${made.id}/audio`);
    expect((await response.arrayBuffer()).byteLength).toBe(talk(40).length);
  });

  it('leaves no temporary file', async () => {
    expect(await readdir(join(server.dataDir, 'tmp'))).toEqual([]);
  });
});
