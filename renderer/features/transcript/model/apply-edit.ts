import type { Transcription } from '../../../../electron/contract/transcript.ts';
import type { TranscriptEdit } from '../../../../electron/contract/transcript-edits.ts';

type Segments = Transcription['segments'];

const withSpans = (segments: Segments, spans: TranscriptEdit['segments']): Segments => {
  if (spans.length === 0) return segments;
  const all = [...segments];
  for (const { at, count, segments: others } of spans) all.splice(at, count, ...others);
  return all.map((segment, id) => (segment.id === id ? segment : { ...segment, id }));
};

/** A transcription after an edit. Its revision must be the edit's `previous`. */
export const applyEdit = (
  transcript: Transcription,
  { revision, changed, removed, text, segments }: TranscriptEdit,
): Transcription => {
  const kept = Object.entries(transcript).filter(([name]) => !removed.includes(name));
  const { text: before } = transcript;
  return {
    // Only optional fields are ever removed.
    ...(Object.fromEntries(kept) as Transcription),
    ...changed,
    revision,
    text: text === undefined ? before : before.slice(0, text.from) + text.text + before.slice(text.to),
    segments: withSpans(transcript.segments, segments),
  };
};
