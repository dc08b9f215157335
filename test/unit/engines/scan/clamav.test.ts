import { describe, expect, it } from 'vitest';
import {
  parseClamdConf,
  parseClamdReply,
  parseClamscan,
} from '../../../../electron/core/engines/scan/clamd.ts';
import { EicarDetector } from '../../../../electron/core/engines/scan/scanner.ts';

it('the EICAR signature is found across chunk boundaries', () => {
  const text = `head X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-${'STANDARD'}-ANTIVIRUS-TEST-FILE!$H+H* tail`;
  for (let size = 1; size < text.length; size++) {
    const detector = new EicarDetector();
    for (let at = 0; at < text.length; at += size) detector.update(Buffer.from(text.slice(at, at + size)));
    expect([size, detector.isFound]).toEqual([size, true]);
  }
  const clean = new EicarDetector();
  clean.update(Buffer.from(text.replace('STANDARD', 'STANDART')));
  expect(clean.isFound).toBe(false);
});

describe('ClamAV’s answers', () => {
  it('are parsed', () => {
    expect(parseClamdReply('stream: OK\0')).toEqual({ state: 'clean' });
    expect(parseClamdReply('stream: Win.Test.EICAR_HDB-1 FOUND\0')).toEqual({
      state: 'infected',
      signature: 'Win.Test.EICAR_HDB-1',
    });
    expect(parseClamdReply('INSTREAM size limit exceeded. ERROR\0')).toEqual({ state: 'too_large' });
    expect(parseClamdReply('stream: Heuristics.Limits.Exceeded.MaxFileSize FOUND\0')).toEqual({
      state: 'too_large',
    });
    expect(parseClamdReply('')).toEqual({ state: 'error', reason: 'no answer' });
    expect(parseClamscan('/x/y: OK\n', 0)).toEqual({ state: 'clean' });
    expect(parseClamscan('/x/y: Empty file\n', 0)).toEqual({ state: 'clean' });
    expect(parseClamscan('/x/y: Some.Thing FOUND\n', 1)).toEqual({
      state: 'infected',
      signature: 'Some.Thing',
    });
    expect(parseClamscan('', 0).state).toBe('error');
    expect(parseClamscan('', 2).state).toBe('error');
  });

  it('count up to the size limits of its configuration', () => {
    const conf = '# comment\nLocalSocket /run/clamd.ctl\nStreamMaxLength 25M\nMaxFileSize 10k\n';
    expect(parseClamdConf(conf)).toEqual({ address: { path: '/run/clamd.ctl' }, maxBytes: 10_240 });
    expect(
      parseClamdConf('TCPSocket 3310\nTCPAddr 10.0.0.1\nMaxFileSize 0\nMaxScanSize 0\nStreamMaxLength 1G'),
    ).toEqual({
      address: { host: '10.0.0.1', port: 3310 },
      maxBytes: 1024 ** 3,
    });
    expect(parseClamdConf('MaxFileSize 10M')).toBeUndefined();
  });
});
