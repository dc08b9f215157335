/** A file type that the storage accepts. */
export type FileType = {
  /** The first is the canonical extension. */
  readonly extensions: readonly string[];
  /** Media types that clients declare; the first is canonical. */
  readonly mimeTypes: readonly string[];
  /** Extensions that the `file-type` library may detect. */
  readonly detected: readonly string[];
  /** How the content is checked: by the library, or by a check of our own for what it does not detect. */
  readonly check: 'detected' | 'text' | 'json' | 'xml' | 'svg' | 'rtf' | 'mpeg' | 'gsm' | 'tar';
};

const type = (
  extensions: string,
  mimeTypes: string,
  detected: string,
  check: FileType['check'] = 'detected',
): FileType => ({
  extensions: extensions.split(' '),
  mimeTypes: mimeTypes.split(' '),
  detected: detected.split(' '),
  check,
});

const MP4_FAMILY = 'mp4 m4a m4v m4b m4p mov 3gp 3g2 f4v f4p f4a f4b';
const OGG_FAMILY = 'ogg oga ogv opus spx ogm ogx';
const ZIP_FAMILY = 'zip docx xlsx pptx odt ods odp epub docm dotx xltx xlsm odg jar';
const TIFF_FAMILY = 'tif dng cr2 nef arw';

export const MP3 = type(
  'mp3',
  'audio/mpeg audio/mp3 audio/x-mp3 audio/mpeg3 audio/x-mpeg',
  'mp3 mp2',
  'mpeg',
);

/** Every file type that uploads accept. */
export const FILE_TYPES: readonly FileType[] = [
  MP3,
  type('wav', 'audio/wav audio/x-wav audio/wave audio/vnd.wave', 'wav'),
  type('flac', 'audio/flac audio/x-flac', 'flac'),
  type('m4a m4b', 'audio/mp4 audio/x-m4a audio/m4a audio/aac video/mp4', MP4_FAMILY),
  type(
    'ogg oga opus spx ogv',
    'audio/ogg video/ogg application/ogg audio/opus audio/x-opus+ogg audio/vorbis audio/speex audio/x-speex',
    OGG_FAMILY,
  ),
  type('amr awb', 'audio/amr audio/amr-wb', 'amr'),
  type('gsm', 'audio/gsm audio/x-gsm', '', 'gsm'),
  type('aiff aif', 'audio/aiff audio/x-aiff', 'aif'),
  type('caf', 'audio/x-caf audio/caf', 'caf'),
  type('webm weba', 'video/webm audio/webm', 'webm mkv'),
  type('aac', 'audio/aac audio/x-aac audio/aacp audio/x-hx-aac-adts audio/vnd.dlna.adts', 'aac', 'mpeg'),
  type('mp4 m4v 3gp', 'video/mp4 audio/mp4 application/mp4 video/x-m4v video/3gpp audio/3gpp', MP4_FAMILY),
  type('avi', 'video/x-msvideo video/avi video/msvideo video/vnd.avi', 'avi'),
  type('mov', 'video/quicktime video/mp4', MP4_FAMILY),
  type('wmv wma asf', 'video/x-ms-wmv video/x-ms-asf audio/x-ms-wma', 'asf'),
  type('mkv mka', 'video/x-matroska audio/x-matroska video/matroska', 'mkv webm'),
  type('pdf', 'application/pdf application/x-pdf', 'pdf'),
  type('doc', 'application/msword', 'cfb'),
  type('docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx docm zip'),
  type('txt', 'text/plain', '', 'text'),
  type('rtf', 'application/rtf text/rtf application/msword text/richtext', 'rtf', 'rtf'),
  type('odt', 'application/vnd.oasis.opendocument.text', 'odt zip'),
  type('jpg jpeg', 'image/jpeg image/jpg image/pjpeg', 'jpg'),
  type('png', 'image/png image/x-png image/apng', 'png apng'),
  type('gif', 'image/gif', 'gif'),
  type('webp', 'image/webp', 'webp'),
  type('svg', 'image/svg+xml', 'xml svg', 'svg'),
  type('bmp', 'image/bmp image/x-bmp image/x-ms-bmp', 'bmp'),
  type('tiff tif', 'image/tiff image/tif', TIFF_FAMILY),
  type('json', 'application/json text/json', '', 'json'),
  type('xml', 'application/xml text/xml', 'xml svg', 'xml'),
  type('csv', 'text/csv application/csv text/plain application/vnd.ms-excel', '', 'text'),
  type('xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx xlsm zip'),
  type('zip', 'application/zip application/x-zip-compressed application/x-zip', ZIP_FAMILY),
  type('tar', 'application/x-tar application/tar', 'tar', 'tar'),
  type('gz', 'application/gzip application/x-gzip', 'gz tar.gz'),
];

/** Media types that clients send if they do not know the type. */
const GENERIC = new Set(['', 'application/octet-stream', 'binary/octet-stream', 'application/x-binary']);

/** `Text/Plain; charset=utf-8` → `text/plain`. */
export const mimeEssence = (declared: string): string => (declared.split(';')[0] ?? '').trim().toLowerCase();

export const isGenericMime = (declared: string): boolean => GENERIC.has(mimeEssence(declared));

export const typeOfExtension = (extension: string): FileType | undefined =>
  FILE_TYPES.find((entry) => entry.extensions.includes(extension.toLowerCase()));

export const typeOfMime = (declared: string): FileType | undefined => {
  const essence = mimeEssence(declared);
  return (
    FILE_TYPES.find((entry) => entry.mimeTypes[0] === essence) ??
    FILE_TYPES.find((entry) => entry.mimeTypes.includes(essence))
  );
};

/** Types that a browser can execute or render as a page of their own. */
const ACTIVE = new Set([
  'text/html',
  'application/xhtml+xml',
  'image/svg+xml',
  'application/xml',
  'text/xml',
  'application/pdf',
  'application/x-pdf',
]);

export const isActiveType = (mimeType: string): boolean => ACTIVE.has(mimeEssence(mimeType));
