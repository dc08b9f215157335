import type { z } from 'zod';
import type { RedactSource } from '../../electron/contract/analysis.ts';
import { languageOfTag } from '../../electron/contract/languages.ts';
import type { LiveOptions } from '../../electron/contract/realtime.ts';
import type { CreateTranscript } from '../../electron/contract/transcript.ts';
import type { VocabularyEntry } from '../../electron/contract/vocabulary.ts';
import type { TranscriptionOptions } from '../stores/prefs.ts';

export type TranscriptRequest = z.input<typeof CreateTranscript>;

/** A range of the audio in seconds; `to: 0` is its end. */
export type Range = { readonly from: number; readonly to: number };
export const WHOLE_RECORDING: Range = { from: 0, to: 0 };

const roundToMilliseconds = (seconds: number) => Math.round(seconds * 1000) / 1000;

/** Converts the choices to the analysis fields, which POST /v1/transcript and its `/analyze` share. */
export const toAnalyses = (
  options: TranscriptionOptions,
  /** Language of the recording; null if it is to be detected. */
  language: string | null,
  /** What becomes of the stored original after a redaction. */
  original: RedactSource = 'keep',
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
        ...(original === 'delete' ? { redact_source: original } : {}),
      }
    : {}),
});

/**
 * The body of `POST /v1/transcript` without the recording. Contains only what differs from the API's defaults, to keep the `curl` command
 * short, and always word times, which the transcript screen needs.
 */
export const toRequest = (
  options: TranscriptionOptions,
  range: Range,
  original: RedactSource = 'keep',
  /** Empty for the user's own. */
  vocabulary: readonly VocabularyEntry[] = [],
): Omit<TranscriptRequest, 'audio_url'> => ({
  model: options.model,
  timestamp_style: 'word',
  ...(options.verifyWith === '' ? {} : { verify_with: options.verifyWith }),
  ...(options.multichannel ? { multichannel: true } : {}),
  ...(options.language === 'auto' ? {} : { language: options.language }),
  ...(vocabulary.length === 0 ? {} : { vocabulary: [...vocabulary] }),
  ...(range.from > 0 ? { audio_start_from: roundToMilliseconds(range.from) } : {}),
  ...(range.to > 0 ? { audio_end_at: roundToMilliseconds(range.to) } : {}),
  ...toAnalyses(options, options.language === 'auto' ? null : languageOfTag(options.language), original),
});

/** The options of a live session: those of a file that it has, too. */
export const toLiveOptions = ({ model, language, ...options }: TranscriptionOptions): LiveOptions => ({
  model,
  ...(language === 'auto' ? {} : { language }),
  ...toAnalyses(
    { ...options, model, language, redact: false },
    language === 'auto' ? null : languageOfTag(language),
  ),
});

const quoteForShell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** The same request as a `curl` command; the key is an environment variable. */
export const toCurl = (baseUrl: string, request: TranscriptRequest): string =>
  [
    `curl ${baseUrl}/v1/transcript \\`,
    '  -H "Authorization: Bearer $EARSHOT_API_KEY" \\',
    "  -H 'Content-Type: application/json' \\",
    `  -d ${quoteForShell(JSON.stringify(request, undefined, 2))}`,
  ].join('\n');
