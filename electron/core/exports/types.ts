import type { Transcription } from '../../contract/transcript.ts';

/**
 * What an export is made from. A `Transcription` fits as it is; ask the store for the words as well, so that
 * subtitles follow the speech and not an estimate from the length of the text.
 * All times are seconds on the source's own timeline.
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
  /** With its charset where the format is text. */
  readonly mediaType: string;
  /** Safe on every file system and in any script; not encoded for a header. */
  readonly fileName: string;
};
