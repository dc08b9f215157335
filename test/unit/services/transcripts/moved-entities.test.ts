import { describe, expect, it } from 'vitest';
import type { Entity } from '../../../../electron/contract/analysis.ts';
import { joinTexts } from '../../../../electron/core/base/text.ts';
import { moveEntities } from '../../../../electron/core/services/transcripts/edited-segments.ts';

const segmented = (...texts: string[]) => ({
  text: joinTexts(texts),
  segments: texts.map((text) => ({ text })),
});

const entity = (text: string, name: string): Entity => {
  const startIndex = text.indexOf(name);
  return { type: 'person', text: name, startIndex, endIndex: startIndex + name.length };
};

/** The names that are left of `names` after the edit, each checked to be where its offsets say. */
const left = (before: string[], after: string[], names: string[]): string[] => {
  const [old, now] = [segmented(...before), segmented(...after)];
  const moved = moveEntities(
    names.map((name) => entity(old.text, name)),
    old,
    now,
  );
  for (const { text, startIndex, endIndex } of moved) expect(now.text.slice(startIndex, endIndex)).toBe(text);
  return moved.map(({ text }) => text);
};

describe('entities of an edited text', () => {
  it('move with what comes before them', () => {
    expect(
      left(['Hello.', 'Anna met Tom.'], ['Good morning to all.', 'Anna met Tom.'], ['Anna', 'Tom']),
    ).toEqual(['Anna', 'Tom']);
  });

  it('stay beside the words that changed', () => {
    expect(left(['Anna met Tom today.'], ['Anna called Tom today.'], ['Anna', 'Tom'])).toEqual([
      'Anna',
      'Tom',
    ]);
    expect(left(['Anna met Tom.'], ['Yesterday Anna met Tom.'], ['Anna', 'Tom'])).toEqual(['Anna', 'Tom']);
    expect(left(['Anna met Tom'], ['Anna met Tom again'], ['Anna', 'Tom'])).toEqual(['Anna', 'Tom']);
  });

  it('go with the words that changed', () => {
    expect(
      left(['Anna met Tom.', 'Eva left.'], ['Anna met Tim.', 'Eva left.'], ['Anna', 'Tom', 'Eva']),
    ).toEqual(['Anna', 'Eva']);
    expect(left(['Anna met Tom.', 'Eva left.'], ['', 'Eva left.'], ['Anna', 'Eva'])).toEqual(['Eva']);
  });

  it('may span two segments', () => {
    const names = ['Maria Lopez'];
    expect(left(['So.', 'Here is Maria', 'Lopez.'], ['Well, so.', 'Here is Maria', 'Lopez.'], names)).toEqual(
      names,
    );
    expect(left(['Here is Maria', 'Lopez.'], ['There is Maria', 'Lopez!'], names)).toEqual(names);
    expect(left(['Here is Maria', 'Lopez.'], ['Here is Mary', 'Lopez.'], names)).toEqual([]);
  });

  it('are found again where a text repeats itself', () => {
    expect(left(['Tom.', 'Tom.', 'Tom.'], ['Tom and Tom.', 'Tom.', 'Tom.'], ['Tom'])).toEqual(['Tom']);
  });
});
