import type { z } from 'zod';
import type { CreateTranscript } from '../../../electron/contract/transcript.ts';
import type { TranscriptionOptions } from '../../stores/prefs.ts';

export type TranscriptRequest = z.input<typeof CreateTranscript>;

/** A stretch of the audio in seconds; `to` 0 is the end. */
export type Range = { readonly from: number; readonly to: number };
export const WHOLE_RECORDING: Range = { from: 0, to: 0 };

const roundToMilliseconds = (seconds: number) => Math.round(seconds * 1000) / 1000;

/** The analyses that a person chose, as both creating a transcript and analysing it again name them. */
export const toAnalyses = (
  options: TranscriptionOptions,
  /** The language that is spoken; null while it is to be found. */
  language: string | null,
) => ({
  ...(options.diarize ? { diarize: true } : {}),
  ...(options.diarize && options.speakers !== null ? { speakers_expected: options.speakers } : {}),
  ...(options.entities ? { entity_detection: true } : {}),
  ...(options.topics ? { topics: true } : {}),
  ...(options.summary ? { summarization: true, summary_type: options.summaryType } : {}),
  ...(options.summary && language !== null ? { summary_language: language } : {}),
  ...(options.safety ? { content_safety: true } : {}),
  ...(options.redact
    ? {
        redact_pii: true,
        ...(options.policies.length > 0 ? { redact_pii_policies: options.policies } : {}),
        redact_pii_sub: options.substitution,
        ...(options.redactAudio ? { redact_pii_audio: true } : {}),
      }
    : {}),
});

/**
 * The body of `POST /v1/transcript` for what a person chose. Only what differs from the API's own defaults is
 * named, so that the `curl` shown is no longer than it must be. Words always carry their times: the reader needs
 * them.
 */
export const toRequest = (
  audioUrl: string,
  options: TranscriptionOptions,
  range: Range,
): TranscriptRequest => ({
  audio_url: audioUrl,
  model: options.model,
  timestamp_style: 'word',
  ...(options.language === 'auto' ? {} : { language: options.language }),
  ...(range.from > 0 ? { audio_start_from: roundToMilliseconds(range.from) } : {}),
  ...(range.to > 0 ? { audio_end_at: roundToMilliseconds(range.to) } : {}),
  ...toAnalyses(options, options.language === 'auto' ? null : options.language),
});

const quoteForShell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** The same request for a terminal. The key is left for the reader to fill in. */
export const toCurl = (baseUrl: string, request: TranscriptRequest): string =>
  [
    `curl ${baseUrl}/v1/transcript \\`,
    '  -H "Authorization: Bearer $EARSHOT_API_KEY" \\',
    "  -H 'Content-Type: application/json' \\",
    `  -d ${quoteForShell(JSON.stringify(request, undefined, 2))}`,
  ].join('\n');
