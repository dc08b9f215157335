import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TurnsByTime } from '../../../../electron/core/pipeline/findings/diarize-words.ts';

const REACH = 30;
const span = fc.tuple(fc.integer({ min: 0, max: 600 }), fc.integer({ min: 0, max: 90 }));

describe('the turns near a time', () => {
  it('are those that a look at all of them finds', () => {
    fc.assert(
      fc.property(fc.array(span, { maxLength: 40 }), span, (spans, [start, length]) => {
        const end = start + length;
        const turns = spans.map(([from, seconds], speaker) => ({
          start: from,
          end: from + seconds,
          speaker,
        }));
        const ordered = turns.toSorted((a, b) => a.start - b.start);
        const close = ordered.filter((turn) => turn.end > start - REACH && turn.start < end + REACH);
        const near = new TurnsByTime(turns).near({ start, end });
        if (close.length > 0) {
          expect(near).toEqual(close);
          return;
        }
        // The nearest on each side.
        const before = ordered.filter((turn) => turn.end <= start);
        const latest = before.find((turn) => turn.end === Math.max(...before.map((each) => each.end)));
        const next = ordered.find((turn) => turn.start >= end);
        expect(near).toEqual([latest, next].filter((turn) => turn !== undefined));
      }),
    );
  });
});
