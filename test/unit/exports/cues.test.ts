import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cue, makeCues, prepareTokens } from '../../../electron/core/exports/cues.ts';
import type { ExportTranscript } from '../../../electron/core/exports/document.ts';
import {
  addToFill,
  DEFAULT_RULES,
  EMPTY_FILL,
  endsClause,
  endsSentence,
  type SubtitleRules,
  subtitleRules,
} from '../../../electron/core/exports/lines.ts';
import { displayWidth } from '../../../electron/core/exports/text.ts';
import { timeTokens, tokenizeText } from '../../../electron/core/exports/timed-tokens.ts';
import { bareText, bareWords, brokenTranscripts, transcripts, windowMs } from './support/transcripts.ts';

const RUNS = { numRuns: 100 };

const ruleSets: fc.Arbitrary<SubtitleRules> = fc.oneof(
  fc.constant(DEFAULT_RULES),
  fc
    .record({
      max_chars: fc.integer({ min: 10, max: 60 }),
      max_lines: fc.integer({ min: 1, max: 4 }),
      max_seconds: fc.integer({ min: 1, max: 10 }),
      max_cps: fc.integer({ min: 5, max: 30 }),
      min_seconds: fc.constantFrom(0.2, 1, 5),
      min_gap: fc.constantFrom(0, 0.04, 0.08, 0.2),
      words: fc.constantFrom(false, false, true),
    })
    .map(subtitleRules),
);
const labels = fc.constantFrom<(speaker: string) => string | null>(
  () => null,
  () => 'MARIA:',
);

const gapMs = (rules: SubtitleRules) => Math.round(rules.minGap * 1000);
const latestEnd = (
  transcript: ExportTranscript,
  cues: readonly Cue[],
  index: number,
  rules: SubtitleRules,
) => {
  const next = cues[index + 1];
  const limit = next === undefined ? windowMs(transcript, cues.length).end : next.startMs - gapMs(rules);
  return Math.min(limit, (cues[index]?.startMs ?? 0) + Math.round(rules.maxSeconds * 1000));
};
const hasRoom = (transcript: ExportTranscript, cues: readonly Cue[], rules: SubtitleRules) => {
  const window = windowMs(transcript, cues.length);
  return window.end - window.start >= cues.length * (gapMs(rules) + 40);
};
/** The cues whose start a turn or a pause forces. */
const forcedStarts = (transcript: ExportTranscript, cues: readonly Cue[]): ReadonlySet<Cue> => {
  const tokens = prepareTokens(transcript, DEFAULT_RULES, () => null);
  const forced = new Set<Cue>();
  let at = 0;
  for (const cue of cues) {
    if (tokens[at]?.mustStartCue === true) forced.add(cue);
    let left = bareText(textOf(cue)).length;
    // Tokens of invisible characters belong to the one before.
    while (left > 0 && at < tokens.length) left -= bareText(tokens[at++]?.text ?? '').length;
    while (tokens[at] !== undefined && bareText(tokens[at]?.text ?? '') === '') at++;
  }
  return forced;
};

const textOf = (cue: Cue) => cue.lines.join(' ');

describe('hard limits of subtitle cues, for any transcript and rules', () => {
  const any = fc.tuple(fc.oneof(transcripts, brokenTranscripts), ruleSets);

  it('keep every word, in order, and nothing else', () => {
    fc.assert(
      fc.property(any, ([transcript, rules]) => {
        const cues = makeCues(transcript, rules);
        expect(bareText(cues.map(textOf).join(' '))).toBe(bareWords(transcript));
      }),
      RUNS,
    );
  });

  it('keep to maxLines and maxColumns', () => {
    fc.assert(
      fc.property(any, labels, ([transcript, rules], labelOf) => {
        for (const cue of makeCues(transcript, rules, labelOf)) {
          expect(cue.lines.length).toBeGreaterThan(0);
          expect(cue.lines.length).toBeLessThanOrEqual(rules.maxLines);
          for (const line of cue.lines) {
            expect(line).not.toBe('');
            expect(displayWidth(line)).toBeLessThanOrEqual(rules.maxColumns);
          }
        }
      }),
      RUNS,
    );
  });

  it('give whole milliseconds inside the audio, without overlaps, at most maxSeconds long', () => {
    fc.assert(
      fc.property(any, ([transcript, rules]) => {
        const cues = makeCues(transcript, rules);
        const window = windowMs(transcript, cues.length);
        cues.forEach((cue, index) => {
          expect(Number.isInteger(cue.startMs) && Number.isInteger(cue.endMs)).toBe(true);
          expect(cue.startMs).toBeGreaterThanOrEqual(cues[index - 1]?.endMs ?? window.start);
          expect(cue.endMs).toBeGreaterThan(cue.startMs);
          expect(cue.endMs).toBeLessThanOrEqual(window.end);
          expect(cue.endMs - cue.startMs).toBeLessThanOrEqual(rules.maxSeconds * 1000);
        });
      }),
      RUNS,
    );
  });

  it('leave gaps of at least minGap, and none shorter than closeGap', () => {
    fc.assert(
      fc.property(any, ([transcript, rules]) => {
        const cues = makeCues(transcript, rules);
        fc.pre(hasRoom(transcript, cues, rules));
        cues.slice(1).forEach((next, index) => {
          const cue = cues[index];
          if (cue === undefined) return;
          const gap = next.startMs - cue.endMs;
          expect(gap).toBeGreaterThanOrEqual(gapMs(rules));
          const couldClose = next.startMs - gapMs(rules) - cue.startMs <= rules.maxSeconds * 1000;
          if (gap > gapMs(rules) && couldClose) expect(gap).toBeGreaterThanOrEqual(rules.closeGap * 1000);
        });
      }),
      RUNS,
    );
  });
});

