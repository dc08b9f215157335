import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { STARTER_MODEL, testWhisperCli } from './addon.ts';
import { temporaryFolder } from './temporary-folder.ts';

const run = promisify(execFile);

export type CliOptions = { readonly threads?: number };

/**
 * What whisper.cpp's own program, built from the same source, writes for a recording with the product's
 * decoding: beam of 5, no earlier text as context, non-speech tokens suppressed.
 */
export const whisperCliText = async (path: string, { threads = 1 }: CliOptions = {}): Promise<string> => {
  const folder = await temporaryFolder();
  try {
    const wav = join(folder.path, 'audio.wav');
    await run('ffmpeg', ['-v', 'error', '-i', path, '-map', '0:a:0', '-ac', '1', '-ar', '16000', wav]);
    const decoding = ['-bs', '5', '-bo', '5', '-mc', '0', '-sns', '-l', 'auto', '-t', String(threads)];
    // Not -nt: it would leave the times out of the decoding, too, not out of the output alone.
    const { stdout } = await run(await testWhisperCli(), [
      '-m',
      STARTER_MODEL,
      '-f',
      wav,
      '-np',
      ...decoding,
    ]);
    return stdout
      .replaceAll(/^\[[^\]]*\]\s*/gm, '')
      .replaceAll('\n', ' ')
      .trim();
  } finally {
    await folder.remove();
  }
};
