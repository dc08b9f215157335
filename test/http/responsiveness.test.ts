import { readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixture } from '../support/fixtures.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { file, startUrlServer, type UrlServer } from '../support/url-server.ts';

let server: TestServer;
let remote: UrlServer;
/** Where the server writes the longest pause of its event loop. */
const pausesFile = join(temporaryFolder(), 'pauses');
/** A transcript with the times of its words: these are what is costly. */
let id: string;

const LETTERS = 'abcdefghij';
const OTHER_LETTERS = 'zyxwvutsr';

/** A text of `count` words of one letter each: the most words that a text of its length can have. */
const text = (count: number, letters: string): string =>
  Array.from({ length: count }, (_, index) => letters.charAt(index % letters.length)).join(' ');

/** The longest pause of the server's event loop since this was last asked, in milliseconds. */
const longestPause = async (): Promise<number> => {
  rmSync(pausesFile, { force: true });
  process.kill(server.pid, 'SIGUSR2');
  const read = () => {
    try {
      return readFileSync(pausesFile, 'utf8');
    } catch {
      return '';
    }
  };
  await until(() => read().endsWith('\n'));
  return Number(read());
};

const correct = async (corrected: string): Promise<void> => {
  const changed = await server.client.call('patchTranscript', {
    params: { id },
    body: { segments: [{ id: 0, text: corrected }] },
  });
  expect(changed.segments[0]?.text).toBe(corrected);
};

const pauseOf = async (action: () => Promise<unknown>): Promise<number> => {
  await longestPause();
  await action();
  return longestPause();
};

beforeAll(async () => {
  [server, remote] = await Promise.all([
    startServer({
      quick: true,
      env: {
        NODE_OPTIONS: `--import=${resolve(import.meta.dirname, '..', 'support', 'loop-pauses.mjs')}`,
        EARSHOT_TEST_PAUSES: pausesFile,
      },
    }),
    startUrlServer(),
  ]);
  const url = remote.set('/short.wav', file(fixture('01-short-note.wav')));
  ({ id } = await server.client.call('createTranscript', {
    body: { audio_url: url, wait_until_complete: true, timestamp_style: 'word' },
  }));
});
afterAll(async () => {
  await Promise.all([discard(server), remote.close()]);
});

const TRIES = 4;

describe('the event loop stays free', () => {
  it.each([25_000, 50_000])('while all %i words of a segment are replaced', async (count) => {
    await correct(text(count, LETTERS));
    const pauses: { correction: number; reading: number }[] = [];
    const isFree = () => pauses.some(({ correction, reading }) => correction < Math.max(100, 3 * reading));
    // The first try pays for the compiler.
    while (!isFree() && pauses.length < TRIES) {
      const letters = pauses.length % 2 === 0 ? OTHER_LETTERS : LETTERS;
      const correction = await pauseOf(() => correct(text(count, letters)));
      const reading = await pauseOf(() => server.client.call('getTranscript', { params: { id } }));
      pauses.push({ correction, reading });
    }
    expect(isFree(), JSON.stringify(pauses)).toBe(true);
  });

  it('while a word of 100,000 characters is exported as subtitles', async () => {
    await correct('ß'.repeat(100_000));
    const pauses: { exporting: number; reading: number }[] = [];
    const isFree = () => pauses.some(({ exporting, reading }) => exporting < Math.max(200, 3 * reading));
    while (!isFree() && pauses.length < TRIES) {
      const exporting = await pauseOf(async () => {
        const response = await server.fetch(`/v1/transcript/id/${id}/export?format=srt`);
        expect([response.status, (await response.text()).match(/ß/g)?.length]).toEqual([200, 100_000]);
      });
      const reading = await pauseOf(() => server.client.call('getTranscript', { params: { id } }));
      pauses.push({ exporting, reading });
    }
    expect(isFree(), JSON.stringify(pauses)).toBe(true);
  });
});
