import { z } from 'zod';
import { namesAChange, TranscriptId } from './common.ts';
import { nameUpTo } from './names.ts';
import { SpeakerName } from './recognition.ts';
import { Segment } from './segments.ts';
import { Mark, SpeakerColor, SpeakerLabel, Transcription } from './transcript.ts';

/**
 * Bounds of the segments of one PATCH, so that writing them delays no other request: their number, and the characters of
 * their texts, before or after the edit, whichever is longer. One segment alone may be longer.
 */
export const MAX_EDITS = 200;
export const MAX_EDITED_CHARACTERS = 100_000;

/** The least time that a border set by a person leaves to a word or a subtitle, in seconds. */
export const MIN_WORD_SECONDS = 0.01;

const WordRange = z
  .tuple([z.int().min(0), z.int().min(0)])
  .refine(([first, last]) => first <= last, { error: 'must not end before it begins' })
  .describe('The first and the last word, from 0.');

const Time = z.number().min(0).max(1e6);
const namesABorder = [
  ({ start, end }: { start?: unknown; end?: unknown }) => start !== undefined || end !== undefined,
  { error: 'needs start or end' },
] as const;

/** At most as many as a segment of normal length has words. */
const MAX_TIMES = 1000;

const WordTime = z
  .strictObject({
    word: z.int().min(0).describe('The word of the new text, from 0.'),
    start: Time.optional(),
    end: Time.optional(),
    was_start: Time.optional(),
    was_end: Time.optional().describe('Like `was`, for the times: those before your change.'),
  })
  .refine(...namesABorder)
  .meta({ id: 'WordTimeEdit' });
export type WordTimeEdit = z.output<typeof WordTime>;

const SubtitleTimeEdit = z
  .strictObject({
    word: z.int().min(0).describe('The word of the new text, from 0.'),
    start: Time.nullable()
      .optional()
      .describe('A subtitle begins with this word, at this time. Null: it follows the words again.'),
    end: Time.nullable()
      .optional()
      .describe('A subtitle ends with this word, at this time. Null: it follows the words again.'),
    was_start: Time.nullable().optional(),
    was_end: Time.nullable()
      .optional()
      .describe('Like `was`, for the times that a person set before; null for none.'),
  })
  .refine(...namesABorder)
  .meta({ id: 'SubtitleTimeEdit' });
export type SubtitleTimeEdit = z.output<typeof SubtitleTimeEdit>;

export const AddSpeaker = z
  .strictObject({ name: SpeakerName.optional(), color: SpeakerColor.optional() })
  .meta({ id: 'AddSpeaker' });
export type AddSpeaker = z.output<typeof AddSpeaker>;

export const MergeSpeakers = z
  .strictObject({
    from: SpeakerLabel.describe('Ceases to be a speaker.'),
    into: SpeakerLabel.describe('Keeps the name, and the remembered voice.'),
  })
  .refine(({ from, into }) => from !== into, { error: 'are the same speaker', path: ['into'] })
  .meta({ id: 'MergeSpeakers' });
export type MergeSpeakers = z.output<typeof MergeSpeakers>;

export const SplitSpeaker = z
  .strictObject({
    from: SpeakerLabel,
    segments: z
      .array(z.union([z.int().min(0), z.strictObject({ id: z.int().min(0), words: WordRange.optional() })]))
      .min(1)
      .max(10_000)
      .describe('Segments of `from`, or some of their words: `[3, {id: 4, words: [0, 5]}]`.'),
    name: SpeakerName.optional(),
  })
  .meta({ id: 'SplitSpeaker' });
export type SplitSpeaker = z.output<typeof SplitSpeaker>;

export const RedactWords = z
  .strictObject({
    segments: z
      .array(
        z.strictObject({
          id: z.int().min(0),
          words: WordRange.optional(),
          was: z
            .string()
            .max(100_000)
            .optional()
            .describe('The segment’s text as you see it. If it differs, nothing changes: `conflict`.'),
        }),
      )
      .max(1000)
      .describe(
        'Segments, or some of their words: `[{id: 4, words: [0, 5]}]`. `[]` in a redacted transcription hides nothing and counts what is still in the text, in `private_data.left`.',
      ),
    private: z
      .boolean()
      .default(true)
      .describe(
        'True: hides the words for good, also where they are said again. False: shows words again that were hidden, as they are recognized in the stored file once more, and keeps them visible.',
      ),
    wait_until_complete: z.boolean().default(false),
  })
  .meta({ id: 'RedactWords' });
export type RedactWords = z.output<typeof RedactWords>;

