import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderSrt, renderVtt } from '../../../electron/core/exports/subtitles.ts';
import { displayWidth } from '../../../electron/core/exports/text.ts';
import { parseSrt } from '../../support/srt.ts';
import { parseWebVtt } from '../../support/webvtt.ts';
import {
  bareText,
  bareWords,
  brokenTranscripts,
  HOSTILE_CAPTIONS,
  INTERVIEW,
  multilingual,
  segmentOf,
  transcriptOf,
  transcripts,
} from './support/transcripts.ts';

const any = fc.oneof(transcripts, multilingual, brokenTranscripts);
const RUNS = { numRuns: 200 };

describe('SRT', () => {
  it('passes a strict parser with every word of any transcript', () => {
    fc.assert(
      fc.property(any, (transcript) => {
        const cues = parseSrt(renderSrt(transcript, { format: 'srt', speakers: false }));
        expect(bareText(cues.flatMap((cue) => cue.lines).join(' '))).toBe(bareWords(transcript));
      }),
      RUNS,
    );
  });

  it('labels the start of a turn, within the width of the line', () => {
    fc.assert(
      fc.property(transcripts, (transcript) => {
        for (const cue of parseSrt(renderSrt(transcript, { format: 'srt', speakers: true }))) {
          for (const line of cue.lines) expect(displayWidth(line)).toBeLessThanOrEqual(42);
        }
      }),
      RUNS,
    );
    const talk = transcriptOf(
      [
        segmentOf('Hello there.', 0, 2, 'A'),
        segmentOf('How are you?', 5, 6, 'A'),
        segmentOf('Fine.', 6, 8, 'B'),
      ],
      { speakers: { A: { name: 'Maria' } } },
    );
    const cues = parseSrt(renderSrt(talk, { format: 'srt' }));
    expect(cues.map((cue) => cue.lines.join('|'))).toEqual([
      'MARIA: Hello there.',
      'How are you?',
      'SPEAKER B: Fine.',
    ]);
  });

  it('contains no markup or time line inside the text', () => {
    const file = renderSrt(HOSTILE_CAPTIONS, { format: 'srt' });
    const text = parseSrt(file).flatMap((cue) => cue.lines);
    expect(text.join('\n')).not.toMatch(/-->|<[/a-z]|\{[\\a-z]/i);
  });

  it('marks the direction of right-to-left lines', () => {
    const hebrew = transcriptOf([segmentOf('42 אנשים באו לפגישה.', 0, 3, 'A')], {
      language: 'he',
      speakers: { A: { name: 'Maria' } },
    });
    const [cue] = parseSrt(renderSrt(hebrew, { format: 'srt' }));
    expect(cue?.lines).toEqual(['\u200f\u2068MARIA\u2069: 42 אנשים באו לפגישה.']);
  });

  it('shows one word per cue on request', () => {
    const words = ['One', 'two', 'three.'].map((word, index) => ({
      word,
      start: index,
      end: index + 0.5,
      confidence: 1,
      speaker_id: null,
    }));
    const transcript = transcriptOf([{ ...segmentOf('One two three.', 0, 2.5), words }]);
    const cues = parseSrt(renderSrt(transcript, { format: 'srt', words: true }));
    expect(cues).toEqual([
      { startMs: 0, endMs: 500, lines: ['One'] },
      { startMs: 1000, endMs: 1500, lines: ['two'] },
      { startMs: 2000, endMs: 2500, lines: ['three.'] },
    ]);
  });

  it('is empty for a silent recording', () => {
    expect(renderSrt(transcriptOf([], { duration: 5 }), { format: 'srt' })).toBe('');
  });
});

describe('WebVTT', () => {
  it('passes a strict parser with every word and name of any transcript', () => {
    fc.assert(
      fc.property(any, (transcript) => {
        const { cues, header } = parseWebVtt(renderVtt(transcript, { format: 'vtt', speakers: true }));
        expect(bareText(cues.map((cue) => cue.text).join(' '))).toBe(bareWords(transcript));
        expect(header).toBe(`Kind: captions; Language: ${transcript.language}`);
        for (const cue of cues) expect(cue.text).not.toMatch(/^\n|\n$|\n\n/);
      }),
      RUNS,
    );
  });

  it('escapes text and names', () => {
    const { cues } = parseWebVtt(renderVtt(HOSTILE_CAPTIONS, { format: 'vtt' }));
    expect(cues[0]?.voice).toBe('Ana & <Bob>');
    expect(
      cues
        .map((cue) => cue.text)
        .join(' ')
        .replaceAll('\n', ' '),
    ).toContain('00:00:01,000 --> 00:00:02,000 and <b>bold</b> & {\\an8}top');
  });

  it('is only a header for a silent recording', () => {
    expect(parseWebVtt(renderVtt(transcriptOf([]), { format: 'vtt' })).cues).toEqual([]);
  });
});

describe('subtitles of a recording in two languages', () => {
  it('keep languages in cues of their own, and mark those that differ from the most spoken one in WebVTT', () => {
    const alone = {
      ...INTERVIEW,
      segments: INTERVIEW.segments.map((each) => ({ ...each, speaker_id: null })),
    };
    const { header, cues } = parseWebVtt(renderVtt(alone, { format: 'vtt' }));
    expect(header).toContain('Language: de');
    expect(cues.map(({ language, text }) => [language, text])).toEqual([
      ['en', 'Where were you born?'],
      [null, 'In Köln, im Winter. Es war kalt.'],
      ['en', 'I see.'],
    ]);
    expect(parseSrt(renderSrt(alone, { format: 'srt' })).map(({ lines }) => lines.join(' '))).toEqual(
      cues.map(({ text }) => text),
    );
  });

  it('give each line the direction of its language', () => {
    const segments = [segmentOf('42 people.', 0, 2, null, 'en'), segmentOf('42 أشخاص.', 2, 5, null, 'ar')];
    const [english, arabic] = parseSrt(
      renderSrt(transcriptOf(segments, { language: 'ar' }), { format: 'srt' }),
    );
    expect(english?.lines).toEqual(['42 people.']);
    expect(arabic?.lines).toEqual(['42 أشخاص.']);
    const isolated = renderSrt(transcriptOf([segmentOf('“42” people.', 0, 2, null, 'ar')]), {
      format: 'srt',
    });
    expect(isolated).toContain('\u200f“42” people.');
  });
});
