import { describe, expect, it } from 'vitest';
import type { Segment } from '../../../electron/contract/segments.ts';
import {
  buildDoc,
  paragraphOfWord,
  wordAt,
  wordsBySegment,
} from '../../../renderer/features/transcript/model/document.ts';
import { alignWords, editDoc, segmentTexts } from '../../../renderer/features/transcript/model/edit.ts';
import {
  ANYWHERE,
  countMatches,
  type FindOptions,
  findMatches,
  replaceMatches,
} from '../../../renderer/features/transcript/model/find.ts';
import {
  findUncertainSpans,
  withOtherReading,
} from '../../../renderer/features/transcript/model/low-confidence.ts';
import {
  findSilenceGaps,
  getTimeline,
  shownEnd,
} from '../../../renderer/features/transcript/model/timeline.ts';

/** A segment whose words take half a second each. */
const segment = (id: number, text: string, start: number, speaker: string | null = null): Segment => {
  const words = text.split(' ').map((word, index) => ({
    word,
    start: start + index * 0.5,
    end: start + index * 0.5 + 0.4,
    confidence: word.startsWith('?') ? 0.2 : 0.9,
    speaker_id: speaker,
  }));
  return { id, text, start, end: words.at(-1)?.end ?? start, speaker_id: speaker, language: null, words };
};

const segments = [
  segment(0, 'Good morning to all.', 0, 'A'),
  segment(1, 'Nice to meet you, Peter.', 2, 'A'),
  segment(2, 'Peter Walker is late.', 5, 'B'),
];
const text = segments.map((each) => each.text).join(' ');
const at = (part: string, from = 0) => text.indexOf(part, from);
const entities = [
  { type: 'person' as const, text: 'Peter', startIndex: at('Peter'), endIndex: at('Peter') + 5 },
  {
    type: 'person' as const,
    text: 'Peter Walker',
    startIndex: at('Peter Walker'),
    endIndex: at('Peter Walker') + 12,
  },
];
const doc = buildDoc({ segments, text, entities });

describe('document', () => {
  it('groups consecutive segments of a speaker into a paragraph', () => {
    expect(
      doc.paragraphs.map((block) => [block.speaker, block.firstWord, block.endWord, block.showsSpeaker]),
    ).toEqual([
      ['A', 0, 9, true],
      ['B', 9, 13, true],
    ]);
  });

  it('starts a paragraph after a long pause, without repeating the speaker', () => {
    const paused = [segment(0, 'One two.', 0, 'A'), segment(1, 'Three four.', 9, 'A')];
    const { paragraphs } = buildDoc({ segments: paused, text: 'One two. Three four.', entities: [] });
    expect(paragraphs.map((block) => block.showsSpeaker)).toEqual([true, false]);
  });

  it('assigns entities to words, also for repeated texts', () => {
    const named = doc.words.flatMap((word, index) =>
      word.entity === -1 ? [] : [[word.text, word.entity, index]],
    );
    expect(named).toEqual([
      ['Peter.', 0, 8],
      ['Peter', 1, 9],
      ['Walker', 1, 10],
    ]);
  });

  it('finds the word at a time, and none in a silence', () => {
    expect(wordAt(doc, 0.1)).toBe(0);
    expect(wordAt(doc, 0.45)).toBe(0);
    expect(wordAt(doc, 0.5)).toBe(1);
    expect(wordAt(doc, 99)).toBe(-1);
    expect(paragraphOfWord(doc, 8)).toBe(0);
    expect(paragraphOfWord(doc, 9)).toBe(1);
  });

  it('assigns the words of sentences to segments by time', () => {
    const bare = segments.map(({ words: _words, ...rest }) => rest);
    const words = segments.flatMap((each) => each.words ?? []);
    const sentence = { id: 1, text, start: 0, end: 7, confidence: 0.9, words };
    expect(wordsBySegment(bare, [sentence]).map((each) => each.words?.length)).toEqual([4, 5, 4]);
  });

  it('begins a paragraph at another language, unless a person decided', () => {
    const spoken = (id: number, language: string | null, starts?: number[]): Segment => ({
      ...segment(id, 'one two three four.', id * 2),
      language,
      ...(starts === undefined ? {} : { paragraph_starts: starts }),
    });
    const shown = (parts: Segment[]) =>
      buildDoc({ segments: parts, text: '', entities: [] }).paragraphs.map(({ language, endSegment }) => [
        language,
        endSegment,
      ]);
    expect(shown([spoken(0, 'en'), spoken(1, 'de'), spoken(2, 'de')])).toEqual([
      ['en', 1],
      ['de', 3],
    ]);
    expect(shown([spoken(0, 'en'), spoken(1, 'de', [])])).toEqual([['en', 2]]);
    expect(shown([spoken(0, null), spoken(1, null)])).toEqual([[null, 2]]);
  });

  it('spreads words evenly over a segment without word times', () => {
    const { words } = buildDoc({
      segments: [{ id: 0, text: 'one two', start: 10, end: 12, speaker_id: null, language: null }],
      text: 'one two',
      entities: [],
    });
    expect(words.map((word) => [word.start, word.end])).toEqual([
      [10, 11],
      [11, 12],
    ]);
  });

  it('finds silence gaps that are longer than a breath', () => {
    expect(findSilenceGaps(doc)).toEqual([]);
    const paused = buildDoc({ segments: [segment(0, 'One', 0), segment(1, 'two', 8)], text: 'One two' });
    expect(findSilenceGaps(paused)).toEqual([{ from: expect.closeTo(0.6), to: expect.closeTo(7.8) }]);
  });
});

