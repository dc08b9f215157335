import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tinyWav } from '../../support/audio.ts';
import { runHere } from '../../support/command-line.ts';
import { segmentOf, storeTranscript } from '../../support/long-transcript.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Sets a terminal's title, goes to another line, and reverses what follows. */
const HOSTILE = 'a\u001b]0;title\u0007\nb\u202ec';
let server: TestServer;
let id: string;

beforeAll(async () => {
  const dataDir = temporaryFolder();
  // As older versions stored it.
  id = storeTranscript(dataDir, [segmentOf(0, 0, [HOSTILE])], {}, { name: HOSTILE });
  server = await startServer({ dataDir, quick: true });
});
afterAll(() => discard(server));

const earshot = (...args: string[]) => runHere(server.dataDir, ...args);

it('shows what would control the terminal', async () => {
  const { out } = await earshot('transcripts', 'list');
  expect(out).toContain(String.raw`a\x1b]0;title\x07\x0ab\u202ec`);
  for (const args of [
    ['transcripts', 'show', id],
    ['transcripts', 'export', id],
  ]) {
    expect((await earshot(...args)).out).toContain(String.raw`\x1b]0;title\x07\x0ab\u202ec`);
  }
  const { err } = await earshot('settings', 'get', HOSTILE);
  expect(err).toContain(String.raw`There is no setting a\x1b]0;title\x07\x0ab\u202ec`);
  const path = join(mkdtempSync(join(temporaryFolder(), 'a')), 'b\u001b[2J\n.mp3');
  writeFileSync(path, 'no sound');
  expect((await earshot('transcribe', path, path)).err).toContain(String.raw`b\x1b[2J\x0a.mp3: `);
});

// macOS and Windows have no such names.
it.runIf(process.platform === 'linux')('takes a file whose name is not UTF-8', async () => {
  const folder = Buffer.from(`${mkdtempSync(join(temporaryFolder(), 'a'))}/`);
  const name = Buffer.from('caf\u00e9.wav', 'latin1');
  writeFileSync(Buffer.concat([folder, name]), tinyWav());
  // As an argument arrives, whatever its bytes.
  const given = join(folder.toString(), name.toString());
  const { code, err } = await earshot('transcribe', given);
  expect(err).not.toContain('no such file');
  expect(code).toBe(0);
  expect((await server.client.call('listTranscripts')).data.transcriptions[0]?.name).toContain('caf');
});

it('names come in without control characters', async () => {
  const { name } = await server.client.call('patchTranscript', { params: { id }, body: { name: HOSTILE } });
  expect(name).toBe('a]0;title bc');
  const body = { audio_url: 'http://192.0.2.1/a%1B%5D0%3Bb%0Ac%E2%80%AE.mp3' };
  expect((await server.client.call('createTranscript', { body })).name).toBe('a]0;b c.mp3');
  const key = await server.client.call('createKey', { body: { name: HOSTILE } });
  expect(key.data.name).toBe('a]0;title bc');
});
