import { describe, expect, it } from 'vitest';
import { splitLogin, withLogin, withoutLogin } from '../../../electron/core/base/url-login.ts';

describe('the login of a URL', () => {
  it.each([
    ['https://maria:p%40ss@example.org/a.mp3?x=1#y', 'https://example.org/a.mp3?x=1#y', 'maria:p%40ss'],
    ['https://maria@example.org/', 'https://example.org/', 'maria:'],
    ['http://:only@example.org:81/a', 'http://example.org:81/a', ':only'],
    ['https://m%3Aria:p:ss@example.org/', 'https://example.org/', 'm%3Aria:p%3Ass'],
  ])('of %s is split off and put back', (url, bare, login) => {
    expect(splitLogin(url)).toEqual({ url: bare, login });
    expect(new URL(withLogin(bare, login)).href).toBe(new URL(url).href.replace('p:ss', 'p%3Ass'));
  });

  it.each(['https://Example.org/a@b', 'storage:/usr_1/files/a.wav', 'no URL'])(
    'leaves %s as it is, which has none',
    (text) => {
      expect(splitLogin(text)).toEqual({ url: text, login: null });
      expect(withoutLogin(text)).toBe(text);
      expect(withLogin(text, null)).toBe(text);
      expect(withLogin(text, '')).toBe(text);
    },
  );
});
