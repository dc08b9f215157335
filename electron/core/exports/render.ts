import { EXPORT_TYPES, type ExportFormat, type ExportQuery } from '../../contract/exports.ts';
import { renderCsv } from './csv.ts';
import type { ExportTranscript, RenderedExport } from './document.ts';
import { renderJson } from './json.ts';
import { renderMarkdown } from './markdown.ts';
import { renderSrt, renderVtt } from './subtitles.ts';
import { graphemesOf, oneLine } from './text.ts';
import { renderTxt } from './txt.ts';

/** Bytes of UTF-8. Common file systems take 255; programs append suffixes of their own. */
const MAX_BYTES = 180;
const RESERVED = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;
const MEDIA_ENDING = /\.(?:mp3|wav|flac|m4a|ogg|oga|opus|webm|aac|mp4|m4v|avi|mov|wmv|mkv|3gp|aiff?|wma)$/i;
/** Direction marks and other invisible characters, which can disguise a name. */
const INVISIBLE = /[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;

const cutToBytes = (text: string, bytes: number): string => {
  let kept = '';
  let used = 0;
  for (const grapheme of graphemesOf(text)) {
    used += Buffer.byteLength(grapheme);
    if (used > bytes) break;
    kept += grapheme;
  }
  return kept;
};

/**
 * A transcript's name as a file name that is valid everywhere (Windows has the strictest rules): letters of any script
 * stay, separators and wildcards become "-", the recording's extension is dropped.
 */
export const exportFileName = (name: string, format: ExportFormat): string => {
  const plain = oneLine(name.normalize('NFC'))
    .replace(INVISIBLE, '')
    .replace(MEDIA_ENDING, '')
    .replace(/[<>:"/\\|?*]+/g, '-');
  const base = cutToBytes(plain, MAX_BYTES).replace(/^[.\s]+|[.\s]+$/g, '');
  const safe = RESERVED.test(base) ? `_${base}` : base;
  return `${safe === '' || /^-+$/.test(safe) ? 'transcript' : safe}.${format}`;
};

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
