import { describe, expect, it } from 'vitest';
import { findIntroductions } from '../../../electron/core/analysis/introductions.ts';

const turns = (...lines: string[]) =>
  lines.map((line) => ({ speaker: line.slice(0, 1), text: line.slice(3) }));

const found = (names: string[], ...lines: string[]) =>
  Object.fromEntries(findIntroductions(names, turns(...lines)).map(({ speaker, name }) => [speaker, name]));

describe('introductions', () => {
  it.each([
    ['B: Good morning, my name is Peter Walker.'],
    ['B: Hi. I’m Peter from sales.'],
    ['B: Guten Tag, ich bin Peter Walker.'],
    ['B: Ich heiße Peter Walker.'],
    ['B: Bonjour, je m’appelle Peter.'],
    ['B: Hola, me llamo Peter Walker.'],
  ])('%s', (line) => {
    expect(found(['Peter Walker', 'Maria'], 'A: Hello.', line)).toEqual({ B: 'Peter Walker' });
  });

  it('are also heard in how people address each other', () => {
    expect(found(['Ana', 'Bo'], 'A: Over to you, Bo.', 'B: Thanks, Ana.', 'A: Sure.')).toEqual({
      A: 'Ana',
      B: 'Bo',
    });
    expect(found(['Peter'], 'B: Sales went up.', 'A: That’s a great point, Peter.', 'C: Yes.')).toEqual({
      B: 'Peter',
    });
    expect(found(['Bo'], 'A: Bo, what do you think?', 'B: Good.')).toEqual({ B: 'Bo' });
  });

  it('ignore a name that is only mentioned, a part of a word, and accents', () => {
    expect(found(['Maria', 'Ann'], 'A: Maria will check it.', 'B: I am Annette.')).toEqual({});
    expect(found(['José'], 'A: Soy Jose.')).toEqual({ A: 'José' });
  });

  it('do not decide between equal evidence, or between people with one first name', () => {
    expect(found(['Bo'], 'A: I am Bo.', 'B: I am Bo.')).toEqual({});
    expect(found(['Ana Ruiz', 'Ana Gil'], 'A: I am Ana.', 'B: I am Ana Gil.')).toEqual({ B: 'Ana Gil' });
    expect(found(['a.*(', '$&'], 'A: I am a.*(.', 'B: I am $&.')).toEqual({ A: 'a.*(', B: '$&' });
  });
});
