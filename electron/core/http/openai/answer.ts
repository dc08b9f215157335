import type {
  OpenAiDiarized,
  OpenAiText,
  OpenAiTranscriptionForm,
  OpenAiVerbose,
} from '../../../contract/openai.ts';
import type { Transcription } from '../../../contract/transcript.ts';
import { renderSrt, renderVtt } from '../../exports/subtitles.ts';
import { openAiDiarized, openAiText, openAiVerbose, type Task, type TextParts } from './responses.ts';

/** `srt` and `vtt`: without speaker names, as OpenAI's. */
const openAiSubtitles = (transcript: Transcription, format: 'srt' | 'vtt'): string =>
  format === 'srt'
    ? renderSrt(transcript, { format, speakers: false })
    : renderVtt(transcript, { format, speakers: false });

const SUBTITLE_TYPES = {
  srt: 'application/x-subrip; charset=utf-8',
  vtt: 'text/vtt; charset=utf-8',
} as const;

/** What an answer is made of besides the transcription. */
export type OpenAiAnswer = {
  readonly task: Task;
  readonly format: NonNullable<OpenAiTranscriptionForm['response_format']>;
  readonly granularities: readonly ('word' | 'segment')[];
  readonly parts: TextParts;
};

/** The answer in the requested format: an object stands for JSON. */
export const openAiAnswer = (
  transcript: Transcription,
  { task, format, granularities, parts }: OpenAiAnswer,
): { readonly mediaType: string; readonly body: string } | OpenAiText | OpenAiVerbose | OpenAiDiarized => {
  switch (format) {
    case 'text':
      return { mediaType: 'text/plain; charset=utf-8', body: `${transcript.text}\n` };
    case 'srt':
    case 'vtt':
      return { mediaType: SUBTITLE_TYPES[format], body: openAiSubtitles(transcript, format) };
    case 'verbose_json':
      return openAiVerbose(transcript, task, granularities);
    case 'diarized_json':
      return openAiDiarized(transcript);
    default:
      return openAiText(transcript, parts);
  }
};
