import type { Transcription } from '../../contract/transcript.ts';

/**
 * The input of an export; a `Transcription` fits. With words, subtitles follow the speech; without, they are timed by
 * the length of the text. Times are seconds on the source's timeline.
 */
export type ExportTranscript = Pick<
  Transcription,
  'id' | 'name' | 'language' | 'duration' | 'model_id' | 'created_at' | 'segments' | 'warnings'
> &
  Partial<Pick<Transcription, 'audio_start_from' | 'summary' | 'topics' | 'key_phrases'>> & {
    speakers?: Readonly<Record<string, { readonly name: string }>>;
  };

export type RenderedExport = {
  readonly body: string | Uint8Array;
  /** With its charset if the format is text. */
  readonly mediaType: string;
  /** Valid on every file system; not encoded for a header. */
  readonly fileName: string;
};
