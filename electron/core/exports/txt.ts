import type { ExportQuery } from '../../contract/exports.ts';
import { formatLongClock } from '../base/time.ts';
import {
  type ExportTranscript,
  languageName,
  makeParagraphs,
  showsSpeakers,
  speakerName,
} from './document.ts';

/**
 * Plain text: one line per paragraph, separated by empty lines; with names and times on request. The language is named if
 * it changes.
 */
export const renderTxt = (transcript: ExportTranscript, query: ExportQuery): string => {
  const named = showsSpeakers(transcript, query.speakers);
  return makeParagraphs(transcript)
    .map((paragraph) => {
      const time = query.times === true ? `[${formatLongClock(paragraph.start)}] ` : '';
      const language = paragraph.newLanguage === null ? '' : `[${languageName(paragraph.newLanguage)}] `;
      const name =
        named && paragraph.speaker !== null ? `${speakerName(transcript, paragraph.speaker)}: ` : '';
      return `${time}${language}${name}${paragraph.text}\n`;
    })
    .join('\n');
};
