import { extname } from 'node:path';

const MEDIA = new Set(
  '.mp3 .wav .flac .m4a .ogg .oga .opus .webm .aac .mp4 .m4v .mov .avi .wmv .mkv'.split(' '),
);

/** The recordings among a start's arguments: what "Open with" and a drop on the icon hand over. */
export const mediaFilesIn = (args: readonly string[]): string[] =>
  args.filter((arg) => !arg.startsWith('-') && MEDIA.has(extname(arg).toLowerCase()));
