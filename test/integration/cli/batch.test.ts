import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { patientFetch } from '../../../electron/cli/connect.ts';
import { runHere } from '../../support/command-line.ts';
import { fixture, fixturePath, ONE_SENTENCE } from '../../support/fixtures.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const SAMPLE = fixturePath(ONE_SENTENCE);
let server: TestServer;

beforeAll(async () => {
  server = await startServer({ quick: true, model: 'starter-parakeet' });
});
afterAll(() => discard(server));

const transcribe = (...args: string[]) => runHere(server.dataDir, 'transcribe', ...args);

it('a batch is not slowed down by the limits of the API, goes on after each failure, and ends with a count', async () => {
  const body = { 'limits.uploadsPer15Minutes': 1, 'limits.requestsPerMinute': 1 };
  await server.client.call('patchSettings', { body });
  const broken = join(temporaryFolder(), 'broken.mp3');
  writeFileSync(broken, 'no sound');
  const { code, out, err } = await transcribe(SAMPLE, broken, SAMPLE, '-f', 'txt');
  expect(code).toBe(1);
  expect(out.match(/Good morning/g)).toHaveLength(2);
  expect(err).toContain('2 of 3 recordings transcribed. Missing: broken.mp3.');
  expect(err).not.toContain('many requests');
});

it('says what is wrong in the words of the command line', async () => {
  const range = await transcribe(SAMPLE, '--from', '5', '--to', '3');
  expect([range.code, range.err]).toEqual([2, expect.stringMatching(/^error {2}--to: /m)]);
  const same = await transcribe(SAMPLE, '-m', 'starter', '--verify-with', 'starter');
  expect([same.code, same.err]).toEqual([2, expect.stringMatching(/^error {2}--verify-with: starter is/m)]);
  const install = await runHere(server.dataDir, 'models', 'install', 'none-such');
  expect(install.err).toContain('There is no model called none-such; `earshot models list` has them all.');
  const setting = await runHere(server.dataDir, 'settings', 'set', 'none.such', '1');
  expect([setting.code, setting.err]).toEqual([2, expect.stringContaining('There is no setting none.such')]);
});

it('prints each note once, however many recordings have it', async () => {
  const path = join(temporaryFolder(), 'cut.wav');
  const whole = fixture(ONE_SENTENCE);
  writeFileSync(path, whole.subarray(0, Math.floor(whole.length / 2)));
  const { err } = await transcribe(path, path);
  expect(err).toContain('2 of 2 recordings transcribed.');
  expect(err.match(/^note {2}/gm)).toHaveLength(1);
});

it('a request that is one too many is sent again after the time that the service names', async () => {
  let asked = 0;
  const busy = createServer((_request, response) => {
    asked += 1;
    if (asked > 1) response.end('done');
    else response.writeHead(429, { 'retry-after': '1' }).end('later');
  }).listen(0, '127.0.0.1');
  await vi.waitUntil(() => busy.listening);
  const address = busy.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const answer = await patientFetch(`http://127.0.0.1:${port}/`);
  expect([answer.status, await answer.text(), asked]).toEqual([200, 'done', 2]);
  busy.close();
});
