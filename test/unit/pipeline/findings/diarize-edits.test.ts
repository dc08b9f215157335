import { describe, expect, it } from 'vitest';
import { withEarlierEdits } from '../../../../electron/core/pipeline/findings/diarize-words.ts';

/** `A` is what the machine found, `A!` what a person said. */
const segment = (label: string, start: number, end: number) => {
  const speaker = label.replace('!', '');
  const words = [start, (start + end) / 2].map((from, index) => ({
    word: `w${from}`,
    start: from,
    end: index === 0 ? (start + end) / 2 : end,
    confidence: 1,
    speaker_id: speaker,
    ...(label.endsWith('!') ? { speakerGiven: true } : {}),
  }));
  return { id: 0, text: words.map(({ word }) => word).join(' '), start, end, speaker_id: speaker, words };
};
const speakers = (...labels: string[]) =>
  Object.fromEntries(
    labels.map((label) => [label, { name: `Speaker ${label}`, talk_seconds: 4, share: 0.5 }]),
  );
const labels = (segments: readonly { speaker_id: string | null }[]) =>
  segments.map(({ speaker_id }) => speaker_id);

describe('who speaks, as a person said, in a new diarization', () => {
  it('is the speaker who takes the place of that one, whatever the label', async () => {
    const before = {
      segments: [segment('A', 0, 4), segment('B', 4, 8), segment('B!', 8, 10)],
      speakers: speakers('A', 'B'),
    };
    const after = {
      segments: [segment('B', 0, 4), segment('A', 4, 8), segment('B', 8, 10)],
      speakers: speakers('A', 'B'),
    };
    const kept = withEarlierEdits(before, after);
    expect(labels(kept.segments)).toEqual(['B', 'A', 'A']);
    expect(kept.segments[2]?.words[0]).toMatchObject({ speaker_id: 'A', speakerGiven: true });
    expect(kept.speakers).toMatchObject({ A: { talk_seconds: 5.333 }, B: { talk_seconds: 2.667 } });
  });

  it('keeps two speakers merged, although the machine tells them apart again', async () => {
    const before = { segments: [segment('A', 0, 4), segment('A!', 4, 8)], speakers: speakers('A') };
    const after = { segments: [segment('A', 0, 4), segment('B', 4, 8)], speakers: speakers('A', 'B') };
    const kept = withEarlierEdits(before, after);
    expect(labels(kept.segments)).toEqual(['A', 'A']);
    expect(Object.keys(kept.speakers)).toEqual(['A']);
  });

  it('keeps a speaker whom only a person heard, and cuts a segment where needed', async () => {
    const before = { segments: [segment('A', 0, 4), segment('B!', 4, 6)], speakers: speakers('A', 'B') };
    const whole = segment('A', 0, 6);
    const [first, second] = [segment('A', 0, 4), segment('A', 4, 6)];
    const words = [...first.words, ...second.words];
    const after = {
      segments: [{ ...whole, words, text: `${first.text} ${second.text}` }],
      speakers: speakers('A'),
    };
    const kept = withEarlierEdits(before, after);
    expect(kept.segments.map(({ id, text, speaker_id }) => [id, text, speaker_id])).toEqual([
      [0, 'w0 w2', 'A'],
      [1, 'w4 w5', 'B'],
    ]);
    expect(Object.keys(kept.speakers)).toEqual(['A', 'B']);
  });

  it('changes nothing where nobody said anything', async () => {
    const before = { segments: [segment('B', 0, 4)], speakers: speakers('B') };
    const after = { segments: [segment('A', 0, 4)], speakers: speakers('A') };
    expect(withEarlierEdits(before, after)).toEqual(after);
  });
});
