import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fixturePath } from '../support/fixtures.ts';

const run = promisify(execFile);
const SPOKEN = [
  '08-meeting-4min.mp3',
  '02-two-speakers.mp3',
  '03-three-speakers.flac',
  '11-news-and-entities.wav',
];

/** Writes a WAV file of `seconds` of speech by repeating the samples; returns its path. */
export const spokenWav = async (folder: string, name: string, seconds: number): Promise<string> => {
  const list = join(folder, `${name}.txt`);
  const times = Math.ceil(seconds / 300) + 1;
  const wav = join(folder, `${name}.wav`);
  // The concat demuxer needs the same codec in all files.
  const parts = await Promise.all(
    SPOKEN.map(async (file, index) => {
      const part = join(folder, `part-${index}.wav`);
      await run('ffmpeg', ['-v', 'error', '-y', '-i', fixturePath(file), '-ac', '1', '-ar', '16000', part]);
      return part;
    }),
  );
  await writeFile(
    list,
    Array.from({ length: times }, () => parts.map((part) => `file '${part}'`))
      .flat()
      .join('\n'),
  );
  const cut = ['-t', String(seconds), '-c', 'copy', wav];
  await run('ffmpeg', ['-v', 'error', '-y', '-f', 'concat', '-safe', '0', '-i', list, ...cut]);
  return wav;
};