export const TurnEdit = z
  .strictObject({
    edit: z
      .int()
      .min(0)
      .optional()
      .describe(
        'The edit that you mean. If another one was made since, nothing changes and the answer is `conflict`.',
      ),
  })
  .meta({ id: 'TurnEdit' });

export const MarksBody = z
  .strictObject({ marks: z.array(Mark).max(1000).describe('All of them: what is left out is deleted.') })
  .meta({ id: 'Marks' });
export type MarksBody = z.output<typeof MarksBody>;

export const PatchTranscript = z
  .strictObject({
    name: nameUpTo(500).optional(),
    continues: z
      .int()
      .min(0)
      .optional()
      .describe(
        'The id of your last edit of texts, if this one goes on with it, such as the next words that are typed: both are undone as one, unless another edit was made since.',
      ),
    segments: z
      .array(
        z.strictObject({
          id: z.int().min(0),
          text: z.string().max(100_000).optional(),
          was: z
            .string()
            .max(100_000)
            .optional()
            .describe(
              'The text before your change. If the segment’s text differs from it, nothing changes and the answer is `conflict`.',
            ),
          paragraph_starts: z
            .array(z.int().min(0))
            .max(10_000)
            .nullable()
            .optional()
            .describe(
              'Splits and merges paragraphs: exactly these words of the new text, from 0, begin one. `[]` continues the paragraph before; null follows speakers and pauses again. Without it, earlier breaks stay with their words.',
            ),
          speaker_id: SpeakerLabel.optional().describe(
            'Who speaks: a speaker of this transcription. A segment of which only some `words` change is split.',
          ),
          words: WordRange.optional().describe('Used with speaker_id: only these words of the new text.'),
          was_speaker_id: SpeakerLabel.nullable()
            .optional()
            .describe('Like `was`, for the speaker: the one before your change.'),
          times: z
            .array(WordTime)
            .max(MAX_TIMES)
            .optional()
            .describe(
              'When words begin and end, in seconds. A border that crosses the next word’s moves that one along; a word keeps at least 10 ms. The segment begins and ends with its words.',
            ),
          subtitle_times: z
            .array(SubtitleTimeEdit)
            .max(MAX_TIMES)
            .optional()
            .describe(
              'In- and out-times of subtitles, in seconds. They hold in every export, whatever its layout.',
            ),
        }),
      )
      .max(MAX_EDITS)
      .optional()
      .describe(
        `At most ${MAX_EDITED_CHARACTERS} characters in all, as long as they are several. Send more in several requests.`,
      ),
    speakers: z
      .record(
        SpeakerLabel,
        z.union([
          SpeakerName,
          z
            .strictObject({
              name: SpeakerName.optional(),
              remember: z.boolean().default(false),
              color: SpeakerColor.nullable().optional().describe('Null: colored in turn again.'),
            })
            .refine(...namesAChange),
        ]),
      )
      .optional()
      .describe(
        '`{A: "Maria"}`; `{A: {name: "Maria", remember: true}}` also remembers the voice; `{A: {color: 3}}`.',
      ),
  })
  .refine(...namesAChange)
  .meta({ id: 'PatchTranscript' });
export type PatchTranscript = z.output<typeof PatchTranscript>;

export const PreferHeaders = z.object({
  prefer: z
    .string()
    .max(1000)
    .optional()
    .describe(
      '`return=minimal` asks for what the edit changed (`TranscriptEdit`) instead of the whole transcription. The answer has `Preference-Applied` if it is that.',
    ),
});

/** What an edit changed. */
export const TranscriptEdit = z
  .object({
    id: TranscriptId,
    previous: z.int().describe('The revision before. If yours is another one, get the transcription again.'),
    revision: z.int(),
    changed: Transcription.omit({ id: true, revision: true, text: true, segments: true })
      .partial()
      .describe('Fields that have another value now.'),
    removed: z.array(z.string()).describe('Names of fields that are absent now.'),
    text: z
      .object({ from: z.int(), to: z.int(), text: z.string() })
      .optional()
      .describe('What stands in the place of the characters (UTF-16) from `from` to `to`, exclusive.'),
    segments: z
      .array(z.object({ at: z.int(), count: z.int(), segments: z.array(Segment) }))
      .describe(
        'In this order, `segments` take the place of the `count` segments from index `at` on. They always have words; the `id` of a segment is its index.',
      ),
  })
  .meta({ id: 'TranscriptEdit' });
export type TranscriptEdit = z.output<typeof TranscriptEdit>;
