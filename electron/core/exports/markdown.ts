import type { ExportQuery } from '../../contract/exports.ts';
import { formatLongClock } from '../base/time.ts';
import {
  documentFacts,
  documentTitle,
  type ExportTranscript,
  languageName,
  makeParagraphs,
  showsSpeakers,
  speakerName,
  summaryLines,
} from './document.ts';

/** Escapes text for CommonMark and GitHub's flavor, including marks that have a meaning only at the start of a line. */
export const escapeMarkdown = (text: string): string =>
  text
    .replace(/[\\`*_[\]<>#|~&$]/g, '\\$&')
    .replace(/^([-+=])/, '\\$1')
    .replace(/^(\d+)([.)])/, '$1\\$2');

const summarySection = (summary: string): string[] => [
  '## Summary',
  summaryLines(summary)
    .map(({ kind, text }) => {
      const escaped = escapeMarkdown(text);
      if (kind === 'heading') return `\n### ${escaped}\n`;
      return kind === 'bullet' ? `- ${escaped}` : `\n${escaped}\n`;
    })
    .join('\n')
    .trim()
    .replace(/\n{3,}/g, '\n\n'),
];

/** Markdown: title, facts, warnings, summary, then the transcript in paragraphs with names, times, and changes of language. */
export const renderMarkdown = (transcript: ExportTranscript, query: ExportQuery): string => {
  const named = showsSpeakers(transcript, query.speakers);
  const blocks = [
    `# ${escapeMarkdown(documentTitle(transcript))}`,
    documentFacts(transcript)
      .map(([label, value]) => `- **${label}:** ${escapeMarkdown(value)}`)
      .join('\n'),
    ...transcript.warnings.map((warning) => `> ${escapeMarkdown(warning.replace(/\s+/g, ' '))}`),
    ...(transcript.summary === undefined ? [] : summarySection(transcript.summary.text)),
    '## Transcript',
  ];
  for (const paragraph of makeParagraphs(transcript)) {
    const head: string[] = [];
    if (named && paragraph.speaker !== null) {
      head.push(`**${escapeMarkdown(speakerName(transcript, paragraph.speaker))}**`);
    }
    if (query.times !== false) head.push(`\`${formatLongClock(paragraph.start)}\``);
    if (paragraph.newLanguage !== null) head.push(`*${escapeMarkdown(languageName(paragraph.newLanguage))}*`);
    blocks.push([head.join(' '), escapeMarkdown(paragraph.text)].filter((line) => line !== '').join('  \n'));
  }
  return `${blocks.join('\n\n')}\n`;
};
