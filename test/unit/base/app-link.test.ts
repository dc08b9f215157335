import { describe, expect, it } from 'vitest';
import { linkTo, placeOfLink } from '../../../electron/core/base/app-link.ts';

const ID = 'tr_01HZY3V9QK8N5W6X7Y8Z9ABCDE';

describe('earshot:// links', () => {
  it.each([
    ['earshot://library', '/'],
    ['earshot://library/', '/'],
    ['earshot://queue', '/queue'],
    [`earshot://transcript/${ID}`, `/transcript/${ID}`],
    [`earshot://transcript/${ID}?t=12.504`, `/transcript/${ID}?t=12.504`],
    [`earshot://transcript/${ID}?t=-1`, `/transcript/${ID}`],
  ])('%s leads to %s', (link, place) => {
    expect(placeOfLink(link)).toBe(place);
  });

  it.each([
    'earshot://',
    'earshot://design',
    'earshot://new?stored=x',
    'earshot://transcript/',
    'earshot://transcript/../settings',
    `earshot://transcript/${ID}/delete`,
    `earshot://user:password@transcript/${ID}`,
    'earshot://queue:80',
    'earshot:library',
    'https://library',
    'javascript:alert(1)',
    'not a link',
  ])('%s leads nowhere', (link) => {
    expect(placeOfLink(link)).toBeUndefined();
  });

  it('go along with the one-time link', () => {
    expect(linkTo('http://127.0.0.1:3277/#token=a', undefined)).toBe('http://127.0.0.1:3277/#token=a');
    expect(linkTo('http://127.0.0.1:3277/#token=a', '/queue')).toBe(
      'http://127.0.0.1:3277/#token=a&to=%2Fqueue',
    );
  });
});
