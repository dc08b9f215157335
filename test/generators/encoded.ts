import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ffmpeg } from '../support/ffmpeg.ts';
import { fixturePath } from '../support/fixtures.ts';

const SENTENCE = fixturePath('00-one-sentence.wav');
const STEREO = ['-ac', '2', '-ar', '48000'];
/** Of a television, as long as the sentence. */
const PICTURES = ['-f', 'lavfi', '-i', 'color=s=720x576:r=25:d=4.32'];

/** Writes the sentence as ffmpeg encodes it by the name of the path. */
export const encodeSentence = (path: string, options: readonly string[] = []): Promise<void> =>
  ffmpeg('-i', SENTENCE, ...options, path);

/** The sound of a digital video tape. */
export const encodeTape = (path: string): Promise<void> =>
  encodeSentence(path, [...PICTURES, '-target', 'pal-dv', ...STEREO]);

/** A video of 8 seconds whose sentence begins after 3. */
export const encodeLateSound = (path: string): Promise<void> => {
  const video = ['-f', 'lavfi', '-i', 'color=s=64x48:r=5:d=8'];
  const sound = ['-itsoffset', '3', '-i', SENTENCE];
  return ffmpeg(...video, ...sound, '-output_ts_offset', '4', '-c:v', 'mpeg4', path);
};

/** Two tracks, of which the first is silent. */
export const encodeSilentFirstTrack = (path: string): Promise<void> => {
  const silence = ['-f', 'lavfi', '-i', 'anullsrc=r=16000:cl=mono:d=6'];
  return ffmpeg(...silence, '-i', SENTENCE, '-map', '0', '-map', '1', '-c:a', 'flac', path);
};

/** The sentence in channels that are made of it, e.g. `c0=c0|c1=-1*c0` of `stereo`. */
export const encodeChannels = (path: string, layout: string, channels: string): Promise<void> =>
  encodeSentence(path, ['-af', `pan=${layout}|${channels}`, '-c:a', 'pcm_s16le']);

/** One file in which each part has the options of its own, as a podcast with an ad. Returns its path. */
export const concatenate = async (
  folder: string,
  { name, type, parts }: { name: string; type: string; parts: readonly (readonly string[])[] },
): Promise<string> => {
  const files = parts.map((_, index) => join(folder, `${name}-${index}.${type}`));
  for (const [index, options] of parts.entries()) await encodeSentence(files[index] ?? '', options);
  const path = join(folder, `${name}.${type}`);
  await writeFile(path, Buffer.concat(await Promise.all(files.map((part) => readFile(part)))));
  return path;
};

/** What recorders, phones and programs write: the name of a file, and ffmpeg's options. */
export const EVERYDAY: readonly (readonly [string, readonly string[]])[] = [
  ['a.wav', []],
  ['a.aiff', []],
  ['a.au', []],
  ['a.caf', []],
  ['a.w64', []],
  ['a.mp2', STEREO],
  ['a.mp3', []],
  ['a.flac', []],
  ['a.ogg', ['-c:a', 'libvorbis']],
  ['a.opus', []],
  ['a.webm', ['-c:a', 'libopus']],
  ['a.m4a', ['-c:a', 'aac']],
  ['alac.m4a', ['-c:a', 'alac']],
  ['a.aac', STEREO],
  ['a.mka', ['-c:a', 'alac']],
  ['a.ac3', STEREO],
  ['wmav1.wma', ['-c:a', 'wmav1', ...STEREO]],
  ['wmav2.wma', ['-c:a', 'wmav2', ...STEREO]],
  ['a.tta', []],
  ['a.wv', []],
  ['a.ts', ['-c:a', 'aac']],
  ['a.mkv', ['-c:a', 'pcm_s16le']],
];

/** What machines and programs of few users write, in the same form. */
export const UNCOMMON: readonly (readonly [string, readonly string[]])[] = [
  ['a.adx', []],
  ['a.ast', ['-ac', '2', '-c:a', 'pcm_s16be_planar']],
  ['a.g722', []],
  ['a.ircam', ['-f', 'ircam']],
  ['a.mlp', ['-strict', '-2', ...STEREO]],
  ['a.nut', ['-c:a', 'pcm_s16le']],
  ['a.sbc', ['-ac', '2', '-ar', '44100']],
  ['a.sox', []],
  ['a.wtv', ['-c:a', 'mp2']],
];
