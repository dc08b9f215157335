import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { extname, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { hashOfFixture, keptRecordings } from './kept-recordings.ts';

const QUIETLY = ['-v', 'error', '-nostdin', '-y'];

/** Runs the real ffmpeg: `ffmpeg -y <args>`. What it makes of fixtures alone is kept for later runs. */
export const ffmpeg = async (...args: string[]): Promise<void> => {
  const outputs = new Map<number, string>();
  const recipe = args.map((arg, index) => {
    if (!isAbsolute(arg)) return arg;
    if (args[index - 1] === '-i') return hashOfFixture(arg);
    outputs.set(index, `${index}${extname(arg)}`);
    return outputs.get(index);
  });
  if (outputs.size === 0 || !recipe.every((part) => part !== undefined)) {
    await promisify(execFile)('ffmpeg', [...QUIETLY, ...args]);
    return;
  }
  const folder = keptRecordings(recipe, (unfinished) => {
    const at = (arg: string, index: number) => {
      const name = outputs.get(index);
      return name === undefined ? arg : join(unfinished, name);
    };
    execFileSync('ffmpeg', [...QUIETLY, ...args.map(at)]);
  });
  for (const [index, name] of outputs) copyFileSync(join(folder, name), args[index] ?? '');
};