describe('player timeline', () => {
  const whole = { duration: 60, audio_offset: 0, audio_start_from: 0, audio_end_at: 0 };

  it('is the whole recording, with the duration of the loaded audio', () => {
    expect(getTimeline(whole, 0)).toEqual({ from: 0, to: 60 });
    expect(getTimeline(whole, 60.4)).toEqual({ from: 0, to: 60.4 });
    expect(getTimeline(undefined, 5)).toEqual({ from: 0, to: 0 });
  });

  it('is the transcribed range, whether all of the audio or only the range is stored', () => {
    const range = { duration: 20, audio_offset: 0, audio_start_from: 30, audio_end_at: 50 };
    expect(getTimeline(range, 60)).toEqual({ from: 30, to: 50 });
    expect(getTimeline({ ...range, audio_offset: 29.5 }, 21)).toEqual({ from: 30, to: 50 });
    expect(getTimeline({ ...range, audio_start_from: 0, duration: 50 }, 60)).toEqual({ from: 0, to: 50 });
  });

  it('ends with what was recognized where the job was stopped, or with the audio', () => {
    const text = { id: 0, text: 'Thank you.', start: 30, end: 42, speaker_id: null, language: 'en' };
    const stopped = { ...whole, duration: 0, segments: [text] };
    expect(getTimeline(stopped, 0)).toEqual({ from: 0, to: 42 });
    expect(getTimeline(stopped, 60)).toEqual({ from: 0, to: 60 });
    expect(getTimeline({ ...stopped, audio_start_from: 30 }, 60)).toEqual({ from: 30, to: 60 });
    expect(getTimeline({ ...stopped, audio_start_from: 30, audio_end_at: 50 }, 0)).toEqual({
      from: 30,
      to: 50,
    });
  });

  it('is written with the length that the service measured', () => {
    const end = (transcript: typeof whole, played: number) =>
      shownEnd(transcript, getTimeline(transcript, played));
    expect(end({ ...whole, duration: 59.98 }, 60.02)).toBe(59.98);
    expect(end({ ...whole, duration: 0 }, 60.02)).toBe(60.02);
    expect(end({ duration: 20, audio_offset: 0, audio_start_from: 30, audio_end_at: 50 }, 60)).toBe(50);
  });
});

