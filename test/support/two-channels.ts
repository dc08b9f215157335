import { join } from 'node:path';
import { ffmpeg } from './ffmpeg.ts';
import { fixturePath, truth } from './fixtures.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Mutes what the others say. */
const only = (file: string, speaker: string): string => {
  const own = truth(file).sentences.filter((sentence) => sentence.speaker === speaker);
  const spans = own.map(({ start, end }) => `between(t,${start - 0.15},${end + 0.15})`);
  return `volume=0:enable='not(${spans.join('+')})'`;
};

export type TwoChannels = {
  /** How loud each voice is in the other channel, in decibels; default: not at all. */
  readonly bleed?: number;
  /** The format's extension; default wav. */
  readonly extension?: string;
  /** Codec and container options of ffmpeg, and the mapping where it is not one track of two channels. */
  readonly output?: readonly string[];
  /** Seconds by which the second voice is moved, so that both speak at once. */
  readonly shift?: number;
};

/** A recording of two voices with each in a channel of its own, as of a call: speaker A left, speaker B right. */
export const twoChannels = async (
  file: string,
  { bleed, extension = 'wav', output = ['-map', '[both]'], shift = 0 }: TwoChannels = {},
): Promise<string> => {
  const path = join(temporaryFolder(), `two-channels.${extension}`);
  const gain = bleed === undefined ? 0 : 10 ** (bleed / 20);
  const moved = shift > 0 ? `,adelay=${shift * 1000}` : `,atrim=start=${-shift},asetpts=PTS-STARTPTS`;
  const graph = [
    `[0:a:0]aformat=channel_layouts=mono,aresample=16000,asplit=2[x][y]`,
    `[x]${only(file, 'A')},apad=whole_dur=${truth(file).duration + Math.abs(shift)}[a]`,
    `[y]${only(file, 'B')}${moved},apad=whole_dur=${truth(file).duration + Math.abs(shift)}[b]`,
    `[a][b]join=inputs=2:channel_layout=stereo:map=0.0-FL|1.0-FR,pan=stereo|c0=c0+${gain}*c1|c1=c1+${gain}*c0[both]`,
  ];
  await ffmpeg('-i', fixturePath(file), '-filter_complex', graph.join(';'), ...output, path);
  return path;
};