describe('soft limits of subtitle cues', () => {
  const spoken = fc.tuple(transcripts, ruleSets);

  it('extend a cue below minSeconds until the next one or the end of the audio', () => {
    fc.assert(
      fc.property(spoken, ([transcript, rules]) => {
        const cues = makeCues(transcript, rules);
        fc.pre(hasRoom(transcript, cues, rules));
        cues.forEach((cue, index) => {
          if (cue.endMs - cue.startMs < rules.minSeconds * 1000) {
            expect(cue.endMs).toBe(latestEnd(transcript, cues, index, rules));
          }
        });
      }),
      RUNS,
    );
  });

  it('show a cue above the reading speed as long as possible', () => {
    fc.assert(
      fc.property(spoken, ([transcript, rules]) => {
        const cues = makeCues(transcript, rules);
        fc.pre(hasRoom(transcript, cues, rules));
        cues.forEach((cue, index) => {
          const columns = displayWidth(textOf(cue));
          if ((columns * 1000) / (cue.endMs - cue.startMs) > rules.maxCps) {
            expect(cue.endMs).toBe(latestEnd(transcript, cues, index, rules));
          }
        });
      }),
      RUNS,
    );
  });

  it('have one speaker per cue and end at a pause', () => {
    fc.assert(
      fc.property(spoken, ([transcript, rules]) => {
        const tokens = timeTokens(transcript);
        let at = 0;
        let rest = '';
        for (const cue of makeCues(transcript, rules)) {
          let text = bareText(textOf(cue));
          let before: (typeof tokens)[number] | undefined;
          while (text !== '') {
            const token = tokens[at];
            if (token === undefined) throw new Error('a cue has words that the transcript has not');
            if (rest === '') rest = bareText(token.text);
            expect(token.speaker).toBe(cue.speaker);
            if (before !== undefined) expect(token.start - before.end).toBeLessThan(rules.pauseSeconds);
            const taken = Math.min(rest.length, text.length);
            expect(text.slice(0, taken)).toBe(rest.slice(0, taken));
            text = text.slice(taken);
            rest = rest.slice(taken);
            if (rest === '') at++;
            before = rest === '' ? token : undefined;
          }
        }
        expect(at).toBe(tokens.length);
      }),
      RUNS,
    );
  });

  it('avoid short cues and single words that fit beside their neighbor', () => {
    fc.assert(
      fc.property(transcripts, (transcript) => {
        const rules = DEFAULT_RULES;
        const cues = makeCues(transcript, rules);
        const forced = forcedStarts(transcript, cues);
        const mergeable = (left: Cue | undefined, right: Cue | undefined): boolean => {
          if (left === undefined || right === undefined || forced.has(right)) return false;
          if (right.endMs - left.startMs > rules.maxSeconds * 1000 - 1000) return false;
          const fill = tokenizeText(`${textOf(left)} ${textOf(right)}`).reduce(
            (sum, token) => addToFill(sum, displayWidth(token.text), true, rules.maxColumns),
            EMPTY_FILL,
          );
          return fill.lines <= rules.maxLines;
        };
        cues.forEach((cue, index) => {
          const before = cues[index - 1];
          const after = cues[index + 1];
          const short = cue.endMs - cue.startMs < rules.minSeconds * 1000;
          if (short) expect([mergeable(before, cue), mergeable(cue, after)]).toEqual([false, false]);
          const words = tokenizeText(textOf(cue));
          const lone = words.length === 1 && !endsSentence(words[0]?.text ?? '');
          const opens = before === undefined || endsClause(tokenizeText(textOf(before)).at(-1)?.text ?? '');
          if (lone && !opens) expect([mergeable(before, cue), mergeable(cue, after)]).toEqual([false, false]);
        });
      }),
      RUNS,
    );
  });
});
