import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { spawnEarshot } from './server.ts';

export type CommandResult = { readonly code: number | null; readonly out: string; readonly err: string };

/** Waits for the end of a command. */
export const resultOf = async (child: ChildProcess): Promise<CommandResult> => {
  if (child.stdout === null || child.stderr === null) throw new Error('no output to read');
  const closed = once(child, 'close');
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await closed;
  return { code, out, err };
};

/** Runs `earshot` on a data folder. */
export const runEarshot = async (dataDir: string, ...args: string[]): Promise<CommandResult> =>
  resultOf(await spawnEarshot(args, { EARSHOT_DATA_DIR: dataDir }));
