import type { MediaInput } from './types.ts';

/**
 * Demuxers that open other files, addresses or devices, or run a script, whatever the protocol whitelist says. They must
 * never be in MEDIA_FORMATS.
 */
export const UNSAFE_FORMATS: ReadonlySet<string> = new Set(
  `avisynth vapoursynth lavfi sbg applehttp hls dash webm_dash_manifest imf concat image2 alias_pix brender_pix mlv vobsub dvdvideo
  sdp rtp rtsp sap alsa fbdev iec61883 jack kmsgrab libcdio libdc1394 openal oss pulse sndio v4l2 video4linux2 x11grab
  avfoundation dshow gdigrab vfwcap android_camera decklink`.split(/\s+/),
);

/**
 * Demuxers that read sound from one file: all of ffmpeg's that find it by its content or its name, but for those of
 * single computer games. ffmpeg can only be told what is allowed; what is left out are UNSAFE_FORMATS, pictures, subtitles, raw
 * samples and pictures without sound.
 */
export const MEDIA_FORMATS: readonly string[] = [
  ...[
    'aac',
    'ac3',
    'act',
    'adx',
    'aea',
    'aiff',
    'amr',
    'amrnb',
    'amrwb',
    'ape',
    'aptx',
    'aptx_hd',
    'asf',
    'ast',
    'au',
  ],
  ...[
    'avi',
    'avr',
    'brstm',
    'caf',
    'daud',
    'dsf',
    'dss',
    'dts',
    'dtshd',
    'dv',
    'eac3',
    'epaf',
    'flac',
    'flv',
    'g722',
  ],
  ...[
    'g726',
    'gsm',
    'gxf',
    'hca',
    'hcom',
    'iff',
    'ilbc',
    'ircam',
    'latm',
    'loas',
    'lxf',
    'matroska',
    'webm',
    'mov',
  ],
  ...[
    'mp4',
    'm4a',
    '3gp',
    '3g2',
    'mj2',
    'mlp',
    'mp3',
    'mpc',
    'mpc8',
    'mpeg',
    'mpegts',
    'msf',
    'mtaf',
    'mxf',
    'nistsphere',
  ],
  ...[
    'nsv',
    'nut',
    'nuv',
    'ogg',
    'oma',
    'paf',
    'pva',
    'pvf',
    'qcp',
    'rm',
    'rso',
    'sbc',
    'shn',
    'sds',
    'sol',
    'sox',
    'spdif',
  ],
  ...[
    'swf',
    'tak',
    'truehd',
    'tta',
    'ty',
    'vag',
    'voc',
    'vqf',
    'w64',
    'wav',
    'wsd',
    'wtv',
    'wv',
    'wve',
    'xwma',
  ],
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
  ...(input.kind === 'file' && input.format !== undefined ? ['-f', input.format] : []),
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
