import { readFileSync } from 'node:fs';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CreateTranscript } from '../../../electron/contract/transcript.ts';
import { catalogueLine, find, install } from '../../support/model-mirror.ts';
import { discard, QUICK, startServer, type TestServer } from '../../support/server.ts';
import { speakerModels } from '../../support/speaker-models.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { transcribe } from '../../support/transcribe.ts';
import { file, startUrlServer, type UrlServer } from '../../support/url-server.ts';

const embedding = readFileSync(speakerModels.embedding);

let server: TestServer;
let remote: UrlServer;

beforeAll(async () => {
  [server, remote] = await Promise.all([startServer(), startUrlServer()]);
  remote.set('/mirror/embedding-copy.onnx', file(embedding));
  remote.set('/mirror/segmentation-wrong.onnx', file(embedding));
  remote.set('/mirror/embedding-cut.onnx', file(embedding.subarray(0, 400_000)));
  await server.client.call('patchSettings', {
    body: {
      ...QUICK,
      'models.baseUrl': remote.url('/mirror/'),
      'models.catalogue': [
        catalogueLine('embedding-copy', embedding),
        catalogueLine('segmentation-wrong', embedding),
        catalogueLine('embedding-cut', embedding.subarray(0, 400_000)),
      ],
    },
  });
});
afterAll(async () => {
  await Promise.all([discard(server), remote.close()]);
});

const importModel = (path: string, id?: string) =>
  server.client.call('importModel', { body: { path, ...(id === undefined ? {} : { id }) } });

describe('speaker models', () => {
  it('are listed with their purpose and their files', async () => {
    const { data } = await server.client.call('listModels', { query: { catalog: true } });
    const speakers = data.filter((model) => model.kind === 'speakers');
    expect(speakers.filter((model) => model.bundled).map((model) => model.id)).toEqual([
      'segmentation-pyannote-3.0-small',
      'embedding-campplus-zh-en-small',
    ]);
    for (const { id, part, sha256 } of speakers) {
      expect(id.startsWith(`${part}-`)).toBe(true);
      expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    }
    expect(data.find((model) => model.id === 'base-q8_0')).toMatchObject({ kind: 'whisper', part: null });
  });

  it('are installed from a mirror, and used when the settings name them', async () => {
    expect(await install(server, 'embedding-copy')).toMatchObject({ installed: true, part: 'embedding' });
    await server.client.call('patchSettings', { body: { 'speakers.embedding': 'embedding-copy' } });
    const audio_end_at = 8;
    const model = 'starter-parakeet';
    const t = await transcribe(server, remote, '12-moderation.webm', { diarize: true, model, audio_end_at });
    expect(Object.keys(t.speakers ?? {})).toEqual(['A', 'B']);
    await server.client.call('patchTranscript', {
      params: { id: t.id },
      body: { speakers: { A: { name: 'Maria', remember: true } } },
    });
    const { data } = await server.client.call('listVoices');
    expect(data).toMatchObject([{ name: 'Maria', model: 'embedding-copy', comparable: true }]);
    await server.client.call('patchSettings', { body: { 'speakers.embedding': null } });
    const { data: kept } = await server.client.call('listVoices');
    expect(kept).toMatchObject([{ name: 'Maria', model: 'embedding-copy', comparable: false }]);
    await server.client.call('removeModel', { params: { id: 'embedding-copy' } });
    expect((await find(server, 'embedding-copy')).installed).toBe(false);
  });

  it('are rejected if the file is another kind of model or truncated', async () => {
    const wrong = await install(server, 'segmentation-wrong');
    expect(wrong).toMatchObject({ installed: false, download: { state: 'failed' } });
    expect(wrong.download?.error).toContain('holds no segmentation model');
    const cut = await install(server, 'embedding-cut');
    expect(cut).toMatchObject({ installed: false, download: { state: 'failed' } });
  });

  it('are imported under an id that states their purpose', async () => {
    const copy = join(temporaryFolder(), 'voices.onnx');
    await copyFile(speakerModels.embedding, copy);
    const { data } = await importModel(copy);
    expect(data).toMatchObject({ id: 'embedding-voices', kind: 'speakers' });
    await expect(importModel(speakerModels.embedding, 'mine')).rejects.toMatchObject({ status: 400 });
    await expect(importModel(speakerModels.segmentation, 'embedding-mine')).rejects.toMatchObject({
      status: 422,
    });
    const path = temporaryFolder();
    await writeFile(join(path, 'page.onnx'), '<!doctype html>');
    await expect(importModel(join(path, 'page.onnx'), 'embedding-page')).rejects.toMatchObject({
      status: 422,
    });
  });

  it('are not transcription models, and bundled ones cannot be removed', async () => {
    const body = CreateTranscript.parse({
      audio_url: remote.url('/x.wav'),
      model: 'embedding-campplus-zh-en-small',
    });
    await expect(server.client.call('createTranscript', { body })).rejects.toMatchObject({
      status: 400,
    });
    await expect(
      server.client.call('removeModel', { params: { id: 'embedding-campplus-zh-en-small' } }),
    ).rejects.toMatchObject({ status: 409 });
  });
});
