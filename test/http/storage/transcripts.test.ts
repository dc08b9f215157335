import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { discard, startServer, type TestServer } from '../../support/server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startServer({ quick: true, model: 'starter-parakeet' });
});
afterAll(() => discard(server));

describe('a transcript of a stored file', () => {
  it('is made from the stored file, and keeps its text when the file is deleted', async () => {
    const form = new FormData();
    form.set(
      'file',
      new File([new Uint8Array(readFileSync('test/fixtures/audio/00-one-sentence.wav'))], 'note.wav'),
    );
    const { data } = await server.client.call('uploadFile', { body: form });
    const { key, urls } = data.file;
    for (const audio_url of [urls.download, `storage:${key}`]) {
      const made = await server.client.call('createTranscript', {
        body: { audio_url, wait_until_complete: true },
      });
      expect([made.status, made.name]).toEqual(['completed', 'note.wav']);
      expect(made.text.length).toBeGreaterThan(0);
    }
    const { data: before } = await server.client.call('listTranscripts');
    const { data: made } = await server.client.call('listTranscripts', { query: { file_key: key } });
    expect(made.pagination.total).toBe(2);
    await server.client.call('deleteFile', { params: { fileKey: key } });
    const { data: none } = await server.client.call('listTranscripts', { query: { file_key: key } });
    expect(none).toMatchObject({ transcriptions: [], pagination: { total: 0 } });
    const { data: after } = await server.client.call('listTranscripts');
    expect(after.transcriptions.map(({ text }) => text)).toEqual(
      before.transcriptions.map(({ text }) => text),
    );
    for (const { id } of after.transcriptions) {
      const kept = await server.client.call('getTranscript', { params: { id } });
      expect(kept.warnings?.at(-1)).toContain('was deleted, and its audio with it');
      expect((await server.fetch(`/v1/transcript/id/${id}/audio`)).status).toBe(404);
    }
    const refused = server.client.call('createTranscript', { body: { audio_url: `storage:${key}` } });
    await expect(refused).rejects.toMatchObject({ status: 404, code: 'file_not_found' });
  });
});
