// The time from `earshot open` to the library in its window, and the memory of the idle service, of an unpacked package:
//
//   npm run package:server -- --tar
//   xvfb-run node test/bench/installed.ts dist/server/earshot-0.1.0-linux-amd64 [--runs 5]
//
// Each run has a new library and a new Chromium. Linux, with a display.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { median } from './measure.ts';

const IDLE_AFTER_MS = 20_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '5' } },
});
const earshot = resolve(positionals[0] ?? '', 'bin', 'earshot');
if (!existsSync(earshot)) throw new Error(`${earshot} is not there: name the folder of an unpacked package.`);

const browser = join(temporaryFolder(), 'browser');
const program = process.env.EARSHOT_CHROMIUM ?? '/usr/bin/chromium';
writeFileSync(browser, `#!/bin/sh\nexec '${program}' --remote-debugging-port=0 "$@"\n`, { mode: 0o755 });

type Opened = { readonly child: ChildProcess; readonly seconds: number };

/** Starts the package and waits until its window shows the library. */
const open = async (): Promise<Opened> => {
  const dataDir = temporaryFolder();
  const startedAt = performance.now();
  const child = spawn(earshot, ['open', '--port', '0', '--data-dir', dataDir], {
    env: { ...process.env, EARSHOT_CHROMIUM: browser },
    stdio: 'ignore',
  });
  const portFile = join(dataDir, 'window', 'DevToolsActivePort');
  const [port] = await until(() => existsSync(portFile) && readFileSync(portFile, 'utf8').split('\n'));
  const devTools = await chromium.connectOverCDP(`http://127.0.0.1:${port}`);
  const [context] = devTools.contexts();
  const page = await until(() => context?.pages().find((each) => each.url().startsWith('http')));
  await page.getByRole('heading', { name: 'Library', includeHidden: true }).waitFor({ state: 'attached' });
  const seconds = (performance.now() - startedAt) / 1000;
  await devTools.close();
  return { child, seconds };
};

const close = async ({ child }: Opened): Promise<void> => {
  child.kill('SIGTERM');
  await once(child, 'exit');
};

const memory = ({ child }: Opened): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1000;

const times: number[] = [];
for (let run = 1; run <= Number(values.runs); run++) {
  const opened = await open();
  times.push(opened.seconds);
  if (run === Number(values.runs)) {
    await delay(IDLE_AFTER_MS);
    process.stdout.write(
      `idle, ${IDLE_AFTER_MS / 1000} s after the start: ${Math.round(memory(opened))} MB\n`,
    );
  }
  await close(opened);
}
const load = loadavg().map((value) => value.toFixed(1));
process.stdout.write(
  `library shown after ${median(times).toFixed(1)} s (median of ${times.map((time) => time.toFixed(1)).join(', ')}); load ${load.join(' ')}\n`,
);
