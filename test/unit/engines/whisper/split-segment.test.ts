import { describe, expect, it } from 'vitest';
import type { WhisperSegment } from '../../../../electron/core/engines/whisper/types.ts';
import { splitSegment } from '../../../../electron/core/engines/whisper/worker.ts';

/** A segment of tokens half a second apart, each a third of a second long. `|` stands for a pause of two seconds. */
const segmentOf = (written: string): WhisperSegment => {
  let at = 1;
  const tokens = written.split(/(?=\s)/u).flatMap((text, id) => {
    if (text.trim() === '|') {
      at += 2;
      return [];
    }
    const start = at;
    at += 0.5;
    return [{ id, text, probability: 0.5, start, end: start + 0.3, special: false }];
  });
  const text = tokens.map((token) => token.text).join('');
  return {
    start: 1,
    end: at,
    text,
    noSpeechProbability: 0,
    averageLogprob: Math.log(0.5),
    tokens,
    aligned: false,
  };
};

const textsOf = (written: string): string[] => splitSegment(segmentOf(written)).map(({ text }) => text);

describe('splitSegment', () => {
  it('ends segments with sentences', () => {
    expect(textsOf(' Good morning. My name is Ann! Is it? Yes… 5 of us “left.” We stayed')).toEqual([
      ' Good morning.',
      ' My name is Ann!',
      ' Is it?',
      ' Yes…',
      ' 5 of us “left.”',
      ' We stayed',
    ]);
    expect(textsOf(' Das ist gut. ¿Qué? Ärger.')).toEqual([' Das ist gut.', ' ¿Qué?', ' Ärger.']);
  });

  it('takes no full stop inside a name, a number or an address for an end', () => {
    const one = ' Dr. Smith met J. R. Miller at 7:45 a.m. for version 4.0 of example.com';
    expect(textsOf(one)).toEqual([one]);
  });

  it('ends segments at long pauses and cuts endless ones', () => {
    expect(textsOf(' one two | three')).toEqual([' one two', ' three']);
    const long = splitSegment(segmentOf(' word'.repeat(200)));
    expect(long.length).toBe(4);
    expect(Math.max(...long.map(({ start, end }) => end - start))).toBeLessThanOrEqual(30);
  });

  it('keeps every token and its time', () => {
    const whole = segmentOf(' One. Two. | Three');
    const parts = splitSegment(whole);
    expect(parts.flatMap(({ tokens }) => tokens)).toEqual(whole.tokens);
    expect(parts.map(({ start, end }) => [start, end])).toEqual(
      parts.map(({ tokens }) => [tokens[0]?.start, tokens.at(-1)?.end]),
    );
    expect(parts.every(({ averageLogprob }) => Math.abs(averageLogprob - Math.log(0.5)) < 1e-9)).toBe(true);
    expect(splitSegment({ ...whole, tokens: [] })).toEqual([]);
  });
});
