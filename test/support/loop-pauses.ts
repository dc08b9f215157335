import { readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'vitest';
import { LONG_HOURS } from './long-transcript.ts';
import type { TestServer } from './server.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { until } from './until.ts';

/** What no request may hold others up for, with two and with ten hours of speech; milliseconds of processor time. */
export const MAX_PAUSE_MS = LONG_HOURS > 2 ? 300 : 100;
export const TRIES = 8;

/** Measures for how long work blocks the event loop of a server that is started with {@link LoopPauses.env}. */
export class LoopPauses {
  readonly #file = join(temporaryFolder(), 'pauses');

  readonly env = {
    NODE_OPTIONS: `--import=${resolve(import.meta.dirname, 'loop-pauses.mjs')}`,
    EARSHOT_TEST_PAUSES: this.#file,
  };

  /** The longest pause of the server's event loop since this was last asked, in milliseconds of processor time. */
  async longest({ pid }: TestServer): Promise<number> {
    rmSync(this.#file, { force: true });
    process.kill(pid, 'SIGUSR2');
    await until(() => this.#read().endsWith('\n'));
    return Number(this.#read());
  }

  /** Expects that the loop is free within `bound`, asked after each try: the first try pays for the compiler, and neighbors slow a processor. */
  async expectFree(
    server: TestServer,
    action: (attempt: number) => Promise<unknown>,
    bound: () => number = () => MAX_PAUSE_MS,
  ): Promise<void> {
    const pauses: number[] = [];
    let isFree = false;
    while (pauses.length < TRIES && !isFree) {
      await this.longest(server);
      await action(pauses.length);
      const pause = await this.longest(server);
      isFree = pause < bound();
      pauses.push(pause);
    }
    expect(isFree, `pauses of ${pauses.map(Math.round).join(', ')} ms, allowed ${Math.round(bound())}`).toBe(
      true,
    );
  }

  #read(): string {
    try {
      return readFileSync(this.#file, 'utf8');
    } catch {
      return '';
    }
  }
}
