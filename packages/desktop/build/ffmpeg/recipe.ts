// What the packages' own ffmpeg is made of: the sources, and the parts of ffmpeg that Earshot uses.

import { join } from 'node:path';

export type Source = {
  /** The folder inside the archive. */
  readonly name: string;
  readonly archive: string;
  readonly url: string;
  readonly sha256: string;
  /** The license in the archive, and its name beside the programs. */
  readonly license: { readonly file: string; readonly as: string };
};

/** Releases of both projects; ffmpeg's is signed with its release key, FCF9 86EA 15E6 E293 A564 4F10 B432 2F04 D676 58D8. */
export const FFMPEG: Source = {
  name: 'ffmpeg-7.1.5',
  archive: 'ffmpeg-7.1.5.tar.xz',
  url: 'https://ffmpeg.org/releases/ffmpeg-7.1.5.tar.xz',
  sha256: 'de668509caf9e35e3cd162473441fdb29538c6d96ed080292b3cf9e6fc5d558f',
  license: { file: 'COPYING.LGPLv2.1', as: 'COPYING.LGPLv2.1' },
};
export const OPUS: Source = {
  name: 'opus-1.5.2',
  archive: 'opus-1.5.2.tar.gz',
  url: 'https://downloads.xiph.org/releases/opus/opus-1.5.2.tar.gz',
  sha256: '65c1d2f78b9f2fb20082c38cbe47c951ad5839345876e46941612ee87f9a7ce1',
  license: { file: 'COPYING', as: 'LICENSE.opus' },
};

/** Our only change of ffmpeg's sources. */
export const PATCH = join(import.meta.dirname, 'h264-start.patch');

export const SOURCES: readonly Source[] = [FFMPEG, OPUS];

/** Of each kind of part, those that Earshot needs, as configure takes them. */
export const PARTS = {
  demuxer: [
    // The formats of electron/core/engines/ffmpeg/input-options.ts, and raw samples on standard input.
    'aac,ac3,act,adx,aea,aiff,amr,amrnb,amrwb,ape,aptx,aptx_hd,asf,ast,au,avi,avr,brstm,caf,daud,dsf,dss,dts,dtshd,dv',
    'eac3,epaf,flac,flv,g722,g726,gsm,gxf,hca,hcom,iff,ilbc,ircam,loas,lxf,matroska,mlp,mov,mp3,mpc,mpc8,mpegps,mpegts',
    'msf,mtaf,mxf,nistsphere,nsv,nut,nuv,ogg,oma,paf,pcm_s16le,pva,pvf,qcp,rm,rso,sbc,sds,shorten,sol,sox,spdif,swf,tak,truehd',
    'tta,ty,vag,voc,vqf,w64,wav,wsd,wtv,wv,wve,xwma',
    // Those that recognize the pictures inside an MPEG program stream, which else pass for sound.
    'h264,hevc,m4v,mpegvideo',
  ],
  // Sound alone.
  decoder: [
    'eightsvx_*,aac,aac_latm,ac3,adpcm_*,alac,als,amrnb,amrwb,ape,aptx*,atrac*,cook,dca,dsd_*,dss_sp,dst,dvaudio,eac3,evrc,flac,g723_1,g729,gsm,gsm_ms',
    'hca,hcom,ilbc,imc,mace3,mace6,metasound,mlp,mp1*,mp2*,mp3*,mpc7,mpc8,nellymoser,on2avc,opus,paf_audio,pcm_*,qcelp,qdm2,qdmc,ra_144',
    'ra_288,ralf,sbc,shorten,sipr,siren,sol_dpcm,speex,tak,truehd,truespeech,tta,twinvq,vorbis,wavpack,wmalossless,wmapro,wmav1,wmav2,wmavoice',
  ],
  parser: [
    'aac,aac_latm,ac3,adx,amr,cook,dca,dvaudio,flac,g723_1,g729,gsm,mlp,mpegaudio,opus,sbc,sipr,tak,vorbis',
  ],
  // The decoded samples, in Matroska for their times, and redacted recordings.
  encoder: ['aac,libopus,pcm_f32le,pcm_s16le'],
  muxer: ['ipod,matroska,ogg,wav'],
  filter: ['aformat,amerge,amix,anull,aresample,asetpts,asplit,atrim,pan'],
  // Parts of links come through the range reader on this machine; the guarded client fetches them.
  protocol: ['file,http,pipe,tcp'],
  bsf: ['aac_adtstoasc'],
} as const;

const TARGETS = ['linux', 'darwin', 'win32'] as const;
export type Target = (typeof TARGETS)[number];
export const isTarget = (name: string): name is Target => TARGETS.some((target) => target === name);

/** MinGW's prefix. */
export const CROSS = 'x86_64-w64-mingw32';

/** configure's options for libopus. */
export const opusOptions = (target: Target, prefix: string): string[] => [
  `--prefix=${prefix}`,
  ...['--disable-shared', '--enable-static', '--with-pic', '--disable-doc', '--disable-extra-programs'],
  // configure sets _FORTIFY_SOURCE all the same: ffmpeg links MinGW's libssp.
  ...(target === 'win32' ? [`--host=${CROSS}`, '--disable-stack-protector', '--disable-hardening'] : []),
];

/** configure's options for ffmpeg: its own code under the LGPL, libopus, and nothing that this machine has by chance. */
export const ffmpegOptions = (target: Target, hasNasm: boolean): string[] => [
  ...['--disable-everything', '--disable-autodetect', '--disable-doc', '--disable-debug', '--disable-ffplay'],
  ...['--disable-avdevice', '--disable-swscale', '--enable-libopus', '--pkg-config=pkg-config'],
  ...['--pkg-config-flags=--static'],
  ...(hasNasm ? [] : ['--disable-x86asm']),
  ...(target === 'win32'
    ? [`--cross-prefix=${CROSS}-`, '--target-os=mingw32', '--arch=x86_64', '--enable-w32threads']
    : ['--enable-pthreads']),
  ...(target === 'win32' ? ['--extra-ldflags=-static', '--extra-libs=-lssp'] : []),
  ...Object.entries(PARTS).map(([kind, names]) => `--enable-${kind}=${names.join(',')}`),
];
