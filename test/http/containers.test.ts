import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { encodeSilentFirstTrack } from '../generators/encoded.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { fixturePath, truth } from '../support/fixtures.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { file, startUrlServer, type UrlServer } from '../support/url-server.ts';

const NAME = '01-short-note.wav';
const VIDEO = ['-f', 'lavfi', '-i', 'color=c=blue:s=64x64:r=10:d=15.4'];

/** ffmpeg's arguments for each container. */
const CONTAINERS: Readonly<Record<string, readonly string[]>> = {
  mp3: ['-c:a', 'libmp3lame', '-b:a', '128k'],
  m4a: ['-c:a', 'aac', '-b:a', '128k'],
  webm: ['-c:a', 'libopus', '-b:a', '96k'],
  mp4: ['-map', '1:v', '-map', '0:a', '-c:v', 'mpeg4', '-c:a', 'aac', '-b:a', '128k'],
};

let server: TestServer;
let remote: UrlServer;
let folder: string;

beforeAll(async () => {
  [server, remote, folder] = await Promise.all([startServer(), startUrlServer(), temporaryFolder()]);
});
afterAll(async () => {
  await Promise.all([discard(server), remote.close()]);
});

/** Transcribes the recording in a container; its format is detected from the content, since the address names none. */
const transcribed = async (extension: string, model: string) => {
  const path = join(folder, `a.${extension}`);
  const inputs = ['-i', fixturePath(NAME), ...(extension === 'mp4' ? VIDEO : [])];
  await ffmpeg(...inputs, ...(CONTAINERS[extension] ?? []), path);
  const audio_url = remote.set(`/recording-${extension}`, file(await readFile(path)));
  return server.client.call('createTranscript', { body: { audio_url, model, wait_until_complete: true } });
};

it.each(['m4a', 'webm', 'mp4'])('a recording gives the same text as .%s', async (extension) => {
  const t = await transcribed(extension, 'starter-parakeet');
  expect([t.status, t.text]).toEqual(['completed', truth(NAME).text]);
  expect(t.duration).toBeCloseTo(15.4, 0);
});

it('Whisper, too, gives the same text of a recording that was encoded', async () => {
  const t = await transcribed('mp3', 'starter');
  expect([t.status, t.text]).toEqual(['completed', truth(NAME).text]);
});

it('a silent first track hints at the others', async () => {
  const path = join(folder, 'tracks.mka');
  await encodeSilentFirstTrack(path);
  const audio_url = remote.set('/tracks', file(await readFile(path)));
  const body = { audio_url, model: 'starter-parakeet', wait_until_complete: true };
  const made = await server.client.call('createTranscript', { body });
  expect(made).toMatchObject({ status: 'completed', text: '' });
  expect(made.warning_details).toMatchObject([{ code: 'first_track_silent', values: { tracks: '2' } }]);
  const all = await server.client.call('createTranscript', { body: { ...body, multichannel: true } });
  expect(all.word_count).toBeGreaterThan(3);
  expect(all.warnings).toEqual([]);
});
