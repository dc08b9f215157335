import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { testWhisperCli } from './addon.ts';
import { STARTER_PARAKEET } from './paths.ts';
import { cachedText } from './reference-texts.ts';
import { temporaryFolder } from './temporary-folder.ts';

const run = promisify(execFile);
const OPTIONS = ['-ps', '-t', '1'];
const TOKEN = /id=\s*(\d+) .* p=([\d.]+) .* t0=\s*(\d+) t1=\s*(\d+) /;

const TOKEN_TEXT = /word_start=\w+ "(.*)"$/;

export type ParakeetToken = {
  readonly id: number;
  readonly probability: number;
  /** Seconds. */
  readonly start: number;
  readonly end: number;
};

/** A WAV file of 32-bit float samples at 16 kHz. */
const wavOf = (pcm: Float32Array): Buffer => {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + pcm.byteLength, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(3, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(16_000, 24);
  header.writeUInt32LE(64_000, 28);
  header.writeUInt16LE(4, 32);
  header.writeUInt16LE(32, 34);
  header.write('data', 36);
  header.writeUInt32LE(pcm.byteLength, 40);
  return Buffer.concat([header, Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength)]);
};

/** The output of whisper.cpp's own program for audio, as one piece, with `starter-parakeet`. */
const outputOf = async (pcm: Float32Array): Promise<string> => {
  const program = join(dirname(await testWhisperCli()), 'parakeet-cli');
  const sound = wavOf(pcm);
  const inputs = [await readFile(STARTER_PARAKEET), sound];
  return cachedText({ program, options: OPTIONS, inputs }, async () => {
    const wav = join(temporaryFolder(), 'audio.wav');
    await writeFile(wav, sound);
    const { stderr } = await run(program, ['-m', STARTER_PARAKEET, '-f', wav, ...OPTIONS], {
      maxBuffer: 1 << 26,
    });
    return stderr;
  });
};

/** The tokens that whisper.cpp's own program writes for audio, as one piece, with `starter-parakeet`. */
export const parakeetCliTokens = async (pcm: Float32Array): Promise<ParakeetToken[]> => {
  const text = await outputOf(pcm);
  return text.split('\n').flatMap((line) => {
    const [, id, probability, start, end] = TOKEN.exec(line) ?? [];
    if (id === undefined) return [];
    return [
      {
        id: Number(id),
        probability: Number(probability),
        start: Number(start) / 100,
        end: Number(end) / 100,
      },
    ];
  });
};

/** The text that whisper.cpp's own program writes for audio, as one piece, with `starter-parakeet`. */
export const parakeetCliText = async (pcm: Float32Array): Promise<string> =>
  (await outputOf(pcm))
    .split('\n')
    .map((line) => TOKEN_TEXT.exec(line)?.[1] ?? '')
    .join('')
    .replaceAll('▁', ' ')
    .trim();
