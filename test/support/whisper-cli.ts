import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { testWhisperCli } from './addon.ts';
import { STARTER_MODEL } from './paths.ts';
import { cachedText } from './reference-texts.ts';
import { temporaryFolder } from './temporary-folder.ts';

const run = promisify(execFile);

// Without -nt, which would decode without timestamps instead of just hiding them.
const DECODING = ['-np', '-bs', '5', '-bo', '5', '-mc', '0', '-sns', '-l', 'auto', '-t', '1'];

const hear = async (program: string, path: string): Promise<string> => {
  const folder = temporaryFolder();
  const wav = join(folder, 'audio.wav');
  await run('ffmpeg', ['-v', 'error', '-i', path, '-map', '0:a:0', '-ac', '1', '-ar', '16000', wav]);
  const { stdout } = await run(program, ['-m', STARTER_MODEL, '-f', wav, ...DECODING]);
  return stdout
    .replaceAll(/^\[[^\]]*\]\s*/gm, '')
    .replaceAll('\n', ' ')
    .trim();
};

/**
 * The text of a recording by whisper.cpp's own program, with the product's decoding: beam of 5, no context from earlier
 * text, non-speech tokens suppressed.
 */
export const whisperCliText = async (path: string): Promise<string> => {
  const program = await testWhisperCli();
  const inputs = await Promise.all([STARTER_MODEL, path].map((input) => readFile(input)));
  return cachedText({ program, options: DECODING, inputs }, () => hear(program, path));
};
