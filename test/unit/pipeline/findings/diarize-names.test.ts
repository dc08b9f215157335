import { describe, expect, it } from 'vitest';
import { withEarlierNames } from '../../../../electron/core/pipeline/findings/diarize-words.ts';

const segment = (speaker: string, start: number, end: number) => ({
  id: 0,
  text: 'word',
  start,
  end,
  speaker_id: speaker,
  words: [{ word: 'word', start, end, confidence: 1, speaker_id: speaker }],
});
const speaker = (name: string) => ({ name, talk_seconds: 1, share: 0.5 });
const before = {
  segments: [segment('A', 0, 5), segment('B', 5, 8), segment('A', 8, 9)],
  speakers: { A: speaker('Maria'), B: speaker('Speaker B') },
};

describe('names that a person gave', () => {
  it('go with the words, whatever their new labels', async () => {
    const after = {
      segments: [segment('A', 5, 8), segment('B', 0, 5), segment('B', 8, 9)],
      speakers: { A: speaker('Speaker A'), B: speaker('Speaker B') },
    };
    const { speakers, dropped } = withEarlierNames(before, after);
    expect(speakers).toMatchObject({ A: { name: 'Speaker A' }, B: { name: 'Maria' } });
    expect(dropped).toEqual([]);
  });

  it('are dropped if no speaker says most of those words', async () => {
    const after = {
      segments: [segment('A', 0, 5), segment('A', 5, 8), segment('A', 8, 9)],
      speakers: { A: speaker('Speaker A') },
    };
    const both = { ...before, speakers: { A: speaker('Maria'), B: speaker('Tom') } };
    const { speakers, dropped } = withEarlierNames(both, after);
    expect(speakers).toMatchObject({ A: { name: 'Maria' } });
    expect(dropped).toEqual(['B']);
  });

  it('are not carried over if there were none', async () => {
    const { speakers, dropped } = withEarlierNames({ segments: before.segments }, before);
    expect(speakers).toEqual(before.speakers);
    expect(dropped).toEqual([]);
  });
});
