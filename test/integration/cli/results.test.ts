import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runEarshot, runHere } from '../../support/command-line.ts';
import { fixturePath, ONE_SENTENCE } from '../../support/fixtures.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';
import { fillDisk, smallDisk } from '../../support/small-disk.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';

const SAMPLE = fixturePath(ONE_SENTENCE);
let server: TestServer;

beforeAll(async () => {
  server = await startServer({ quick: true, model: 'starter-parakeet' });
});
afterAll(() => discard(server));

const transcribe = (...args: string[]) => runHere(server.dataDir, 'transcribe', ...args);
const count = async () => (await server.client.call('listTranscripts', { query: {} })).data.pagination.total;

it('a result that could not be written is noticed before any work', async () => {
  const folder = temporaryFolder();
  const before = await count();
  const missing = join(folder, 'none', 'a.txt');
  expect(await transcribe(SAMPLE, '-o', folder)).toMatchObject({
    code: 2,
    err: expect.stringContaining(`${folder} is a folder: name a file in it.`),
  });
  expect(await transcribe(SAMPLE, '-o', missing)).toMatchObject({
    code: 2,
    err: expect.stringContaining(`there is no folder ${join(folder, 'none')}`),
  });
  expect(await count()).toBe(before);
});

it('a full disk is noticed before any work, by its folder and what is free', async (context) => {
  const disk = await smallDisk(2);
  if (disk === undefined) return context.skip();
  await fillDisk(disk.path);
  const before = await count();
  const { code, err } = await transcribe(SAMPLE, '-o', join(disk.path, 'a.txt'));
  expect([code, await count()]).toEqual([1, before]);
  expect(err).toMatch(new RegExp(`the disk of ${disk.path} is full, with .* free`));
  await disk.release();
});

it.runIf(existsSync('/dev/full'))('a text that could not be written can be had again', async () => {
  const { code, err } = await transcribe(SAMPLE, '-f', 'txt', '-o', '/dev/full');
  expect([code, err]).toEqual([1, expect.stringContaining('The text is kept')]);
  const [, line = ''] = /`earshot (transcripts export tr_\w+ -f txt -o) FILE`/.exec(err) ?? [];
  const path = join(temporaryFolder(), 'again.txt');
  expect((await runHere(server.dataDir, ...line.split(' '), path)).code).toBe(0);
  expect(readFileSync(path, 'utf8')).toContain('Good morning');
  const [, id = ''] = / (tr_\w+) /.exec(line) ?? [];
  expect((await runEarshot(server.dataDir, 'transcripts', 'export', id)).out).toMatch(/^\[.*\] {2}Good/);
});

it('several recordings have headings, or are one JSON document, or are refused', async () => {
  const short = ['--to', '3', SAMPLE, SAMPLE];
  const { out } = await transcribe(...short, '-f', 'txt');
  expect(out.match(/^==> .+\.wav <==$/gm)).toHaveLength(2);
  const { out: json } = await transcribe(...short, '-f', 'json');
  expect(JSON.parse(json)).toHaveLength(2);
  expect(await transcribe(...short, '-f', 'srt')).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringContaining('--format srt is a file for each recording'),
  });
});

it('a full disk of the library is named, with what is free on it', async (context) => {
  const disk = await smallDisk(160);
  if (disk === undefined) return context.skip();
  const dataDir = join(disk.path, 'data');
  const full = await startServer({ dataDir, quick: true, model: 'starter-parakeet' });
  await until(() => existsSync(join(dataDir, 'earshot.reserve')));
  await fillDisk(disk.path);
  const { code, err } = await runHere(dataDir, 'transcribe', SAMPLE);
  await full.kill();
  await disk.release();
  expect(code).toBe(1);
  expect(err).toMatch(new RegExp(`full.* ${dataDir} is on that disk, which has .*B free\\.`));
});