describe('edit', () => {
  const first = doc.segments[1];
  if (first === undefined) throw new Error('The document has no second segment.');

  it('keeps the times of kept words and places new words between their neighbors', () => {
    const words = alignWords(first, 'Very nice to finally meet you, Peter.', 1);
    expect(words.map((word) => word.text)).toEqual([
      'Very',
      'nice',
      'to',
      'finally',
      'meet',
      'you,',
      'Peter.',
    ]);
    const kept = new Map(words.map((word) => [word.text, word.start]));
    expect(kept.get('to')).toBe(2.5);
    expect(kept.get('Peter.')).toBe(4);
    const starts = words.map((word) => word.start);
    expect(starts).toEqual([...starts].sort((a, b) => a - b));
  });

  it('gives written words full confidence', () => {
    const doubtful = buildDoc({ segments: [segment(0, '?maybe so', 0)], text: '?maybe so' });
    expect(findUncertainSpans(doubtful, new Set())).toEqual([{ first: 0, last: 0 }]);
    expect(findUncertainSpans(editDoc(doubtful, [{ id: 0, text: 'surely so' }]), new Set())).toEqual([]);
    expect(findUncertainSpans(doubtful, new Set([0]))).toEqual([]);
  });

  describe('words that a second model heard otherwise', () => {
    /** "word|other/0.9" was heard as "other" with that confidence; "word|" was not heard. */
    const heardTwice = (...texts: string[]) =>
      buildDoc({
        text: '',
        segments: texts.map((text, id) => ({
          ...segment(id, text.replaceAll(/\|\S*/g, ''), id * 10),
          words: text.split(' ').map((part, index) => {
            const [word = '', other] = part.split('|');
            const [reading = '', confidence = '0.5'] = other?.split('/') ?? [];
            return {
              word,
              start: id * 10 + index,
              end: id * 10 + index + 0.5,
              confidence: word === 'low' ? 0.2 : word === 'know' ? 0.6 : 0.7,
              speaker_id: null,
              ...(other === undefined
                ? {}
                : { alternatives: [{ text: reading, model: 'base', confidence: Number(confidence) }] }),
            };
          }),
        })),
      });
    const first = heardTwice(
      'we like ice|I/0.9 cream|scream,/0.8 low',
      'we do|don’t/0.95 not|/0.9 know|no/0.6',
    );

    it('come first, best first, with neighbors in one place', () => {
      expect(findUncertainSpans(first, new Set())).toEqual([
        { first: 6, last: 8, other: { text: 'don’t no', model: 'base' } },
        { first: 2, last: 3, other: { text: 'I scream,', model: 'base' } },
        { first: 4, last: 4 },
      ]);
      expect(findUncertainSpans(first, new Set([2, 3, 11, 12, 13]))).toEqual([{ first: 4, last: 4 }]);
    });

    it('are replaced by the other reading, and are decided then', () => {
      const [second, span] = findUncertainSpans(first, new Set());
      const edit = span && withOtherReading(first, span);
      expect(edit).toEqual({ id: 0, text: 'we like I scream, low' });
      const edited = editDoc(first, edit ? [edit] : []);
      expect(findUncertainSpans(edited, new Set()).map(({ other }) => other?.text)).toEqual([
        'don’t no',
        undefined,
      ]);
      expect(second && withOtherReading(first, second)?.text).toBe('we don’t no');
    });

    it('are deleted where the other model heard nothing', () => {
      const doc = heardTwice('you |know| I mean', 'so|, be it');
      const deleted = heardTwice('I mean|/0.9 you');
      const [span] = findUncertainSpans(deleted, new Set());
      expect(span && withOtherReading(deleted, span)?.text).toBe('I you');
      expect(findUncertainSpans(doc, new Set())).toHaveLength(2);
    });

    it('stay undecided while a person changes other words', () => {
      const edited = editDoc(first, [{ id: 1, text: 'You do not know' }]);
      expect(findUncertainSpans(edited, new Set())).toHaveLength(3);
      const beside = editDoc(first, [{ id: 0, text: 'we loved ice cream low' }]);
      expect(findUncertainSpans(beside, new Set())[1]).toMatchObject({ other: { text: 'scream,' } });
    });
  });

  it('keeps entities in the rest of the text', () => {
    const edited = editDoc(doc, [{ id: 0, text: 'Good evening to all of you.' }]);
    expect(edited.words.filter((word) => word.entity !== -1).map((word) => word.text)).toEqual([
      'Peter.',
      'Peter',
      'Walker',
    ]);
    expect(edited.paragraphs[1]?.firstWord).toBe(11);
    expect(segmentTexts(edited, [0])).toEqual([
      { id: 0, text: 'Good evening to all of you.', paragraphStarts: null },
    ]);
  });

  it('accepts a segment with an empty text', () => {
    const edited = editDoc(doc, [{ id: 1, text: '' }]);
    expect(edited.words).toHaveLength(8);
    expect(edited.paragraphs.map((block) => block.endSegment - block.firstSegment)).toEqual([2, 1]);
  });
});

