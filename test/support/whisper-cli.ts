import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheDir } from '../../native/build.mjs';
import { testWhisperCli } from './addon.ts';
import { STARTER_MODEL } from './paths.ts';
import { temporaryFolder } from './temporary-folder.ts';

const run = promisify(execFile);

// Without -nt, which would decode without timestamps instead of just hiding them.
const DECODING = ['-np', '-bs', '5', '-bo', '5', '-mc', '0', '-sns', '-l', 'auto', '-t', '1'];

const hear = async (program: string, path: string): Promise<string> => {
  const folder = temporaryFolder();
  try {
    const wav = join(folder, 'audio.wav');
    await run('ffmpeg', ['-v', 'error', '-i', path, '-map', '0:a:0', '-ac', '1', '-ar', '16000', wav]);
    const { stdout } = await run(program, ['-m', STARTER_MODEL, '-f', wav, ...DECODING]);
    return stdout
      .replaceAll(/^\[[^\]]*\]\s*/gm, '')
      .replaceAll('\n', ' ')
      .trim();
  } finally {
  }
};

/**
 * The text of a recording by whisper.cpp's own program, with the product's decoding: beam of 5, no context from earlier
 * text, non-speech tokens suppressed. With one thread the text is deterministic, so it is cached by the program (its
 * path names the build), the model, the recording and the decoding.
 */
export const whisperCliText = async (path: string): Promise<string> => {
  const program = await testWhisperCli();
  const key = createHash('sha256').update(JSON.stringify([program, DECODING]));
  for (const input of [STARTER_MODEL, path]) key.update(await readFile(input));
  const folder = join(cacheDir(), 'whisper-cli-texts');
  const cached = join(folder, `${key.digest('hex')}.txt`);
  try {
    return await readFile(cached, 'utf8');
  } catch {
    const text = await hear(program, path);
    await mkdir(folder, { recursive: true });
    await writeFile(`${cached}.${process.pid}`, text);
    await rename(`${cached}.${process.pid}`, cached);
    return text;
  }
};
