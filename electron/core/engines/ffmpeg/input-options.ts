import type { MediaInput } from './types.ts';

/**
 * Demuxers of recordings. Playlists and scripts (hls, concat, dash, sdp, …) are left out: they make ffmpeg open
 * other files and addresses, whatever the protocol whitelist says.
 */
export const MEDIA_FORMATS = [
  'aac',
  'ac3',
  'eac3',
  'aiff',
  'amr',
  'amrnb',
  'amrwb',
  'ape',
  'asf',
  'au',
  'avi',
  'caf',
  'dsf',
  'dts',
  'dtshd',
  'flac',
  'flv',
  'gsm',
  'latm',
  'loas',
  'matroska',
  'webm',
  'mov',
  'mp4',
  'm4a',
  '3gp',
  '3g2',
  'mj2',
  'mp3',
  'mpc',
  'mpc8',
  'mpeg',
  'mpegts',
  'mxf',
  'ogg',
  'oma',
  'qcp',
  'rm',
  'tak',
  'truehd',
  'tta',
  'voc',
  'w64',
  'wav',
  'wv',
];

/** Bytes; ffmpeg's largest single allocation, against files that declare absurd sizes. */
const MAX_ALLOCATION = 256 * 1024 * 1024;
/** Ten minutes: longer than every timeout of ours, which then explains the failure. */
const LOOPBACK_TIMEOUT_MICROSECONDS = 600_000_000;

/** Options before every input of ffmpeg and ffprobe: the formats and protocols that they may open. */
export const safeInputOptions = (input: MediaInput): string[] => [
  '-max_alloc',
  String(MAX_ALLOCATION),
  '-format_whitelist',
  MEDIA_FORMATS.join(','),
  '-protocol_whitelist',
  input.kind === 'file' ? 'file' : 'http,tcp',
  ...(input.kind === 'file'
    ? []
    : [
        '-seekable',
        '1',
        // The range reader answers with a part of the range and expects another request.
        ...['-reconnect', '1'],
        // Without delay: a refusal by the range reader is final.
        ...['-reconnect_delay_max', '0'],
        '-rw_timeout',
        String(LOOPBACK_TIMEOUT_MICROSECONDS),
      ]),
];

/** The input's name for ffmpeg; `file:` stops a colon or leading dash in a path from being interpreted. */
export const inputName = (input: MediaInput): string =>
  input.kind === 'file' ? `file:${input.path}` : input.url;
