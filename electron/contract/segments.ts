import { z } from 'zod';
import { Probability, QueryBoolean, queryInt, queryNumber, Seconds, success, Timestamp } from './common.ts';

export const AudioQuery = z.strictObject({
  expires: queryNumber(z.int().min(0)).optional(),
  signature: z.string().max(100).optional(),
  download: QueryBoolean.optional().describe('Answer it as a file to save, with its name.'),
});
export const AudioUrl = success(z.object({ url: z.string(), expires_at: Timestamp }));

/** Seconds of the most detailed waveform that one request may ask for. */
const MAX_DETAIL_SECONDS = 60;
const second = queryNumber(z.number().min(0).max(1e6)).optional();

export const PeaksQuery = z
  .strictObject({
    per_second: queryInt(1, 100, 20),
    from: second.describe(
      `With \`to\`: only this part, in up to 100 buckets per second; at most ${MAX_DETAIL_SECONDS} seconds.`,
    ),
    to: second,
  })
  .refine(
    ({ from, to }) =>
      (from === undefined && to === undefined) ||
      (from !== undefined && to !== undefined && from < to && to - from <= MAX_DETAIL_SECONDS),
    { error: `must be a range of at most ${MAX_DETAIL_SECONDS} seconds`, path: ['to'] },
  );
export type PeaksQuery = z.output<typeof PeaksQuery>;
export const Peaks = success(
  z.object({
    per_second: z.int().describe('As requested, but at most 20 without a range, or if the audio is gone.'),
    from: Seconds.optional().describe('Where the first bucket of a part begins.'),
    duration: Seconds,
    min: z.array(z.number()).describe('-1 to 0, one per bucket.'),
    max: z.array(z.number()).describe('0 to 1, one per bucket.'),
  }),
);

const Channel = z
  .int()
  .min(0)
  .describe('With `multichannel`: the audio channel in which it is said, from 0, counted over all tracks.');

/** How the model of `verify_with` reads a word. */
export const WordAlternative = z
  .object({
    text: z.string().describe('Empty if this model recognized nothing there.'),
    model: z.string().describe('The id of the model.'),
    confidence: Probability,
  })
  .meta({ id: 'WordAlternative' });
export type WordAlternative = z.output<typeof WordAlternative>;

export const Word = z
  .object({
    word: z.string(),
    start: Seconds,
    end: Seconds,
    confidence: Probability,
    speaker_id: z.string().nullable(),
    alternatives: z
      .array(WordAlternative)
      .optional()
      .describe(
        'Where the model of `verify_with` heard something else. Neighboring words with alternatives are one place: take all of its readings or none.',
      ),
    channel: Channel.optional(),
    overlap: z
      .boolean()
      .optional()
      .describe('True if several people speak at once; `speaker_id` is the likeliest of them.'),
  })
  .meta({ id: 'Word' });
export type Word = z.output<typeof Word>;

/** Borders of subtitles at words of a segment, set by a person. */
export const SubtitleTime = z
  .object({
    word: z.int().min(0).describe('The word of the segment, from 0.'),
    start: Seconds.optional().describe('A subtitle begins with this word, at this time.'),
    end: Seconds.optional().describe('A subtitle ends with this word, at this time.'),
  })
  .meta({ id: 'SubtitleTime' });
export type SubtitleTime = z.output<typeof SubtitleTime>;

export const Segment = z
  .object({
    id: z.int().describe('Zero-based.'),
    text: z.string(),
    start: Seconds,
    end: Seconds,
    speaker_id: z
      .string()
      .nullable()
      .describe(
        '"A", "B", … in order of first speech, or with `multichannel` in order of channels; else null without diarization.',
      ),
    channel: Channel.optional(),
    language: z
      .string()
      .nullable()
      .describe(
        'The language of its text, as a code; null if it is not known by segment: with `translate`, and in transcriptions by earlier versions.',
      ),
    words: z.array(Word).optional().describe('Present with `timestamp_style: "word"`.'),
    paragraph_starts: z
      .array(z.int().min(0))
      .optional()
      .describe(
        'The words of this segment, from 0, that begin a paragraph; set by a person. Without it, paragraphs follow speakers and pauses. A change of speaker always begins one.',
      ),
    subtitle_times: z
      .array(SubtitleTime)
      .optional()
      .describe(
        'In- and out-times of subtitles that a person set. Every other border of a subtitle follows the words.',
      ),
  })
  .meta({ id: 'Segment' });
export type Segment = z.output<typeof Segment>;
