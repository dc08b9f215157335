import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredSegment } from '../../stores/segments.ts';
import type { Diarized } from '../findings/diarize.ts';
import { MAX_CHANNELS } from './audio-streams.ts';
import { withoutBleed } from './bleed.ts';
import { channelSpeakers, mergeChannels } from './channels.ts';
import { Levels, levelsFile } from './levels.ts';

type ChannelFiles = {
  /** The transcript's folder, with the levels of its channels. */
  readonly folder: string;
  readonly channels: number;
  /** Where they begin, in seconds on the source's timeline. */
  readonly start: number;
};

const sameSound = (copy: number, original: number): string =>
  `The channels ${original} and ${copy} carry the same sound: what is said there is in the text once, of channel ${original}.`;

/** For each channel, an earlier one with the same sound. */
const originalsOf = (levels: readonly Levels[]): Map<number, number> =>
  new Map(
    levels.flatMap((own, channel) => {
      const original = levels.slice(0, channel).findIndex((earlier) => own.isSameAs(earlier));
      return original < 0 ? [] : [[channel, original]];
    }),
  );

/** Makes one conversation of what was recognized in each channel: without bleed, in order of time, a speaker in each. */
export const settleChannels = async (
  recognized: readonly StoredSegment[],
  { folder, channels, start }: ChannelFiles,
): Promise<Diarized> => {
  const levels = await Promise.all(
    Array.from({ length: channels }, (_, channel) => Levels.read(join(folder, levelsFile(channel)), start)),
  );
  const originals = originalsOf(levels);
  const { segments } = await withoutBleed(
    recognized.filter(({ channel = 0 }) => !originals.has(channel)),
    levels,
  );
  const merged = mergeChannels(segments);
  return {
    segments: merged,
    speakers: channelSpeakers(merged),
    warnings: [...originals].map(([copy, original]) => sameSound(copy, original)),
  };
};

/** Removes the levels of a transcript's channels, which only its recognition needs. */
export const removeLevels = async (folder: string): Promise<void> => {
  for (let channel = 0; channel < MAX_CHANNELS; channel++) {
    await rm(join(folder, levelsFile(channel)), { force: true });
  }
};
