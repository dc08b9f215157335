import type { ExportQuery } from '../../contract/exports.ts';
import type { Word } from '../../contract/segments.ts';
import { spokenLanguages } from '../base/spoken-languages.ts';
import { joinTexts } from '../base/text.ts';
import type { ExportTranscript } from './document.ts';

/** What was said is exported, not what another model recognized. */
const withoutAlternatives = ({ alternatives: _, ...word }: Word): Word => word;

/** JSON with the API's field names, without the state of the job. */
export const renderJson = (transcript: ExportTranscript, query: ExportQuery): string => {
  const { id, name, language, duration, model_id, created_at, segments, speakers, summary, topics } =
    transcript;
  const body = {
    id,
    name,
    language,
    languages: spokenLanguages(segments),
    duration,
    model_id,
    created_at,
    text: joinTexts(segments.map((segment) => segment.text)),
    segments: segments.map(({ words, ...segment }) => ({
      id: segment.id,
      text: segment.text,
      start: segment.start,
      end: segment.end,
      speaker_id: segment.speaker_id,
      ...(segment.channel === undefined ? {} : { channel: segment.channel }),
      language: segment.language,
      ...(segment.paragraph_starts === undefined ? {} : { paragraph_starts: segment.paragraph_starts }),
      ...(segment.subtitle_times === undefined ? {} : { subtitle_times: segment.subtitle_times }),
      ...(query.words === false || words === undefined ? {} : { words: words.map(withoutAlternatives) }),
    })),
    ...(speakers === undefined ? {} : { speakers }),
    ...(summary === undefined ? {} : { summary }),
    ...(topics === undefined ? {} : { topics }),
    ...(transcript.key_phrases === undefined ? {} : { key_phrases: transcript.key_phrases }),
    warnings: transcript.warnings,
  };
  return `${JSON.stringify(body, null, 2)}\n`;
};
