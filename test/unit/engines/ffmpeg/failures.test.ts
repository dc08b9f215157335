import { describe, expect, it } from 'vitest';
import { explainFfmpegError, parseDurationLine } from '../../../../electron/core/engines/ffmpeg/failures.ts';

describe('explainFfmpegError', () => {
  // Captured from ffmpeg 5.1.9.
  it.each([
    [
      ["Stream map '0:a:0' matches no streams.", 'To ignore this, add a trailing ? to the map.'],
      'no_audio_track',
      /no sound/,
    ],
    [
      [
        '[mov,mp4,m4a,3gp,3g2,mj2 @ 0x55] moov atom not found',
        'file:/tmp/x/cut.m4a: Invalid data found when processing input',
      ],
      'decode_failed',
      /cut off/,
    ],
    [['file:/tmp/x/a: Invalid data found when processing input'], 'not_media', /not a recording/],
    [
      [
        "[hls @ 0x55] Format not on whitelist 'aac,mp3'",
        '/tmp/a.mp3: Invalid data found when processing input',
      ],
      'not_media',
      /playlist/,
    ],
    [
      ["[srt @ 0x55] Format not on whitelist 'aac,mp3'", '/tmp/a.mp3: Invalid argument'],
      'not_media',
      /^The file is of a kind \(srt\) that is not taken for a recording\.$/,
    ],
    [['file:/tmp/x/gone.wav: No such file or directory'], 'file_not_found', /not there/],
    [
      [
        '[ist#0:0 @ 0x5] Decoding requested, but no decoder found for: drm',
        'Error while opening decoder for input stream #0:0',
      ],
      'decode_failed',
      /kind that ffmpeg cannot decode/,
    ],
    [['av_interleaved_write_frame(): No space left on device'], 'disk_full', /Free some space/],
  ])('%j', (lines, code, message) => {
    expect(explainFfmpegError(lines, 1)).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it('quotes the last error line otherwise, without log prefixes, paths and addresses', () => {
    const error = explainFfmpegError(
      [
        '[graph @ 0x1] [x @ 0x2] Error: odd thing in file:/home/maria/talk.mp3 at http://127.0.0.1:5/abc',
        'bye',
      ],
      1,
    );
    expect(error).toMatchObject({
      code: 'decode_failed',
      message: 'ffmpeg could not decode the file: Error: odd thing in the file at the file',
    });
    expect(explainFfmpegError([], null).message).toMatch(/ended by something outside/);
  });
});

describe('parseDurationLine', () => {
  it('reads hours, minutes and seconds', () => {
    expect(parseDurationLine('  Duration: 10:01:02.50, start: 0.000000, bitrate: 64 kb/s')).toEqual({
      duration: 36_062.5,
      start: 0,
    });
    expect(parseDurationLine('  Duration: 00:00:08.30, start: 3.984000, bitrate: 40 kb/s')).toEqual({
      duration: 8.3,
      start: 3.984,
    });
    expect(parseDurationLine('  Duration: N/A, start: 0.0')).toBeNull();
    expect(parseDurationLine('    title: Duration: 00:00:01.00')).toBeNull();
  });
});
