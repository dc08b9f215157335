import type { z } from 'zod';
import type { SummaryType } from '../../../contract/analysis.ts';
import type { AaiSubtitlesQuery } from '../../../contract/assemblyai.ts';
import type { ExportQuery, SubtitlesQuery } from '../../../contract/exports.ts';
import type { Route } from '../../../contract/route.ts';
import { routes } from '../../../contract/routes.ts';
import type { Transcription, WordsQuery } from '../../../contract/transcript.ts';
import { isoTime } from '../../base/clock.ts';
import type { PassageRange } from '../../services/reading.ts';
import { type Outline, presentSentences, type WholeTranscript } from '../../services/transcripts/present.ts';
import { type WebhookMessage, webhookRequest } from '../../services/webhook-request.ts';
import { type AaiContext, aaiTranscript } from '../assemblyai/transcript.ts';
import { aaiParagraphs, aaiSentences, aaiWordSearch, aaiWords } from '../assemblyai/words.ts';
import { contentDisposition } from '../content-disposition.ts';
import type { OpenAiAnswer } from '../openai/answer.ts';
import { type StreamParts, streamEnd } from '../openai/stream.ts';
import { success } from '../responses.ts';

export type ToRenderingThread = {
  readonly number: number;
  readonly databasePath: string;
  readonly outline: Outline;
  readonly rendering: Rendering;
};

export type FromRenderingThread = { readonly number: number } & (
  | { readonly kind: 'rendered'; readonly rendered: Rendered }
  /** The text is another one than the outline's. */
  | { readonly kind: 'changed' }
  | { readonly kind: 'failed'; readonly error: string }
);

/** An answer that is made of a whole transcription. */
export type Rendering =
  | { readonly kind: 'transcription'; readonly words?: WordsQuery }
  | { readonly kind: 'sentences' | 'aaiSentences' | 'aaiParagraphs' }
  | { readonly kind: 'export'; readonly query: ExportQuery }
  | { readonly kind: 'subtitles'; readonly query: SubtitlesQuery }
  | { readonly kind: 'aaiTranscript'; readonly context: AaiContext }
  | { readonly kind: 'aaiSubtitles'; readonly format: 'srt' | 'vtt'; readonly query: AaiSubtitlesQuery }
  | { readonly kind: 'aaiWordSearch'; readonly words: string }
  | ({ readonly kind: 'openAi' } & OpenAiAnswer)
  | { readonly kind: 'openAiStreamEnd'; readonly seen: string; readonly parts: StreamParts }
  | { readonly kind: 'webhook'; readonly message: WebhookMessage }
  | ({ readonly kind: 'passage' } & PassageRange)
  | { readonly kind: 'summary'; readonly type: SummaryType };

export type Rendered = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
};

/** Parsing drops whatever the schema does not declare, so that a row never leaks. */
const json = <R extends Route & { readonly responses: { readonly 200: z.ZodType } }>(
  { responses }: R,
  body: z.input<R['responses'][200]>,
): Rendered => ({
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify(responses[200].parse(body)),
});

/** The transcription with the words of this part of it alone. */
const withWordsOf = (
  transcription: Transcription,
  { words_from: from = 0, words_to: to = Number.POSITIVE_INFINITY }: WordsQuery,
): Transcription => ({
  ...transcription,
  segments: transcription.segments.map((segment) => {
    if (segment.end > from && segment.start < to) return segment;
    const { words: _, ...rest } = segment;
    return rest;
  }),
});

const summaryOf = ({ transcription: { id, confidence, duration } }: WholeTranscript) => ({
  id,
  confidence: confidence ?? 0,
  audio_duration: Math.round(duration),
});

/**
 * Makes an answer of a transcription, whose form is the one that `formOf` names for it. The code of subtitles, documents and
 * passages is loaded with the first of them, since the start need not wait for it.
 */
export const render = async (rendering: Rendering, whole: WholeTranscript): Promise<Rendered> => {
  const { transcription } = whole;
  switch (rendering.kind) {
    case 'transcription':
      return json(routes.getTranscript, withWordsOf(transcription, rendering.words ?? {}));
    case 'webhook': {
      const { type, createdAt } = rendering.message;
      const payload = { type, timestamp: isoTime(createdAt), data: transcription };
      return webhookRequest(rendering.message, payload);
    }
    case 'sentences':
      return json(routes.getSentences, success(presentSentences(transcription, whole.segments)));
    case 'export': {
      const { renderExport } = await import('../../exports/render.ts');
      const { body, mediaType, fileName } = await renderExport(transcription, rendering.query);
      const disposition = contentDisposition('attachment', fileName);
      return { headers: { 'content-type': mediaType, 'content-disposition': disposition }, body };
    }
    case 'subtitles': {
      const { presentSubtitles } = await import('../../exports/subtitles.ts');
      return json(routes.getSubtitles, success(presentSubtitles(transcription, rendering.query)));
    }
    case 'openAi': {
      const { openAiAnswer } = await import('../openai/answer.ts');
      const answer = openAiAnswer(transcription, rendering);
      if (!('mediaType' in answer)) return json(routes.openAiTranscribe, answer);
      return { headers: { 'content-type': answer.mediaType }, body: answer.body };
    }
    case 'openAiStreamEnd':
      return { headers: {}, body: streamEnd(transcription, rendering.seen, rendering.parts) };
    case 'aaiTranscript':
      return json(routes.aaiGet, aaiTranscript(transcription, rendering.context));
    case 'aaiSentences':
      return json(routes.aaiSentences, { ...summaryOf(whole), sentences: aaiSentences(transcription) });
    case 'aaiParagraphs':
      return json(routes.aaiParagraphs, { ...summaryOf(whole), paragraphs: aaiParagraphs(transcription) });
    case 'aaiSubtitles': {
      const { aaiSubtitles } = await import('../assemblyai/subtitles.ts');
      return {
        headers: { 'content-type': 'text/plain; charset=utf-8' },
        body: aaiSubtitles(transcription, rendering.format, rendering.query),
      };
    }
    case 'passage': {
      const { readPassage } = await import('../../services/reading.ts');
      return { headers: {}, body: JSON.stringify(readPassage(transcription, rendering)) };
    }
    case 'summary': {
      const { summaryOf: readSummary } = await import('../../services/reading.ts');
      return { headers: {}, body: JSON.stringify(await readSummary(transcription, rendering.type)) };
    }
    case 'aaiWordSearch': {
      const matches = aaiWordSearch(aaiWords(transcription), rendering.words.split(','));
      const total_count = matches.reduce((sum, match) => sum + match.count, 0);
      return json(routes.aaiWordSearch, { id: transcription.id, total_count, matches });
    }
  }
};
