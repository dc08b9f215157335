import { parse } from 'content-disposition';
import type { Client } from '../../electron/contract/client.ts';
import { EXPORT_FORMATS, type ExportFormat } from '../../electron/contract/exports.ts';

export type ExportOptions = {
  readonly format: ExportFormat;
  readonly speakers: boolean;
  readonly times: boolean;
  readonly words: boolean;
  readonly maxChars: number;
  readonly maxLines: number;
};

export const DEFAULT_EXPORT_OPTIONS: ExportOptions = {
  format: 'txt',
  speakers: true,
  times: false,
  words: false,
  maxChars: 42,
  maxLines: 2,
};

const FIRST: readonly ExportFormat[] = ['txt', 'md', 'docx', 'srt', 'vtt', 'csv', 'json'];
/** Every format, those for readers before those for programs. */
export const EXPORT_ORDER: readonly ExportFormat[] = [
  ...FIRST,
  ...EXPORT_FORMATS.filter((format) => !FIRST.includes(format)),
];

const BYTE_ORDER_MARK = '\ufeff';
const SUBTITLE_FORMATS: readonly ExportFormat[] = ['srt', 'vtt'];
export const isSubtitle = (format: ExportFormat): boolean => SUBTITLE_FORMATS.includes(format);

const flag = (on: boolean) => (on ? 'true' : 'false');

/** Fetches the transcript in the format; `name` is the file name that the server suggests. */
export const fetchExport = async (
  client: Client,
  id: string,
  options: ExportOptions,
  signal?: AbortSignal,
): Promise<{ blob: Blob; name: string }> => {
  const { format } = options;
  const response = await client.send('exportTranscript', {
    params: { id },
    query: {
      format,
      speakers: flag(options.speakers),
      ...(format === 'txt' || format === 'md' ? { times: flag(options.times) } : {}),
      ...(isSubtitle(format)
        ? {
            words: flag(options.words),
            max_chars: options.maxChars,
            max_lines: options.maxLines,
          }
        : {}),
    },
    signal,
  });
  const disposition = response.headers.get('content-disposition') ?? '';
  const name = parse(disposition).parameters.filename ?? `transcript.${format}`;
  const blob = await response.blob();
  // Excel takes a file for UTF-8 only with this mark.
  return { blob: format === 'csv' ? new Blob([BYTE_ORDER_MARK, blob], { type: blob.type }) : blob, name };
};

/** Saves what an address answers through the browser's downloads, under the answer's name if there is no other. */
export const saveAddress = (url: string, name = ''): void => {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
};

/** Saves a file through the browser's downloads. */
export const saveBlob = (blob: Blob, name: string): void => {
  const url = URL.createObjectURL(blob);
  saveAddress(url, name);
  // The browser may read the blob after the click has returned.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
};
