import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SAMPLE_RATE } from '../../../../electron/core/base/audio.ts';
import {
  Levels,
  levelsFile,
  withoutBleed,
  writeLevels,
} from '../../../../electron/core/pipeline/recognition/settle-channels.ts';
import type { StoredSegment } from '../../../../electron/core/stores/segments.ts';
import { chunkOf } from '../../../support/fake-engine.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

/** From a second on, as loud as this in decibels of full scale; the loudness wavers by `wave` decibels. */
type Sound = { readonly at: number; readonly db: number; readonly wave?: number };

const SECONDS = 20;

/** The levels of a channel with these sounds, each up to the next, written and read as a job does. */
const levelsWith = async (sounds: readonly Sound[]): Promise<Levels> => {
  const chunk = chunkOf({ seconds: SECONDS });
  for (const index of chunk.pcm.keys()) {
    const time = index / SAMPLE_RATE;
    const { db, wave = 0 } = sounds.findLast(({ at }) => at <= time) ?? { db: -90 };
    const amplitude = 10 ** ((db + wave * Math.sin(time * 20)) / 20);
    chunk.pcm[index] = amplitude * Math.SQRT2 * Math.sin(index / 3);
  }
  const path = join(temporaryFolder(), levelsFile(0));
  await writeLevels(path, chunk, 0);
  return Levels.read(path, 0);
};

/** A segment of one word each 0.3 s. */
const segment = (channel: number, start: number, text: string, id = channel): StoredSegment => {
  const words = text.split(' ').map((word, index) => ({
    word,
    start: start + index * 0.3,
    end: start + index * 0.3 + 0.25,
    confidence: 0.9,
    speaker_id: null,
  }));
  return { id, text, start, end: words.at(-1)?.end ?? start, speaker_id: null, channel, words };
};

const textsOf = async (segments: readonly StoredSegment[], levels: readonly Levels[]) =>
  (await withoutBleed(segments, levels)).segments.map(({ channel, text }) => [channel, text]);

/** The first person speaks up to the tenth second, the second one from there on; each hears the other 15 dB quieter. */
const call = () =>
  Promise.all([
    levelsWith([
      { at: 0, db: -20, wave: 8 },
      { at: 10, db: -35, wave: 8 },
    ]),
    levelsWith([
      { at: 0, db: -35, wave: 8 },
      { at: 10, db: -20, wave: 8 },
    ]),
  ]);

describe('bleed between channels', () => {
  it('is dropped where the same words are quieter, also misheard', async () => {
    const segments = [
      segment(0, 1, 'We should improve customer support.'),
      segment(1, 1.1, 'We should improve costume report.'),
      segment(1, 12, 'Who is responsible for that?'),
      segment(0, 12, 'Who is responsible for that?'),
    ];
    expect(await textsOf(segments, await call())).toEqual([
      [0, 'We should improve customer support.'],
      [1, 'Who is responsible for that?'],
    ]);
  });

  it('is cut out of a segment with words of its own', async () => {
    const segments = [
      segment(1, 8.75, 'to the next meeting And who is there?'),
      segment(0, 8.75, 'to the next meeting'),
    ];
    const { segments: kept, dropped } = await withoutBleed(segments, await call());
    expect(kept.map(({ text }) => text)).toEqual(['And who is there?', 'to the next meeting']);
    expect(kept[0]?.start).toBe(kept[0]?.words[0]?.start);
    expect(dropped.map(({ word }) => word)).toEqual(['to', 'the', 'next', 'meeting']);
  });

  it('is no word that both say at once, equally loud', async () => {
    const loud = () => levelsWith([{ at: 0, db: -20, wave: 8 }]);
    const segments = [segment(0, 5, 'Yes, I agree.'), segment(1, 5, 'Yes, I agree.')];
    expect(await textsOf(segments, [await loud(), await loud()])).toHaveLength(2);
  });

  it('is no quiet word of its own beside a louder voice', async () => {
    const levels = await Promise.all([
      levelsWith([{ at: 0, db: -20, wave: 8 }]),
      levelsWith([
        { at: 0, db: -28, wave: -5 },
        { at: 10, db: -28 },
      ]),
    ]);
    const segments = [
      segment(0, 5, 'The first item on the agenda is this.'),
      segment(1, 5, 'May I ask you a question?'),
      segment(1, 8, 'Yes.', 2),
      segment(0, 8.1, 'Yes.', 3),
    ];
    expect(await textsOf(segments, levels)).toEqual(segments.map(({ channel, text }) => [channel, text]));
  });

  it('is found though one microphone is 12 dB more sensitive', async () => {
    const levels = await Promise.all([
      levelsWith([
        { at: 0, db: -10, wave: 8 },
        { at: 10, db: -25, wave: 8 },
      ]),
      levelsWith([
        { at: 0, db: -37, wave: 8 },
        { at: 10, db: -22, wave: 8 },
      ]),
    ]);
    const segments = [
      segment(0, 12, 'Who is responsible for that?'),
      segment(1, 12, 'Who is responsible for that?'),
    ];
    expect(await textsOf(segments, levels)).toEqual([[1, 'Who is responsible for that?']]);
  });

  it('is not looked for where the levels are unknown', async () => {
    const unknown = await Levels.read(join(temporaryFolder(), 'none'), 0);
    const segments = [segment(0, 1, 'Good morning everyone.'), segment(1, 1, 'Good morning everyone.')];
    expect(await textsOf(segments, [unknown, unknown])).toHaveLength(2);
  });
});
