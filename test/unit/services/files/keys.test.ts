import { resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAppError } from '../../../../electron/core/base/errors.ts';
import {
  buildKey,
  normalizeKey,
  originalName,
  parseFolder,
  splitName,
} from '../../../../electron/core/services/files/present.ts';
import { hostileNames } from '../../../support/hostile-names.ts';

const USER = 'usr_01ARZ3NDEKTSV4RRFFQ69G5FAV';
const SAFE_PART = /^[\p{L}\p{M}\p{N}._-]+$/u;
const folderOf = (text: string): string | undefined => {
  try {
    return parseFolder(text);
  } catch (error) {
    if (isAppError(error) && error.code === 'invalid_request') return undefined;
    throw error;
  }
};

describe('a key', () => {
  it('stays below its user’s folder for any folder and name', () => {
    fc.assert(
      fc.property(hostileNames, hostileNames, fc.integer({ min: 0, max: 4e12 }), (folderText, name, time) => {
        const folder = folderOf(folderText);
        if (folder === undefined) return;
        const { stem } = splitName(originalName(name));
        const key = buildKey({ userId: USER, folder, stem, extension: 'txt' }, time);
        const parts = key.slice(1).split('/');
        // One expectation for each of the many keys: a dozen take longer than the keys themselves.
        expect({
          key: normalizeKey(key),
          isBelow: resolve(`/store${key}`).startsWith(`/store/${USER}/`),
          isDeep: parts.length >= 3,
          unsafe: parts.filter((part) => !SAFE_PART.test(part) || part.includes('..')),
          long: parts.filter((part) => Buffer.byteLength(part) > 240),
          hasTime: /_\d{8,}T\d{9}Z\.txt$/.test(key),
        }).toEqual({ key, isBelow: true, isDeep: true, unsafe: [], long: [], hasTime: true });
      }),
      { numRuns: 20_000 },
    );
  });

  it('is refused for folders with `..`, empty parts or absolute paths', () => {
    const refused = [
      '..',
      'a/..',
      '../a',
      'a/../b',
      '/a',
      'a//b',
      'a/',
      '/',
      '\\a',
      'a\\..\\b',
      'C:\\a',
      'c:a',
      'a\u0000b',
      'a\nb',
      '.',
      'a/./b',
      ' ',
      'a/ /b',
      '...',
      'a'.repeat(201),
      Array(33).fill('a').join('/'),
    ];
    for (const folder of refused) expect([folder, folderOf(folder)]).toEqual([folder, undefined]);
    expect(folderOf('')).toBe('files');
    expect(folderOf('Ünïcode/日本語/नमस्ते-1.0_x')).toBe('Ünïcode/日本語/नमस्ते-1.0_x');
    expect(folderOf('my notes/%2e%2e')).toBe('my-notes/-2e-2e');
  });
});
