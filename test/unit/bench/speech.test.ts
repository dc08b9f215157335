import { describe, expect, it } from 'vitest';
import type { Recording } from '../../bench/speech/corpus.ts';
import { unitsOf } from '../../bench/speech/normalize.ts';
import type { Heard } from '../../bench/speech/programs.ts';
import { align, scoreOf, summarize } from '../../bench/speech/score.ts';

const english = (text: string) => unitsOf(text, 'en').join(' ');

describe('Whisper’s normalizers', () => {
  // Of whisper/tests/test_normalizer.py, but for money.
  it.each([
    ["Let's", 'let us'],
    ["he's like", 'he is like'],
    ["she's been like", 'she has been like'],
    ['10km', '10 km'],
    ['RC232', 'rc 232'],
    ['Mr. Park visited Assoc. Prof. Kim Jr.', 'mister park visited assoc professor kim junior'],
    ['[laughter] um, the Colour (noise) of it', 'the color of it'],
  ])('write %s as %s', (text, written) => {
    expect(english(text)).toBe(written);
  });

  it.each([
    ['two', '2'],
    ['thirty one', '31'],
    ['five twenty four', '524'],
    ['nineteen ninety nine', '1999'],
    ['twenty nineteen', '2019'],
    ['one oh one', '101'],
    ['two hundred and one', '201'],
    ['three thousand four hundred', '3400'],
    ['two million three hundred thousand', '2300000'],
    ['twenty first', '21st'],
    ['fifty percent', '50%'],
    ['bread and butter', 'bread and butter'],
  ])('read %s as %s', (text, written) => {
    expect(english(text)).toBe(written);
  });

  it('count characters of Chinese in either script, and both in text of several languages', () => {
    expect(unitsOf('发展，讨论。', 'zh')).toEqual(unitsOf('發展 討論', 'zh'));
    expect(unitsOf('Guten Tag, 东京!', 'mixed')).toEqual(['guten', 'tag', '东', '京']);
    expect(unitsOf('Déjà vu — l’été', 'fr')).toEqual(['déjà', 'vu', 'l', 'été']);
  });
});

const SAID = ['the first sentence is here', 'a second one follows it', 'and the last one ends'];

const recordingOf = (texts: readonly string[], language = 'en'): Recording => ({
  name: 'talk',
  group: 'en-talk',
  language,
  kind: language === 'zxx' ? 'nospeech' : 'speech',
  seconds: 30,
  path: '',
  passages: texts.map((text, index) => ({ start: 10 * index, end: 10 * index + 5, language: 'de', text })),
});

const heardAs = (text: string, more: Partial<Heard> = {}): Heard => ({
  text,
  words: [],
  segments: [],
  language: 'de',
  cpu: 1,
  wall: 2,
  ...more,
});

describe('the score of a recording', () => {
  it('counts what is wrong', () => {
    const steps = align(['a', 'b', 'c'], ['a', 'x', 'c', 'd']);
    expect(steps.map(({ kind }) => kind)).toEqual(['same', 'other', 'same', 'added']);
    const score = scoreOf(recordingOf(SAID), heardAs(`${SAID[0]} a third one follows ${SAID[2]}`));
    expect(score).toMatchObject({
      units: 15,
      substitutions: 1,
      deletions: 1,
      insertions: 0,
      lost: [],
      doubled: [],
    });
    expect(summarize([score]).errorRate).toBeCloseTo(2 / 15);
  });

  it('names passages that are lost, and those that stand there twice', () => {
    expect(scoreOf(recordingOf(SAID), heardAs(`${SAID[0]} ${SAID[2]}`)).lost).toEqual([`10.0 s: ${SAID[1]}`]);
    const twice = scoreOf(recordingOf(SAID), heardAs([SAID[0], SAID[1], SAID[1], SAID[2]].join(' ')));
    expect(twice.doubled).toHaveLength(1);
    expect(twice.lost).toEqual([]);
  });

  it('counts words where nobody speaks by the minute', () => {
    const score = scoreOf(recordingOf([], 'zxx'), heardAs('Thank you.'));
    expect(score).toMatchObject({ units: 0, invented: 2 });
    expect(summarize([score]).inventedPerMinute).toBe(4);
  });

  it('takes the language of each passage from what lies in it', () => {
    const segments = [
      { start: 0, end: 5, language: 'de' },
      { start: 10, end: 15, language: 'en' },
      { start: 20, end: 25, language: null },
    ];
    const { languages, languagesRight } = scoreOf(recordingOf(SAID), heardAs('', { segments }));
    expect([languages, languagesRight]).toEqual([3, 2]);
  });

  it('measures starts of words, and how far confidence is from the share of right words', () => {
    const words = [
      { word: 'one', start: 1.1, end: 1.4, confidence: 0.75 },
      { word: 'three', start: 2, end: 2.4, confidence: 0.75 },
    ];
    const truth = [
      { word: 'one', start: 1, end: 1.5 },
      { word: 'two', start: 2, end: 2.5 },
    ];
    const score = scoreOf({ ...recordingOf(['one two']), words: truth }, heardAs('one three', { words }));
    expect(score.startErrors.map(Math.round)).toEqual([100]);
    expect(score.confidences).toEqual([
      [0.75, true],
      [0.75, false],
    ]);
    expect(summarize([score]).calibrationError).toBeCloseTo(0.25);
  });
});
