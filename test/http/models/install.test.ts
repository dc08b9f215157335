import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EventReader } from '../../support/event-reader.ts';
import {
  catalogueLine,
  find,
  forget,
  install,
  modelPath,
  settled,
  starterBytes,
} from '../../support/model-mirror.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import {
  endless,
  file,
  redirect,
  stall,
  startUrlServer,
  status,
  type UrlServer,
} from '../../support/url-server.ts';

const ID = 'tiny';
const PATH = `/mirror/ggml-${ID}.bin`;

let server: TestServer;
let mirror: UrlServer;
let model: Buffer;

const seen = () => mirror.requests.filter(({ path }) => path === PATH);
const leftOver = () => readdirSync(join(server.dataDir, 'models'));

beforeAll(async () => {
  model = starterBytes();
  mirror = await startUrlServer();
  // Private addresses stay forbidden: the mirror is allowed because the settings name it.
  server = await startServer({ args: [] });
  await server.client.call('patchSettings', {
    body: {
      'limits.requestsPerMinute': 0,
      'models.baseUrl': mirror.url('/mirror/'),
      'models.catalogue': [
        catalogueLine(ID, model),
        `vast ${2 ** 49} ${'0'.repeat(64)}`,
        catalogueLine('lying', model, 'ab'.repeat(32)),
      ],
    },
  });
});

afterEach(async () => {
  forget(server, ID);
  mirror.requests.length = 0;
});

afterAll(async () => {
  await discard(server);
  await mirror.close();
});

describe('installing a model', () => {
  it('downloads and verifies it, and reports progress', async () => {
    mirror.set(PATH, file(model));
    const events = await EventReader.open(server.url, server.key);
    await events.waitFor('snapshot');
    const response = await server.fetch(`/v1/models/${ID}/install`, { method: 'POST' });
    expect(response.status).toBe(202);
    expect(await response.json()).toMatchObject({
      data: { id: ID, installed: false, download: { state: 'downloading', total: model.length } },
    });
    const states = [];
    for (let state = ''; state !== 'installed'; ) {
      const { data } = (await events.waitFor('model.progress')).at(-1) ?? { data: { state: 'installed' } };
      state = data.state;
      states.push(state);
    }
    events.close();
    expect(new Set(states)).toEqual(new Set(['downloading', 'installed']));
    expect(await find(server, ID)).toMatchObject({ installed: true, download: null, size: model.length });
    expect(leftOver()).toEqual([`ggml-${ID}.bin`]);
    const again = await server.fetch(`/v1/models/${ID}/install`, { method: 'POST' });
    expect(again.status).toBe(200);
  });

  it('resumes after broken connections without fetching anything twice', async () => {
    mirror.set(PATH, file(model, { cutEvery: 9_000_000 }));
    const before = mirror.bytesSent();
    expect(await install(server, ID)).toMatchObject({ installed: true, download: null });
    const starts = seen().map(({ headers }) => Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0));
    expect(starts).toHaveLength(4);
    expect(starts).toEqual(starts.toSorted((a, b) => a - b));
    // Only what was still in the buffers of a broken connection is sent again.
    expect(mirror.bytesSent() - before).toBeLessThan(model.length + 1_000_000);
  });

  it('shares one download between two requests', async () => {
    mirror.set(PATH, file(model));
    const params = { id: ID };
    await Promise.all([
      server.client.call('installModel', { params }),
      server.client.call('installModel', { params }),
    ]);
    expect((await settled(server, ID)).installed).toBe(true);
    expect(seen()).toHaveLength(1);
  });

  it('accepts an alias', async () => {
    mirror.set(PATH, file(model));
    await server.client.call('patchSettings', { body: { 'models.aliases.mini': ID } });
    const { data } = await server.client.call('installModel', { params: { id: 'mini' } });
    expect(data).toMatchObject({ id: ID, aliases: ['mini'] });
    expect((await settled(server, ID)).installed).toBe(true);
    await server.client.call('patchSettings', { body: { 'models.aliases.mini': null } });
  });
});

