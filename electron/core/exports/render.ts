import { EXPORT_TYPES, type ExportFormat, type ExportQuery } from '../../contract/exports.ts';
import { renderCsv } from './csv.ts';
import { exportFileName } from './file-name.ts';
import { renderJson } from './json.ts';
import { renderMarkdown } from './markdown.ts';
import { renderSrt } from './srt.ts';
import { renderTxt } from './txt.ts';
import type { ExportTranscript, RenderedExport } from './types.ts';
import { renderVtt } from './vtt.ts';

type Render = (transcript: ExportTranscript, query: ExportQuery) => string | Uint8Array | Promise<Uint8Array>;

const RENDERERS: Readonly<Record<ExportFormat, Render>> = {
  srt: renderSrt,
  vtt: renderVtt,
  txt: renderTxt,
  md: renderMarkdown,
  json: renderJson,
  csv: renderCsv,
  // Imported on first use, since the document writer takes 15 MB.
  docx: async (...args) => (await import('./docx.ts')).renderDocx(...args),
};

/** Renders a transcript in the format of `query`. Subtitles and `words` need the times of the segments' words. */
export const renderExport = async (
  transcript: ExportTranscript,
  query: ExportQuery,
): Promise<RenderedExport> => {
  return {
    body: await RENDERERS[query.format](transcript, query),
    mediaType: EXPORT_TYPES[query.format].contentType,
    fileName: exportFileName(transcript.name, query.format),
  };
};
