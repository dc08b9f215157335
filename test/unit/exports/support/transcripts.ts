import fc from 'fast-check';
import type { Segment, Word } from '../../../../electron/contract/segments.ts';
import type { ExportTranscript } from '../../../../electron/core/exports/document.ts';
import { transcribedRange } from '../../../../electron/core/exports/timed-tokens.ts';
import { anyCharacter } from '../../../support/any-text.ts';

export const transcriptOf = (
  segments: Segment[],
  changes: Partial<ExportTranscript> = {},
): ExportTranscript => ({
  id: 'tr_01JZZZZZZZZZZZZZZZZZZZZZZZ',
  name: 'meeting.mp3',
  language: 'en',
  duration: segments.at(-1)?.end ?? 0,
  model_id: 'base',
  created_at: '2026-11-20T17:45:00.123Z',
  segments,
  warnings: [],
  ...changes,
});

export const segmentOf = (
  text: string,
  start: number,
  end: number,
  speaker: string | null = null,
  language: string | null = null,
): Segment => ({
  id: 0,
  text,
  start,
  end,
  speaker_id: speaker,
  language,
});

const LATIN = `the a of and but because which we you they it is was will have to from with at in on
  meeting contract recommendation budget, deadline, Monday, Tuesday. Dr. Smith Northwind customers.
  really? yes. no, okay; however: – 42 3.14 naïve café straße señor “quoted” (aside) don't e-mail
  internationalisation`.split(/\s+/);
const HAN = '今天我们来讨论一下人工智能的发展它正在改变生活方式包括工作学习和娱乐等各个方面。，、！？'.split(
  '',
);
const KANA = [
  '東京',
  'タワー',
  'に',
  '行きました。',
  '「すごい」',
  'と',
  '言って',
  'いた、',
  'ョ',
  'ー',
  'きょう',
  'は',
];
const ARABIC = 'مرحبا بكم في الاجتماع، اليوم نناقش الميزانية. لماذا؟ Windows 42'.split(' ');
const THAI = ['สวัสดี', 'ครับ', 'วันนี้', 'เรา', 'จะ', 'ประชุม', 'กัน'];
const HOSTILE = [
  '-->',
  '00:00:01,000 --> 00:00:02,000',
  '<b>bold</b>',
  '{\\an8}top',
  '&amp;',
  '<v Eve>',
  'a'.repeat(150),
  'https://example.com/a/very/long/path?with=many&query=parameters#and-a-fragment',
  '👩‍👩‍👧‍👦👍🏽',
  'e\u0301\u0301',
  '\ud800',
  '\u0000\u0007',
  'NOTE',
  'STYLE',
  '1',
  '\u202eevil\u202c',
  'non\u00a0breaking\u00a0spaces',
  '漢字'.repeat(60),
];

type Script = {
  readonly language: string;
  readonly vocabulary: readonly string[];
  readonly separator: string;
};
const SCRIPTS: readonly Script[] = [
  { language: 'en', vocabulary: LATIN, separator: ' ' },
  { language: 'zh', vocabulary: HAN, separator: '' },
  { language: 'ja', vocabulary: KANA, separator: '' },
  { language: 'ar', vocabulary: ARABIC, separator: ' ' },
  { language: 'th', vocabulary: THAI, separator: '' },
  { language: 'de', vocabulary: [...LATIN, ...HOSTILE], separator: ' ' },
];

type SpokenWord = { text: string; seconds: number; pause: number };
type Spoken = { words: SpokenWord[]; speaker: string | null; hasWords: boolean };

const spokenWord = (vocabulary: readonly string[]): fc.Arbitrary<SpokenWord> =>
  fc.record({
    text: fc.constantFrom(...vocabulary),
    seconds: fc.integer({ min: 20, max: 900 }).map((ms) => ms / 1000),
    pause: fc.oneof(
      { weight: 8, arbitrary: fc.constant(0) },
      { weight: 2, arbitrary: fc.integer({ min: 0, max: 800 }).map((ms) => ms / 1000) },
      { weight: 1, arbitrary: fc.integer({ min: 1000, max: 12_000 }).map((ms) => ms / 1000) },
    ),
  });

const segmentsOf = (parts: readonly Spoken[], separator: string): Segment[] => {
  let at = 0;
  return parts.map((part, id) => {
    const words: Word[] = part.words.map(({ text, seconds, pause }) => {
      const start = at + pause;
      at = start + seconds;
      return { word: text, start, end: at, confidence: 0.9, speaker_id: part.speaker };
    });
    return {
      id,
      text: part.words.map((word) => word.text).join(separator),
      start: words[0]?.start ?? at,
      end: at,
      speaker_id: part.speaker,
      language: null,
      ...(part.hasWords ? { words } : {}),
    };
  });
};

