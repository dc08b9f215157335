import { join } from 'node:path';
import { ffmpeg } from '../support/ffmpeg.ts';
import { fixturePath, truth } from '../support/fixtures.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const LAYOUTS = [
  { name: 'stereo', channels: ['FL', 'FR'] },
  { name: '3.0', channels: ['FL', 'FR', 'FC'] },
  { name: 'quad', channels: ['FL', 'FR', 'BL', 'BR'] },
] as const;

/** The voices of a recording, in the order of their channels. */
export const voicesOf = (file: string): string[] =>
  [...new Set(truth(file).sentences.map(({ speaker }) => speaker))].toSorted();

/** Mutes what the others say. */
const only = (file: string, speaker: string): string => {
  const own = truth(file).sentences.filter((sentence) => sentence.speaker === speaker);
  const spans = own.map(({ start, end }) => `between(t,${start - 0.15},${end + 0.15})`);
  return `volume=0:enable='not(${spans.join('+')})'`;
};

export type VoiceChannels = {
  /** How loud each voice is in the other channels, in decibels; default: not at all. */
  readonly bleed?: number;
  /** Seconds by which each voice is later than the one of the channel before, so that several speak at once. */
  readonly shift?: number;
  /** Decibels by which the second channel is recorded louder than the others. */
  readonly gain?: number;
  /** The format's extension; default wav. */
  readonly extension?: string;
  /** Codec and container options of ffmpeg. */
  readonly output?: readonly string[];
};

/** A recording of two to four voices with each in a channel of its own, as of a call. */
export const voiceChannels = async (
  file: string,
  { bleed, shift = 0, gain = 0, extension = 'wav', output = [] }: VoiceChannels = {},
): Promise<string> => {
  const path = join(temporaryFolder(), `voices.${extension}`);
  const voices = voicesOf(file);
  const layout = LAYOUTS[voices.length - 2];
  if (layout === undefined) throw new Error(`${file} has ${voices.length} voices.`);
  const heard = bleed === undefined ? 0 : 10 ** (bleed / 20);
  const seconds = truth(file).duration + shift * (voices.length - 1);
  const inputs = voices.map((_, index) => `[in${index}]`);
  const own = voices.map(
    (voice, index) =>
      `[in${index}]${only(file, voice)},adelay=${Math.round(shift * index * 1000)},apad=whole_dur=${seconds}[v${index}]`,
  );
  const mixed = voices.map((_, channel) => {
    const loudness = channel === 1 ? 10 ** (gain / 20) : 1;
    const parts = voices.map((__, from) => `${loudness * (from === channel ? 1 : heard)}*c${from}`);
    return `c${channel}=${parts.join('+')}`;
  });
  const map = layout.channels.map((name, index) => `${index}.0-${name}`).join('|');
  const graph = [
    `[0:a:0]aformat=channel_layouts=mono,aresample=16000,asplit=${voices.length}${inputs.join('')}`,
    ...own,
    `${voices.map((_, index) => `[v${index}]`).join('')}join=inputs=${voices.length}:channel_layout=${layout.name}:map=${map}[joined]`,
    `[joined]pan=${layout.name}|${mixed.join('|')}[all]`,
  ];
  const complex = graph.join(';');
  await ffmpeg('-i', fixturePath(file), '-filter_complex', complex, '-map', '[all]', ...output, path);
  return path;
};
