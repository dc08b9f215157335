import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { FolderTakenError } from '../../../electron/core/base/errors.ts';
import { dataPaths } from '../../../electron/core/base/paths.ts';
import { startWhenFree } from '../../../electron/main/taken-folder.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A start beside another process, which lets the data folder go after `held` milliseconds. */
const startBeside = async ({ temporary, held }: { temporary: boolean | undefined; held: number }) => {
  const paths = dataPaths(temporaryFolder());
  if (temporary !== undefined) {
    const server = { pid: 1, url: 'http://127.0.0.1:1', version: '1.0.0', startedAt: '', temporary };
    writeFileSync(paths.serverFile, JSON.stringify(server));
  }
  const clock = new FakeClock();
  const free = clock.monotonic() + held;
  const start = async () => {
    if (clock.monotonic() < free) throw new FolderTakenError('taken');
    return 'started';
  };
  const outcome = startWhenFree(start, paths, clock).catch((error: Error) => error.message);
  // The first try.
  await clock.advance(0);
  return { clock, outcome };
};

it.each([
  ["a command's service", true],
  ['one that is starting or ending', undefined],
])('the desktop program waits for %s', async (_name, temporary) => {
  const { clock, outcome } = await startBeside({ temporary, held: 29_000 });
  await clock.advance(29_200);
  expect([await outcome, clock.timers]).toEqual(['started', 0]);
});

it('the desktop program gives up after half a minute', async () => {
  const { clock, outcome } = await startBeside({ temporary: true, held: 60_000 });
  await clock.advance(30_200);
  expect([await outcome, clock.timers]).toEqual(['taken', 0]);
});

it('the desktop program says at once that a service which stays has the data folder', async () => {
  const { clock, outcome } = await startBeside({ temporary: false, held: 60_000 });
  expect([await outcome, clock.timers]).toEqual(['taken', 0]);
});
