/**
 * The kinds of recordings by their file names: what "Open with" takes, and what the dialogs that choose files offer. The
 * content decides in the end. The associations in electron-builder.yml are these, too.
 */
export const MEDIA_KINDS: readonly { readonly mimeType: string; readonly extensions: readonly string[] }[] = [
  { mimeType: 'audio/mpeg', extensions: ['mp3', 'mp2'] },
  { mimeType: 'audio/x-wav', extensions: ['wav'] },
  { mimeType: 'audio/flac', extensions: ['flac'] },
  { mimeType: 'audio/mp4', extensions: ['m4a', 'm4b'] },
  { mimeType: 'audio/ogg', extensions: ['ogg', 'oga'] },
  { mimeType: 'audio/x-opus+ogg', extensions: ['opus'] },
  { mimeType: 'audio/aac', extensions: ['aac'] },
  { mimeType: 'audio/x-ms-wma', extensions: ['wma'] },
  { mimeType: 'audio/x-aiff', extensions: ['aiff', 'aif'] },
  { mimeType: 'audio/x-caf', extensions: ['caf'] },
  { mimeType: 'audio/x-matroska', extensions: ['mka'] },
  { mimeType: 'audio/webm', extensions: ['weba'] },
  { mimeType: 'audio/AMR', extensions: ['amr'] },
  { mimeType: 'video/mp4', extensions: ['mp4', 'm4v'] },
  { mimeType: 'video/webm', extensions: ['webm'] },
  { mimeType: 'video/quicktime', extensions: ['mov'] },
  { mimeType: 'video/x-matroska', extensions: ['mkv'] },
  { mimeType: 'video/x-msvideo', extensions: ['avi'] },
  { mimeType: 'video/x-ms-wmv', extensions: ['wmv'] },
  { mimeType: 'video/mpeg', extensions: ['mpg', 'mpeg'] },
  { mimeType: 'video/mp2t', extensions: ['ts', 'm2ts'] },
  { mimeType: 'video/3gpp', extensions: ['3gp'] },
  { mimeType: 'video/ogg', extensions: ['ogv'] },
  { mimeType: 'video/x-flv', extensions: ['flv'] },
];

/** The endings of recordings' names, without the dot and in lower case. */
export const MEDIA_EXTENSIONS: readonly string[] = MEDIA_KINDS.flatMap(({ extensions }) => extensions);
