import { existsSync, readdirSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAppError } from '../../../electron/core/base/errors.ts';
import { contentDisposition } from '../../../electron/core/http/content-disposition.ts';
import {
  buildKey,
  normalizeKey,
  originalName,
  parseFolder,
  splitName,
} from '../../../electron/core/services/files/keys.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { bearer, form, freshStorage, newUser, objectsIn } from './support/client.ts';

const TRICKS = [
  '..',
  '.',
  '...',
  '../',
  '..\\',
  '/',
  '\\',
  '//',
  '%2e%2e',
  '%2e%2e%2f',
  '%252e',
  '%00',
  '\u0000',
  'C:\\',
  'C:',
  '\\\\server\\share',
  'CON',
  'nul',
  'COM1',
  'aux.txt',
  'name.',
  'name ',
  ' ',
  '\u202e',
  '\u200f',
  '\u2024\u2024',
  '\uff0e\uff0e',
  '\uff0f',
  '\u2215',
  '\u2044',
  '\u29f8',
  '‥',
  '\ud800',
  '\u0301',
  'é',
  'e\u0301',
  '\u{1f600}',
  'a'.repeat(300),
  '~',
  '$HOME',
  '`id`',
  '\r\n',
  '\t',
  '-rf',
  'file.mp3',
  '.htaccess',
  ':',
  '*',
  '?',
  '"',
  '<',
  '>',
  '|',
  '\u007f',
  '\u0085',
];
const tricky = fc
  .array(
    fc.oneof(
      fc.constantFrom(...TRICKS),
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.string({ maxLength: 12 }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));
const tricks = fc
  .array(fc.oneof(tricky, fc.constantFrom('/', '\\')), { maxLength: 6 })
  .map((parts) => parts.join(''));

const USER = 'usr_01ARZ3NDEKTSV4RRFFQ69G5FAV';
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
      fc.property(tricks, tricks, fc.integer({ min: 0, max: 4e12 }), (folderText, name, time) => {
        const folder = folderOf(folderText);
        if (folder === undefined) return;
        const { stem } = splitName(originalName(name));
        const key = buildKey({ userId: USER, folder, stem, extension: 'txt' }, time);
        expect(resolve(`/store${key}`).startsWith(`/store/${USER}/`)).toBe(true);
        expect(key).toBe(normalizeKey(key));
        const parts = key.slice(1).split('/');
        expect(parts.length).toBeGreaterThanOrEqual(3);
        for (const part of parts) {
          expect(part).toMatch(/^[\p{L}\p{M}\p{N}._-]+$/u);
          expect(part).not.toMatch(/\.\./);
          expect(Buffer.byteLength(part)).toBeLessThanOrEqual(240);
        }
        expect(parts.at(-1)).toMatch(/_\d{8,}T\d{9}Z\.txt$/);
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

  it('gives headers that hold one line, for any name', () => {
    fc.assert(
      fc.property(tricks, (name) => {
        const value = contentDisposition('attachment', name);
        expect(value).toMatch(
          /^attachment; filename="[\x20-\x7e]*"(; filename\*=UTF-8''[\w.!#$&+^`|~%-]*)?$/,
        );
        expect(value.split('"')).toHaveLength(3);
      }),
      { numRuns: 5000 },
    );
  });
});

describe('hostile folders, names and keys over HTTP', () => {
  it('stay inside the store, and the server goes on', async () => {
    const root = temporaryFolder();
    const storage = await freshStorage({ root: join(root, 'data') });
    const user = newUser(storage);
    const objects = join(root, 'data', 'objects');
    const paths = ['file', 'download', 'download-url'];
    await fc.assert(
      fc.asyncProperty(tricks, tricks, async (folder, name) => {
        const sent = await fetch(`${storage.url}/v1/storage/upload`, {
          method: 'POST',
          headers: bearer(user),
          body: form(`${name}.txt`, 'x', { folder }),
        });
        expect([201, 400, 415]).toContain(sent.status);
        await sent.arrayBuffer();
        for (const path of paths) {
          for (const key of [
            encodeURIComponent(name.toWellFormed()),
            encodeURI(`/${folder.toWellFormed()}/${name.toWellFormed()}`),
          ]) {
            const response = await fetch(`${storage.url}/v1/storage/${path}/${key}`, {
              headers: bearer(user),
            });
            expect([400, 404, 405]).toContain(response.status);
            await response.arrayBuffer();
          }
        }
      }),
      { numRuns: 300 },
    );
    expect(readdirSync(root)).toEqual(['data']);
    for (const path of objectsIn(objects)) {
      expect(path.slice(objects.length)).toMatch(/^.[0-9a-f]{2}.[0-9a-f]{2}.[0-9a-f]{32}$/);
    }
    const { data } = await user.client.call('storageInfo');
    expect(objectsIn(objects)).toHaveLength(data.fileCount);
    expect(existsSync(join(objects, '..', sep, 'x'))).toBe(false);
  });
});