describe('find and replace', () => {
  it('finds case-insensitively, across words and segments', () => {
    expect(findMatches(doc, 'PETER')).toEqual([
      { first: 8, last: 8 },
      { first: 9, last: 9 },
    ]);
    expect(findMatches(doc, 'all. nice to')).toEqual([{ first: 3, last: 5 }]);
    expect(findMatches(doc, '  ')).toEqual([]);
  });

  it('replaces all or one occurrence, and treats special characters literally', () => {
    expect(replaceMatches(doc, 'peter', 'Paul').map((change) => change.text)).toEqual([
      'Nice to meet you, Paul.',
      'Paul Walker is late.',
    ]);
    expect(replaceMatches(doc, 'peter', 'Paul', { segment: 2, occurrence: 0 })).toEqual([
      { id: 2, text: 'Paul Walker is late.' },
    ]);
    expect(replaceMatches(doc, '.*', 'x')).toEqual([]);
    expect([countMatches(doc, 'peter'), countMatches(doc, '.*'), countMatches(doc, ' ')]).toEqual([2, 0, 0]);
    expect(replaceMatches(doc, 'late.', '$& now')).toEqual([{ id: 2, text: 'Peter Walker is $& now' }]);
  });

  it('matches case and whole words where it is asked to', () => {
    const count = (query: string, options: Partial<FindOptions>) => [
      findMatches(doc, query, { ...ANYWHERE, ...options }).length,
      countMatches(doc, query, { ...ANYWHERE, ...options }),
    ];
    expect(count('peter', { matchCase: true })).toEqual([0, 0]);
    expect(count('Peter', { matchCase: true })).toEqual([2, 2]);
    expect(count('pet', { wholeWord: true })).toEqual([0, 0]);
    expect(count('peter', { wholeWord: true })).toEqual([2, 2]);
    const umlaut = editDoc(doc, [{ id: 2, text: 'Über den Überfall' }]);
    expect(findMatches(umlaut, 'über', { ...ANYWHERE, wholeWord: true })).toHaveLength(1);
  });

  it('keeps the capitals of what it replaces, unless case must match or the replacement has its own', () => {
    const replaced = (text: string, query: string, by: string, options = ANYWHERE) =>
      replaceMatches(editDoc(doc, [{ id: 2, text }]), query, by, undefined, options).find(
        ({ id }) => id === 2,
      )?.text;
    expect(replaced('Walker and walker, WALKER', 'walker', 'runner')).toBe('Runner and runner, RUNNER');
    expect(replaced('I see, i see', 'i', 'we')).toBe('We see, we see');
    expect(replaced('Iphone', 'iphone', 'iPhone')).toBe('iPhone');
    expect(replaced('Walker', 'Walker', 'runner', { ...ANYWHERE, matchCase: true })).toBe('runner');
  });
});
