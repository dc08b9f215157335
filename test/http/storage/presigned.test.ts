import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import type { PresignRequest } from '../../../electron/contract/storage.ts';
import { bearer, errorOf, freshStorage, newUser } from './support/client.ts';

const storage = await freshStorage();
const user = newUser(storage);
const presign = async (body: Partial<z.input<typeof PresignRequest>> = {}) =>
  (
    await user.client.call('presignUpload', {
      body: { filename: 'note.txt', contentType: 'text/plain', ...body },
    })
  ).data;
const put = (url: string, body: BodyInit, type = 'text/plain') =>
  fetch(url, { method: 'PUT', body, headers: { 'content-type': type } });

describe('a presigned upload', () => {
  it('stores a file without an API key, under the key that was announced', async () => {
    const metadata = { project: 'Šumava' };
    const planned = await presign({ filename: 'Můj záznam.txt', folder: 'in', public: true, metadata });
    expect(planned).toMatchObject({
      expiresIn: 3600,
      maxFileSize: 1024 ** 3,
      allowedContentTypes: ['text/plain'],
    });
    expect(planned.fileKey).toMatch(/\/in\/Můj-záznam_\d{8}T\d{9}Z\.txt$/);
    const missing = await fetch(`${storage.url}/v1/storage/file${planned.fileKey}`, {
      headers: bearer(user),
    });
    expect(await errorOf(missing)).toMatchObject({ status: 404, code: 'file_not_found' });
    const response = await put(planned.uploadUrl, 'dobrý den');
    expect(response.status).toBe(200);
    const { data } = (await response.json()) as {
      data: { fileKey: string; size: number; originalName: string };
    };
    expect(data).toMatchObject({ fileKey: planned.fileKey, size: 10, originalName: 'Můj záznam.txt' });
    const { data: listed } = await user.client.call('listFiles', { query: { folder: 'in' } });
    expect(listed.files).toMatchObject([{ key: planned.fileKey, public: true, metadata }]);
  });

  it('can be used once, even by two concurrent requests', async () => {
    const { uploadUrl } = await presign();
    const answers = await Promise.all([
      put(uploadUrl, 'one'),
      put(uploadUrl, 'two'),
      put(uploadUrl, 'three'),
    ]);
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409, 409]);
    expect(await errorOf(await put(uploadUrl, 'late'))).toMatchObject({ status: 409, code: 'already_used' });
  });

  it('can be used again after a failed upload', async () => {
    const { uploadUrl } = await presign({ fileSize: 4 });
    expect(await errorOf(await put(uploadUrl, '12345'))).toMatchObject({
      status: 413,
      code: 'file_too_large',
    });
    expect(await errorOf(await put(uploadUrl, '1', 'audio/mpeg'))).toMatchObject({
      status: 415,
      code: 'unsupported_media_type',
    });
    expect((await put(uploadUrl, '1234', 'Text/Plain; charset=utf-8')).status).toBe(200);
  });

  it('refuses a stream that exceeds the limit', async () => {
    const { uploadUrl } = await presign({ fileSize: 1000 });
    const stream = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(600));
      },
    });
    const init: RequestInit & { duplex: 'half' } = {
      method: 'PUT',
      body: stream,
      duplex: 'half',
      headers: { 'content-type': 'text/plain' },
    };
    expect(await errorOf(await fetch(uploadUrl, init))).toMatchObject({
      status: 413,
      code: 'file_too_large',
    });
  });

  it('is checked and scanned like any upload', async () => {
    const { uploadUrl } = await presign({ filename: 'a.mp3', contentType: 'audio/mpeg' });
    const exe = Buffer.concat([Buffer.from('MZ'), Buffer.alloc(500)]);
    expect(await errorOf(await put(uploadUrl, exe, 'audio/mpeg'))).toMatchObject({
      status: 422,
      code: 'content_mismatch',
    });
    const mp3 = readFileSync('test/fixtures/audio/02-two-speakers.mp3');
    expect((await put(uploadUrl, mp3, 'audio/mpeg')).status).toBe(200);
  });

  it('is not signed for an unsupported name or type', async () => {
    await expect(
      presign({ filename: 'a.exe', contentType: 'application/x-msdownload' }),
    ).rejects.toMatchObject({
      status: 415,
      code: 'unsupported_file_type',
    });
    await expect(presign({ folder: 'a/../b' })).rejects.toMatchObject({ status: 400 });
    await expect(presign({ fileSize: 1024 ** 3 + 1 })).rejects.toMatchObject({ status: 400 });
  });

  it('never shares a key with a concurrent one', async () => {
    const count = 50;
    const planned = await Promise.all(Array.from({ length: count }, () => presign()));
    expect(new Set(planned.map(({ fileKey }) => fileKey)).size).toBe(count);
  });

  it('is refused when any character of its token is altered', async () => {
    const { uploadUrl } = await presign();
    const at = uploadUrl.lastIndexOf('/') + 1;
    const token = uploadUrl.slice(at);
    const statuses = new Map<string, number>();
    // From the last one on, of which the decoder does not need every bit, every fourth.
    const step = 4;
    for (let i = token.length - 1; i >= 0; i -= step) {
      const other = token[i] === 'A' ? 'B' : 'A';
      const altered = `${uploadUrl.slice(0, at)}${token.slice(0, i)}${other}${token.slice(i + 1)}`;
      const { status, code } = await errorOf(await put(altered, 'x'));
      statuses.set(`${status} ${code}`, (statuses.get(`${status} ${code}`) ?? 0) + 1);
    }
    expect([...statuses]).toEqual([['403 signature_invalid', Math.ceil(token.length / step)]]);
    for (const extra of ['=', '.', '%20', 'A']) {
      expect((await put(uploadUrl + extra, 'x')).status).toBe(403);
    }
    expect((await put(uploadUrl, 'x')).status).toBe(200);
  });

  it('expires', async () => {
    const { uploadUrl } = await presign();
    const claim = storage.files.signer.peek(uploadUrl.slice(uploadUrl.lastIndexOf('/') + 1));
    if (claim === undefined) throw new Error('The token is not readable.');
    const late = storage.files.signer.sign({ ...claim, expires: Date.now() - 1 });
    expect(await errorOf(await put(`${storage.url}/v1/storage/presigned/${late}`, 'x'))).toMatchObject({
      status: 403,
      code: 'signature_expired',
    });
    const reading = await fetch(uploadUrl);
    expect(await errorOf(reading)).toMatchObject({ status: 403, code: 'signature_invalid' });
  });
});
