import type { ExportFormat, ExportQuery } from '../../contract/exports.ts';
import { renderCsv } from './csv.ts';
import { exportFileName } from './file-name.ts';
import { renderJson } from './json.ts';
import { renderMarkdown } from './markdown.ts';
import { renderSrt } from './srt.ts';
import { renderTxt } from './txt.ts';
import type { ExportTranscript, RenderedExport } from './types.ts';
import { renderVtt } from './vtt.ts';

type Format = {
  readonly mediaType: string;
  readonly render: (
    transcript: ExportTranscript,
    query: ExportQuery,
  ) => string | Uint8Array | Promise<Uint8Array>;
};

/** How each format is made and what it is called on the wire. */
const FORMATS: Readonly<Record<ExportFormat, Format>> = {
  srt: { mediaType: 'application/x-subrip; charset=utf-8', render: renderSrt },
  vtt: { mediaType: 'text/vtt; charset=utf-8', render: renderVtt },
  txt: { mediaType: 'text/plain; charset=utf-8', render: renderTxt },
  md: { mediaType: 'text/markdown; charset=utf-8', render: renderMarkdown },
  json: { mediaType: 'application/json; charset=utf-8', render: renderJson },
  csv: { mediaType: 'text/csv; charset=utf-8; header=present', render: renderCsv },
  docx: {
    mediaType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    // Loaded when first needed: it takes 15 MB.
    render: async (...what) => (await import('./docx.ts')).renderDocx(...what),
  },
};

/**
 * A transcript as a file of the format that `query` names. It reads nothing but its input.
 * Give the words with the segments where there are any: subtitles and `words` need their times.
 */
export const renderExport = async (
  transcript: ExportTranscript,
  query: ExportQuery,
): Promise<RenderedExport> => {
  const { mediaType, render } = FORMATS[query.format];
  return {
    body: await render(transcript, query),
    mediaType,
    fileName: exportFileName(transcript.name, query.format),
  };
};
