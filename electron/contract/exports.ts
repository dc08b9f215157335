import { z } from 'zod';
import { QueryBoolean, queryNumber, Seconds, success } from './common.ts';

export const EXPORT_FORMATS = ['srt', 'vtt', 'txt', 'md', 'json', 'csv', 'docx'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** What each format is called, and its `Content-Type`. The server renders them in `core/exports/render.ts`. */
export const EXPORT_TYPES: Readonly<Record<ExportFormat, { name: string; contentType: string }>> = {
  srt: { name: 'SRT', contentType: 'application/x-subrip; charset=utf-8' },
  vtt: { name: 'WebVTT', contentType: 'text/vtt; charset=utf-8' },
  txt: { name: 'Text', contentType: 'text/plain; charset=utf-8' },
  md: { name: 'Markdown', contentType: 'text/markdown; charset=utf-8' },
  json: { name: 'JSON', contentType: 'application/json; charset=utf-8' },
  csv: { name: 'CSV', contentType: 'text/csv; charset=utf-8; header=present' },
  docx: {
    name: 'Word',
    contentType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  },
};

/** The media types without their parameters, in the order of the formats. */
export const EXPORT_MEDIA_TYPES: readonly string[] = EXPORT_FORMATS.map((format) =>
  EXPORT_TYPES[format].contentType.replace(/;.*/, ''),
);

/** How subtitles are laid out. */
const subtitleLayout = {
  max_chars: queryNumber(z.int().min(10).max(200))
    .optional()
    .describe('Columns per subtitle line; default 42.'),
  max_lines: queryNumber(z.int().min(1).max(4)).optional().describe('Lines per subtitle; default 2.'),
  max_seconds: queryNumber(z.number().min(1).max(30))
    .optional()
    .describe('Longest time of a subtitle in seconds; default 7.'),
  max_cps: queryNumber(z.number().min(5).max(60)).optional().describe('Columns per second; default 17.'),
  min_seconds: queryNumber(z.number().min(0.2).max(5))
    .optional()
    .describe('Shortest time of a subtitle in seconds, if the speech allows; default 1.'),
  min_gap: queryNumber(z.number().min(0).max(0.2))
    .optional()
    .describe('Seconds between two subtitles; default 0.08, two frames at 25 per second.'),
};

export const ExportQuery = z.strictObject({
  format: z.enum(EXPORT_FORMATS),
  ...subtitleLayout,
  speakers: QueryBoolean.optional().describe(
    'Name the speakers. Default: if there are several, or the only one has a name.',
  ),
  words: QueryBoolean.optional().describe('One cue per word.'),
  times: QueryBoolean.optional().describe('Times in txt and md.'),
});
export type ExportQuery = z.output<typeof ExportQuery>;

export const SubtitlesQuery = z.strictObject({
  ...subtitleLayout,
  from: queryNumber(z.number().min(0).max(1e6))
    .optional()
    .describe('Only subtitles that end after this second.'),
  to: queryNumber(z.number().min(0).max(1e6))
    .optional()
    .describe('Only subtitles that begin before this second.'),
});
export type SubtitlesQuery = z.output<typeof SubtitlesQuery>;

const SubtitleWord = z.object({
  segment: z.int().min(0),
  word: z.int().min(0).nullable().describe('From 0; null if the segment’s text has other words than these.'),
});

export const Subtitle = z
  .object({
    start: Seconds,
    end: Seconds,
    lines: z.array(z.string()),
    speaker_id: z.string().nullable(),
    first: SubtitleWord,
    last: SubtitleWord,
  })
  .meta({ id: 'Subtitle' });
export type Subtitle = z.output<typeof Subtitle>;
export const Subtitles = success(z.object({ subtitles: z.array(Subtitle) }));
