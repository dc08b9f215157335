import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { bearer, errorOf, form, freshStorage, newUser, objectsIn, upload } from './support/client.ts';

const root = temporaryFolder();
const storage = await freshStorage({ dataDir: root });
const user = newUser(storage);
const objects = join(root, 'objects');

const post = (body: BodyInit, headers: Record<string, string> = {}) =>
  fetch(`${storage.url}/v1/storage/upload`, {
    method: 'POST',
    headers: { ...bearer(user), ...headers },
    body,
  });

describe('an upload', () => {
  it('returns the stored file, whose bytes can be downloaded', async () => {
    const bytes = readFileSync('test/fixtures/audio/01-short-note.wav');
    const { file, upload_info } = await upload(user, 'Short note.WAV', new Uint8Array(bytes), {
      folder: 'notes/2026',
      metadata: '{"speaker":"Šimon"}',
    });
    expect(file).toMatchObject({
      original_name: 'Short note.WAV',
      size: bytes.length,
      mime_type: 'audio/wav',
      public: false,
      folder: 'notes/2026',
      metadata: { speaker: 'Šimon' },
      checksums: {
        md5: createHash('md5').update(bytes).digest('hex'),
        sha256: createHash('sha256').update(bytes).digest('hex'),
      },
    });
    expect(file.key).toMatch(new RegExp(`^/${user.id}/notes/2026/Short-note_\\d{8}T\\d{9}Z\\.wav$`));
    expect(file.urls.direct).toBeNull();
    expect(upload_info).toMatchObject({
      storage_region: 'local',
      compression_applied: false,
      scan: { engine: 'builtin', clean: true },
    });
    const got = await fetch(file.urls.download, { headers: bearer(user) });
    expect(Buffer.from(await got.arrayBuffer()).equals(bytes)).toBe(true);
    await user.client.call('deleteFile', { params: { fileKey: file.key } });
    expect(objectsIn(objects)).toEqual([]);
  });

  it('accepts fields after the file', async () => {
    const body = new FormData();
    body.set('file', new File(['a,b\n1,2\n'], 'table.csv'));
    body.set('folder', 'tables');
    body.set('public', 'true');
    const response = await post(body);
    expect(response.status).toBe(201);
    const { data } = (await response.json()) as { data: { file: { folder: string; public: boolean } } };
    expect(data.file).toMatchObject({ folder: 'tables', public: true });
  });

  it('is refused with the right code', async () => {
    const cases: [BodyInit, number, string][] = [
      [form('page.html', '<html></html>'), 415, 'unsupported_file_type'],
      [form('noext', 'text'), 415, 'unsupported_file_type'],
      [form('song.mp3', 'MZ\u0000\u0000this is no song'), 422, 'content_mismatch'],
      [form('a.txt', 'x', {}, 'image/png'), 422, 'content_mismatch'],
      [
        form('a.txt', `X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-${'STANDARD'}-ANTIVIRUS-TEST-FILE!$H+H*`),
        422,
        'infected_file',
      ],
      [form('a.txt', 'x', { folder: '../etc' }), 400, 'invalid_request'],
      [form('a.txt', 'x', { metadata: '[1]' }), 400, 'invalid_request'],
      [form('a.txt', 'x', { public: 'yes' }), 400, 'invalid_request'],
      [form('a.txt', 'x', { colour: 'red' }), 400, 'invalid_request'],
      [new FormData(), 400, 'invalid_request'],
    ];
    const before = objectsIn(objects);
    for (const [body, status, code] of cases) {
      expect(await errorOf(await post(body))).toMatchObject({ status, code });
    }
    expect(await errorOf(await post('{}', { 'content-type': 'application/json' }))).toMatchObject({
      status: 415,
      code: 'unsupported_media_type',
    });
    expect(objectsIn(objects)).toEqual(before);
  });
});