describe('a failed download never becomes a model', () => {
  const failed = async (id: string, error: RegExp) => {
    const found = await install(server, id);
    expect(found).toMatchObject({ installed: false, download: { state: 'failed' } });
    expect(found.download?.error).toMatch(error);
    expect(existsSync(modelPath(server, id))).toBe(false);
    return found;
  };

  it('with a wrong checksum', async () => {
    mirror.set('/mirror/ggml-lying.bin', file(model));
    await failed('lying', /is not lying: its SHA-256 is f5b1625e248b…, and abababababab… is right/);
    expect(leftOver()).toEqual([]);
  });

  it('with one byte changed, and succeeds when repeated', async () => {
    const changed = Buffer.from(model);
    changed.writeUInt8(changed.readUInt8(20_000_000) ^ 1, 20_000_000);
    mirror.set(PATH, file(changed));
    await failed(ID, /SHA-256/);
    expect(leftOver()).toEqual([]);
    mirror.set(PATH, file(model));
    expect((await install(server, ID)).installed).toBe(true);
  });

  it('if the server announces another length', async () => {
    mirror.set(PATH, file(model, { announcedLength: model.length * 4 }));
    await failed(ID, /larger than the model/);
    mirror.set(PATH, file(model.subarray(0, 1_000_000)));
    await failed(ID, /it has 976.56 KB, and the model has 27.63 MB/);
    expect(leftOver()).toEqual([]);
  });

  it('if the server never stops sending', async () => {
    mirror.set(PATH, endless());
    await failed(ID, /larger than the model/);
  });

  it('if the server has no such file', async () => {
    mirror.set(PATH, status(404));
    await failed(ID, /404|not found|nothing/i);
  });

  it('if the mirror redirects to a private address', async () => {
    const other = await startUrlServer();
    mirror.set(PATH, redirect(other.set('/x.bin', file(model))));
    await failed(ID, /not an address of the public internet/);
    expect(other.requests).toEqual([]);
    await other.close();
  });

  it('if the disk has no room for it', async () => {
    const response = await server.fetch('/v1/models/vast/install', { method: 'POST' });
    expect(response.status).toBe(507);
    expect(await response.json()).toMatchObject({ code: 'disk_full' });
    expect((await find(server, 'vast')).download).toBeNull();
  });

  it('in offline mode, with that reason', async () => {
    await server.client.call('patchSettings', { body: { 'network.offline': true } });
    await failed(ID, /Offline mode/);
    await server.client.call('patchSettings', { body: { 'network.offline': null } });
    await server.client.call('removeModel', { params: { id: ID } });
  });

  it('and audio still cannot be fetched from the mirror', async () => {
    const job = await server.client.call('createTranscript', {
      body: { audio_url: mirror.url('/a.wav'), model: 'mini', wait_until_complete: true },
    });
    expect(job.error?.code).toBe('address_not_allowed');
  });
});

describe('pausing and cancelling', () => {
  const started = async () => {
    mirror.set(PATH, (request, response) => {
      response.writeHead(200, { etag: '"one"', 'content-length': String(model.length) });
      if (request.headers.range === undefined) response.write(model.subarray(0, 12_000_000));
    });
    await server.client.call('installModel', { params: { id: ID } });
    await until(async () => ((await find(server, ID)).download?.received ?? 0) === 12_000_000);
  };

  it('pauses and resumes', async () => {
    await started();
    const { data } = await server.client.call('pauseModel', { params: { id: ID } });
    expect(data.download).toMatchObject({ state: 'paused', received: 12_000_000, error: null });
    await expect(server.client.call('pauseModel', { params: { id: ID } })).rejects.toMatchObject({
      status: 409,
    });
    mirror.set(PATH, file(model, { etag: '"one"' }));
    expect((await install(server, ID)).installed).toBe(true);
    expect(seen().map(({ headers }) => headers.range)).toEqual([undefined, 'bytes=12000000-']);
  });

  it('cancels without leaving a file', async () => {
    await started();
    const { message } = await server.client.call('removeModel', { params: { id: ID } });
    expect(message).toMatch(/cancelled/);
    expect(leftOver()).toEqual([]);
    expect(await find(server, ID)).toMatchObject({ installed: false, download: null });
  });

  it('ends a stalled download after the configured time', async () => {
    await server.client.call('patchSettings', { body: { 'network.stallSeconds': 1 } });
    mirror.set(PATH, stall(model, 1_000_000));
    expect((await install(server, ID)).download).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('sent nothing for 1 seconds'),
    });
    await server.client.call('patchSettings', { body: { 'network.stallSeconds': null } });
    await server.client.call('removeModel', { params: { id: ID } });
  });
});

describe('removing a model', () => {
  it('deletes the file', async () => {
    mirror.set(PATH, file(model));
    await install(server, ID);
    const { message } = await server.client.call('removeModel', { params: { id: ID } });
    expect(message).toBe('tiny is removed.');
    expect(leftOver()).toEqual([]);
    await expect(server.client.call('removeModel', { params: { id: ID } })).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
  });

  it('rejects a bundled and an unknown model', async () => {
    const remove = (id: string) => server.client.call('removeModel', { params: { id } });
    await expect(remove('base-q8_0')).rejects.toMatchObject({ status: 409 });
    await expect(remove('none-such')).rejects.toMatchObject({ status: 404 });
    await expect(remove('../../earshot')).rejects.toMatchObject({ status: 404 });
    const install = (id: string) => server.client.call('installModel', { params: { id } });
    await expect(install('none-such')).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
  });

  it("requires the owner's key, as installing does", async () => {
    const made = await server.client.call('createUser', { body: { name: 'Guest' } });
    const guest = server.as(made.data.key.key);
    const params = { id: ID };
    for (const call of [
      () => guest.call('installModel', { params }),
      () => guest.call('pauseModel', { params }),
      () => guest.call('removeModel', { params }),
      () => guest.call('benchmarkModel', { params }),
      () => guest.call('importModel', { body: { path: '/etc/passwd' } }),
    ]) {
      await expect(call()).rejects.toMatchObject({ status: 403, code: 'forbidden' });
    }
    const { data } = await guest.call('listModels', { query: { catalog: true } });
    expect(data.length).toBeGreaterThan(10);
  });
});
