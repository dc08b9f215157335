import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runEarshot, runHere } from '../../support/command-line.ts';
import { segmentOf, storeTranscript } from '../../support/long-transcript.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let server: TestServer;
let id: string;

beforeAll(async () => {
  const dataDir = temporaryFolder();
  // Words of 0.36 s; `timestamp_style` is that of segments.
  const segments = ['Good morning.', 'How are you?'].map((said, index) =>
    segmentOf(index, 2 * index, said.split(' ')),
  );
  id = storeTranscript(dataDir, segments);
  server = await startServer({ dataDir, quick: true, model: 'starter-parakeet' });
});
afterAll(() => discard(server));

const earshot = (...args: string[]) => runHere(server.dataDir, 'times', ...args);
const rows = (out: string) =>
  out
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/ {2,}/));

describe('earshot times', () => {
  it('lists the words of a segment, moves them, and takes that back', async () => {
    const before = [
      ['0', '0.720', '1.080', 'How'],
      ['1', '1.080', '1.440', 'are'],
      ['2', '1.440', '1.800', 'you?'],
    ];
    const listed = await runEarshot(server.dataDir, 'times', 'list', id, '1');
    expect([listed.code, rows(listed.out)]).toEqual([0, before]);
    const moved = await earshot('word', id, '1', '1', '--start', '1', '--end', '1.5');
    expect(rows(moved.out)).toEqual([
      ['0', '0.720', '1.000', 'How'],
      ['1', '1.000', '1.500', 'are'],
      ['2', '1.500', '1.800', 'you?'],
    ]);
    await runHere(server.dataDir, 'transcripts', 'undo', id);
    expect(rows((await earshot('list', id, '1')).out)).toEqual(before);
  });

  it('sets the times of subtitles, and lets them follow the words again', async () => {
    const set = await earshot('subtitle', id, '0', '0', '--start', '0.1');
    expect(rows(set.out)[0]).toEqual(['0', '0.000', '0.360', 'Good', '0.100']);
    const cleared = await earshot('subtitle', id, '0', '0', '--start', 'auto');
    expect(rows(cleared.out)[0]).toEqual(['0', '0.000', '0.360', 'Good']);
  });

  it.each([
    ['no border', ['word', '1', '1'], 'Write --start, --end or both.'],
    ['no number', ['word', '1', 'one', '--end', '1'], 'one: write a number, from 0.'],
    ['no seconds', ['word', '1', '1', '--end', '1:02'], '1:02: write seconds as in 83.25.'],
    ['an unknown segment', ['list', '7'], 'There is no segment 7.'],
  ])('refuses %s', async (_what, [command = '', ...args], message) => {
    const { code, err } = await earshot(command, id, ...args);
    expect([code, err.includes(message)]).toEqual([2, true]);
  });

  it('says why times do not fit', async () => {
    const { code, err } = await earshot('word', id, '1', '1', '--end', '9');
    expect(code).toBe(2);
    expect(err).toContain('The times do not fit: the recording lasts from 0 s to 1.8 s.');
  });
});
