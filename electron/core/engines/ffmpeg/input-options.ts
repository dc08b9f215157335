import type { MediaInput } from './types.ts';

/**
 * Demuxers of real recordings. Playlists and scripts (hls, concat, dash, sdp, …) are left out: they make
 * ffmpeg open other files and addresses, whatever the protocol whitelist says.
 */
const MEDIA_FORMATS = [
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

/** Largest single allocation of ffmpeg, against files that announce absurd sizes. */
const MAX_ALLOCATION = 256 * 1024 * 1024;
/** ffmpeg's own read time-out on the loopback connection, in microseconds, beyond every other one. */
const LOOPBACK_TIMEOUT = 600_000_000;

/** What ffmpeg and ffprobe are told before every input: which formats and protocols they may open at all. */
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
        // The range reader answers a little at a time and expects to be asked again.
        ...['-reconnect', '1'],
        // At once or not at all: when the range reader refuses, it has failed for good.
        ...['-reconnect_delay_max', '0'],
        '-rw_timeout',
        String(LOOPBACK_TIMEOUT),
      ]),
];

/** The name to hand to ffmpeg; `file:` keeps a path with a colon or a leading dash from meaning anything else. */
export const inputName = (input: MediaInput): string =>
  input.kind === 'file' ? `file:${input.path}` : input.url;