/** Speech as a recognizer returns it: times in order, in many scripts, with and without words and speakers. */
export const transcripts: fc.Arbitrary<ExportTranscript> = fc.constantFrom(...SCRIPTS).chain((script) =>
  fc
    .record({
      parts: fc.array(
        fc.record({
          words: fc.array(spokenWord(script.vocabulary), { minLength: 1, maxLength: 25 }),
          speaker: fc.constantFrom(null, null, 'A', 'B'),
          hasWords: fc.boolean(),
        }),
        { maxLength: 8 },
      ),
      tail: fc.integer({ min: 0, max: 5000 }).map((ms) => ms / 1000),
      name: fc.constantFrom(
        'Maria',
        'Dr. Ana-Lucía Fernández de la Vega y Montenegro',
        'שרה',
        'A & B <x>',
        '東京太郎',
      ),
    })
    .map(({ parts, tail, name }) => {
      const segments = segmentsOf(parts, script.separator);
      return transcriptOf(segments, {
        language: script.language,
        duration: (segments.at(-1)?.end ?? 0) + tail,
        speakers: { A: { name } },
      });
    }),
);

/** The same in several languages, whose codes nothing has checked. */
export const multilingual: fc.Arbitrary<ExportTranscript> = fc
  .tuple(
    transcripts,
    fc.array(fc.constantFrom(null, 'en', 'ar', 'de', '<i>'), { minLength: 1, maxLength: 4 }),
  )
  .map(([transcript, languages]) => ({
    ...transcript,
    segments: transcript.segments.map((segment, index) => ({
      ...segment,
      language: languages[index % languages.length] ?? null,
    })),
  }));

/** An interview in two languages. */
export const INTERVIEW = transcriptOf(
  [
    segmentOf('Where were you born?', 0, 2, 'A', 'en'),
    segmentOf('In Köln, im Winter.', 2, 5, 'B', 'de'),
    segmentOf('Es war kalt.', 5, 8, 'B', 'de'),
    segmentOf('I see.', 8, 10, 'A', 'en'),
  ],
  { duration: 10, language: 'de' },
);

/** Transcripts with inconsistent times, and with texts that differ from their words. */
export const brokenTranscripts: fc.Arbitrary<ExportTranscript> = fc
  .record({
    segments: fc.array(
      fc.record({
        text: fc.oneof(
          fc.string({ unit: anyCharacter, maxLength: 60 }),
          fc.array(fc.constantFrom(...LATIN, ...HOSTILE), { maxLength: 20 }).map((words) => words.join(' ')),
        ),
        start: fc.double({ min: -5, max: 60, noNaN: false }),
        end: fc.double({ min: -5, max: 60, noNaN: false }),
        speaker_id: fc.constantFrom(null, 'A', '__proto__'),
        language: fc.constant(null),
        words: fc.array(
          fc.record({
            word: fc.constantFrom(...LATIN, ''),
            start: fc.double({ min: -5, max: 60 }),
            end: fc.double({ min: -5, max: 60 }),
            confidence: fc.constant(0.5),
            speaker_id: fc.constantFrom(null, 'A', 'B'),
          }),
          { maxLength: 20 },
        ),
      }),
      { maxLength: 6 },
    ),
    duration: fc.constantFrom(0, 0.5, 10, 60),
    audio_start_from: fc.constantFrom(0, 7.25),
  })
  .map(({ segments, ...rest }) =>
    transcriptOf(
      segments.map((segment, id) => ({ ...segment, id })),
      rest,
    ),
  );

export const windowMs = (transcript: ExportTranscript, cues: number): { start: number; end: number } => {
  const { start, end } = transcribedRange(transcript);
  const startMs = Math.round(start * 1000);
  return { start: startMs, end: Math.max(Math.round(end * 1000), startMs + cues) };
};

/** Text without whitespace, control characters, broken surrogates and the invisible marks that subtitles add. */
export const bareText = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[^\P{Cc}\t\n\v\f\r]/gu, '')
    .replace(/[\u200f\u2060]/gu, '')
    .replace(/\s+/gu, '');

export const bareWords = (transcript: ExportTranscript): string =>
  bareText(transcript.segments.map((segment) => segment.text).join(' '));

/** Text that means something in Markdown, CSV and XML, with a name, a summary and topics. */
export const TALK = transcriptOf(
  [
    segmentOf('=1+1 is "two", she said.', 0, 2, 'A'),
    segmentOf('# Not a *heading*.', 2, 4, 'A'),
    segmentOf('Fine.', 65.5, 66, 'B'),
  ],
  {
    name: 'Meeting <1>.mp3',
    duration: 66,
    speakers: { A: { name: 'Maria' } },
    summary: {
      text: '## Points\n- First & best\n- Second',
      type: 'markdown',
      language: 'en',
      engine: 'extractive',
    },
    topics: ['Finance'],
    warnings: ['The model small, held to English, answered for nano.'],
  },
);

/** Text that means something in subtitle files. */
export const HOSTILE_CAPTIONS = transcriptOf(
  [
    segmentOf('00:00:01,000 --> 00:00:02,000 and <b>bold</b> & {\\an8}top', 0, 4, 'A'),
    segmentOf('NOTE this', 4, 6, 'B'),
    segmentOf('1', 6, 7, 'A'),
  ],
  { speakers: { A: { name: 'Ana & <Bob>' } } },
);
