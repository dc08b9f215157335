import { describe, expect, it } from 'vitest';
import {
  cleanFileName,
  downloadFileName,
  nameFromDisposition,
  nameFromUrl,
} from '../../../../electron/core/engines/net/file-name.ts';

describe('file names of downloads', () => {
  it.each([
    ['attachment; filename="talk.mp3"', 'talk.mp3'],
    ['attachment; filename=talk.mp3', 'talk.mp3'],
    ['attachment; filename="a \\"b\\".mp3"', 'a "b".mp3'],
    [
      'attachment; filename="x.mp3"; filename*=UTF-8\'\'%D0%97%D0%B0%D0%BF%D0%B8%D1%81%D1%8C.mp3',
      'Запись.mp3',
    ],
    ["attachment; filename*=iso-8859-1''caf%E9.mp3", 'café.mp3'],
    ['inline; filename="../../etc/passwd"', 'passwd'],
    ['inline; filename="C:\\\\temp\\\\a.wav"', 'a.wav'],
    ['attachment; filename="notes; filename*=UTF-8\'\'evil.exe"', "notes; filename*=UTF-8''evil.exe"],
    ['attachment; title="a; filename=b.mp3"; filename=c.mp3', 'c.mp3'],
    [`inline; filename="${Buffer.from('Šimon.wav').toString('latin1')}"`, 'Šimon.wav'],
  ])('reads %s', (header, name) => {
    expect(nameFromDisposition(header)).toBe(name);
  });

  it.each(['inline', 'attachment; filename=""', 'attachment; filename="/"', ''])(
    'finds none in %j',
    (header) => {
      expect(nameFromDisposition(header)).toBeNull();
    },
  );

  it('uses the last part of the path, decoded, else the host', () => {
    expect(nameFromUrl('https://example.com/a/b/%E6%9C%83%E8%AD%B0.m4a?x=1')).toBe('會議.m4a');
    expect(nameFromUrl('https://example.com/%ZZ.mp3')).toBe('%ZZ.mp3');
    expect(nameFromUrl('https://example.com/a%2F..%2Fb.mp3')).toBe('b.mp3');
    expect(nameFromUrl('https://example.com/')).toBe('example.com');
  });

  it('prefers the requested URL with an extension to the redirected one', () => {
    expect(downloadFileName({}, 'https://a.example/talk.mp3', 'https://cdn.example/9f8e')).toBe('talk.mp3');
    expect(downloadFileName({}, 'https://a.example/9', 'https://cdn.example/talk.mp3')).toBe('talk.mp3');
  });

  it('drops control characters and leading dots, and truncates between characters', () => {
    expect(cleanFileName('..\u0000a\u0007.mp3')).toBe('a.mp3');
    expect(Array.from(cleanFileName('😀'.repeat(500)))).toHaveLength(200);
  });
});
