import { isUtf8 } from 'node:buffer';
import { open, readFile } from 'node:fs/promises';
import { type FileTypeResult, fileTypeFromTokenizer } from 'file-type';
import { fromFile } from 'strtok3';
import { AppError } from '../../base/errors.ts';
import {
  FILE_TYPES,
  type FileType,
  isGenericMime,
  MP3,
  mimeEssence,
  typeOfExtension,
  typeOfMime,
} from './file-types.ts';

const UTF16_BYTE_ORDER_MARKS = [
  [0xff, 0xfe],
  [0xfe, 0xff],
] as const;

const hasUtf16ByteOrderMark = (head: Uint8Array): boolean =>
  UTF16_BYTE_ORDER_MARKS.some(([first, second]) => head[0] === first && head[1] === second);

/** Decides whether a stream can be text: no zero byte (but in UTF-16), hardly any control characters at its start. */
export class TextDetector {
  #head: Uint8Array | undefined;
  #canBeText = true;

  get canBeText(): boolean {
    return this.#canBeText;
  }

  update(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    if (this.#head === undefined) {
      this.#head = Uint8Array.from(chunk.subarray(0, 4096));
      if (!isTextHead(this.#head)) this.#canBeText = false;
    }
    if (this.#canBeText && !hasUtf16ByteOrderMark(this.#head) && chunk.includes(0)) this.#canBeText = false;
  }
}

/** Tab, line feed, form feed, carriage return, escape. */
const ALLOWED_CONTROLS = new Set([9, 10, 12, 13, 27]);

/** Whether the start of a file looks like text in UTF-8, UTF-16 with a byte order mark, or an 8-bit encoding. */
const isTextHead = (head: Uint8Array): boolean => {
  if (hasUtf16ByteOrderMark(head)) return true;
  let controls = 0;
  for (const byte of head) {
    if (byte === 0) return false;
    if (byte === 127 || (byte < 32 && !ALLOWED_CONTROLS.has(byte))) controls++;
  }
  // The head may end in the middle of a UTF-8 character.
  const isUnicode = [0, 1, 2, 3].some((cut) => isUtf8(head.subarray(0, Math.max(0, head.length - cut))));
  return controls <= head.length * (isUnicode ? 0.02 : 0.005);
};

/** Decodes the start of a text as UTF-16 with a byte order mark, else as UTF-8. */
const decodeHead = (head: Uint8Array): string => {
  if (!hasUtf16ByteOrderMark(head)) return new TextDecoder('utf-8').decode(head);
  return new TextDecoder(head[0] === 0xff ? 'utf-16le' : 'utf-16be').decode(head);
};

/** What `fileTypeFromFile` does, which imports strtok3 by a name that no bundler sees. Closes the file. */
const typeOfFile = async (path: string): Promise<FileTypeResult | undefined> =>
  fileTypeFromTokenizer(await fromFile(path));

const HEAD_BYTES = 64 * 1024;
/** Larger JSON is not parsed: its encoding and first character are checked. */
const MAX_PARSED_JSON = 16 * 1024 * 1024;

export type ChosenType = { readonly type: FileType; readonly extension: string; readonly mimeType: string };

/**
 * The type of a file by its extension and declared media type. Throws `unsupported_file_type` for a type that the storage
 * does not accept, `content_mismatch` if the two contradict each other.
 */
export const chooseType = (extension: string, declared: string): ChosenType => {
  const byName = typeOfExtension(extension);
  const description = extension === '' ? 'without an extension' : `of the type .${extension}`;
  const unsupported = (what: string) =>
    new AppError('unsupported_file_type', `Files ${what} are not supported here.`);
  if (isGenericMime(declared)) {
    if (byName === undefined) throw unsupported(description);
    return { type: byName, extension: extension.toLowerCase(), mimeType: byName.mimeTypes[0] ?? '' };
  }
  const essence = mimeEssence(declared);
  const byMime = typeOfMime(essence);
  if (byMime === undefined) throw unsupported(`of the media type ${essence.slice(0, 100)}`);
  if (extension === '') return { type: byMime, extension: byMime.extensions[0] ?? '', mimeType: essence };
  if (byName === undefined) throw unsupported(description);
  if (!byName.mimeTypes.includes(essence)) {
    throw new AppError(
      'content_mismatch',
      `The file is named .${extension}, but it was sent as ${essence.slice(0, 100)}.`,
    );
  }
  return { type: byName, extension: extension.toLowerCase(), mimeType: essence };
};

const MEDIA = /^(?:audio|video)\/|\/(?:ogg|mxf|vnd\.ms-asf|vnd\.rn-realmedia)$/;

const isMediaType = ({ mimeTypes: [mimeType = ''] }: FileType): boolean => MEDIA.test(mimeType);

/** The format of a recording, or the sentence that says why it is none. */
export type SoundFormat = { readonly format: string } | { readonly refusal: string };

/** The type of a recording as far as its name and media type tell, before its content is known. */
export const guessRecordingType = (extension: string, declared: string): ChosenType => {
  const named = [typeOfExtension(extension), typeOfMime(declared)];
  const type = named.find((entry) => entry !== undefined && isMediaType(entry)) ?? MP3;
  return { type, extension: type.extensions[0] ?? '', mimeType: type.mimeTypes[0] ?? '' };
};

const mismatch = (extension: string, found?: string): AppError =>
  new AppError(
    'content_mismatch',
    `The content of the file is not ${extension.toUpperCase()}${found === undefined ? '' : `; it looks like ${found.toUpperCase()}`}.`,
  );

const readHead = async (path: string): Promise<Uint8Array> => {
  const handle = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
};

/** Whether there is an MPEG audio or ADTS frame header near the start: files cut out of a stream begin anywhere. */
const hasAudioFrame = (head: Uint8Array): boolean => {
  for (let i = 0; i + 3 < Math.min(head.length, 8192); i++) {
    const second = head[i + 1] ?? 0;
    const layer = (second >> 1) & 3;
    const isAdts = (second & 0xf6) === 0xf0;
    const bitrate = (head[i + 2] ?? 0) >> 4;
    if (head[i] !== 0xff || (second & 0xe0) !== 0xe0) continue;
    if (isAdts || (layer !== 0 && ((second >> 3) & 3) !== 1 && bitrate !== 15 && bitrate !== 0)) return true;
  }
  return false;
};

const GSM_FRAME = 33;

/** Whether each of the first frames has GSM's signature: a raw stream has no header. */
const isGsm = (head: Uint8Array): boolean =>
  head.length >= GSM_FRAME &&
  head.subarray(0, 30 * GSM_FRAME).every((byte, at) => at % GSM_FRAME !== 0 || byte >> 4 === 0xd);

/** Checks the checksum of the first header, for archives older than the `ustar` magic. */
const isOldTar = (head: Uint8Array): boolean => {
  if (head.length < 512) return false;
  if (head.subarray(0, 512).every((byte) => byte === 0)) return true;
  const stated = Number.parseInt(Buffer.from(head.subarray(148, 156)).toString('latin1'), 8);
  let sum = 0;
  for (let i = 0; i < 512; i++) sum += i >= 148 && i < 156 ? 32 : (head[i] ?? 0);
  return sum === stated;
};

const isJson = async (path: string, head: Uint8Array, size: number): Promise<boolean> => {
  if (size > MAX_PARSED_JSON) return /^\uFEFF?\s*[[{"\-\dtfn]/.test(decodeHead(head));
  const bytes = await readFile(path);
  const text = hasUtf16ByteOrderMark(bytes) ? decodeHead(bytes) : bytes.toString('utf8');
  try {
    JSON.parse(text.replace(/^\uFEFF/, ''));
    return true;
  } catch {
    return false;
  }
};

const isXml = (head: Uint8Array): boolean => /^\uFEFF?\s*<[?!\p{L}_:]/u.test(decodeHead(head));

const isSvg = (head: Uint8Array): boolean =>
  isXml(head) && /<(?:[\p{L}_][\p{L}\p{N}_.-]*:)?svg[\s/>]/iu.test(decodeHead(head));

/** Formats that `file-type` detects by letters, with which a plain text can begin, too. */
const TEXTUAL_SIGNATURES = new Set([
  'bmp',
  'gif',
  'exe',
  'mp3',
  'zst',
  'z',
  'ac3',
  'ics',
  'vcf',
  'xml',
  'svg',
  'json',
  'pgp',
  'mpc',
  'ar',
  'flv',
  'swf',
  'voc',
  'arj',
]);

export type ContentCheck = {
  readonly path: string;
  readonly size: number;
  readonly chosen: ChosenType;
  /** Whether all bytes are possible in a text: see TextDetector. */
  readonly canBeText: boolean;
};

/** Throws `content_mismatch` if the file's content does not match its type. */
export const checkContent = async ({ path, size, chosen, canBeText }: ContentCheck): Promise<void> => {
  const { type, extension } = chosen;
  const head = await readHead(path);
  const detected = size === 0 ? undefined : (await typeOfFile(path))?.ext;
  const isText =
    type.check === 'text' || type.check === 'json' || type.check === 'xml' || type.check === 'svg';
  if (isText && !canBeText) throw mismatch(extension, detected);
  switch (type.check) {
    case 'text':
      if (detected !== undefined && !TEXTUAL_SIGNATURES.has(detected.toLowerCase()))
        throw mismatch(extension, detected);
      return;
    case 'json':
      if (!(await isJson(path, head, size))) throw mismatch(extension);
      return;
    case 'xml':
      if (!isXml(head)) throw mismatch(extension, detected);
      return;
    case 'svg':
      if (!isSvg(head)) throw mismatch(extension, detected);
      return;
    case 'rtf':
      if (!Buffer.from(head.subarray(0, 5)).equals(Buffer.from('{\\rtf')))
        throw mismatch(extension, detected);
      return;
    case 'mpeg':
      if (detected !== undefined && !type.detected.includes(detected)) throw mismatch(extension, detected);
      if (detected === undefined && !hasAudioFrame(head)) throw mismatch(extension);
      return;
    case 'gsm':
      if (!isGsm(head)) throw mismatch(extension, detected);
      return;
    case 'tar':
      if (detected !== 'tar' && !isOldTar(head)) throw mismatch(extension, detected);
      return;
    case 'detected':
      if (detected === undefined || !type.detected.includes(detected)) throw mismatch(extension, detected);
  }
};

const MPEG_EXTENSIONS: ReadonlySet<string> = new Set(['mp3', 'aac']);

const recordingType = ({ ext, mime }: { ext: string; mime: string }): ChosenType => {
  const named = typeOfExtension(ext);
  const known = named ?? FILE_TYPES.find((entry) => isMediaType(entry) && entry.detected.includes(ext));
  const type = known ?? { extensions: [ext], mimeTypes: [mime], detected: [ext], check: 'detected' };
  return { type, extension: type.extensions[0] ?? ext, mimeType: type.mimeTypes[0] ?? mime };
};

/**
 * The type of a recording by its content, whatever its name says; `chosen`, from `guessRecordingType`, if it fits.
 * `soundFormat` names the format of what has no known signature; null if it is not known, either. Throws
 * `unsupported_file_type` for anything but audio and video.
 */
export const recordingTypeOfContent = async (
  { path, chosen, canBeText }: Omit<ContentCheck, 'size'>,
  soundFormat: () => Promise<SoundFormat | null>,
): Promise<ChosenType> => {
  // Letters at the start of a text can look like the signature of a recording.
  const detected = canBeText ? undefined : await typeOfFile(path);
  if (detected !== undefined && MEDIA.test(detected.mime)) {
    return chosen.type.detected.includes(detected.ext) ? chosen : recordingType(detected);
  }
  const asked = canBeText || detected !== undefined ? null : await soundFormat();
  if (asked !== null && 'format' in asked) {
    const { format } = asked;
    return chosen.type.extensions.includes(format)
      ? chosen
      : recordingType({ ext: format, mime: `audio/x-${format}` });
  }
  if (!canBeText && detected === undefined && hasAudioFrame(await readHead(path))) {
    return MPEG_EXTENSIONS.has(chosen.extension) ? chosen : guessRecordingType('mp3', '');
  }
  throw new AppError(
    'unsupported_file_type',
    asked?.refusal ?? 'This is not a recording: files without audio or video are not supported here.',
  );
};

/** The format of a file of which nothing but its bytes is known. */
export const detectFormat = async (path: string): Promise<{ extension: string; mimeType: string }> => {
  const detected = await typeOfFile(path);
  if (detected !== undefined) return { extension: detected.ext, mimeType: detected.mime };
  const head = await readHead(path);
  if (hasAudioFrame(head)) return { extension: 'mp3', mimeType: 'audio/mpeg' };
  const isText = !head.includes(0);
  return isText
    ? { extension: 'txt', mimeType: 'text/plain' }
    : { extension: 'bin', mimeType: 'application/octet-stream' };
};
