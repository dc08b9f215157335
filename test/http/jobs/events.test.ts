import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { talk, tinyWav } from '../../support/audio.ts';
import { EventReader } from '../../support/event-reader.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { file, startUrlServer, type UrlServer } from '../../support/url-server.ts';

let server: TestServer;
let urls: UrlServer;

beforeAll(async () => {
  urls = await startUrlServer();
  urls.set('/short.wav', file(tinyWav()));
  urls.set('/long.wav', file(talk(60)));
  server = await startServer({ quick: true, model: 'starter-parakeet' });
});

afterAll(async () => {
  await discard(server);
  await urls.close();
});

const open = (key = server.key, lastEventId?: string) => EventReader.open(server.url, key, lastEventId);

const create = (path: string, wait = true) =>
  server.client.call('createTranscript', { body: { audio_url: urls.url(path), wait_until_complete: wait } });

describe('server-sent events', () => {
  it('begin with a snapshot of the processing jobs', async () => {
    await server.client.call('pauseQueue');
    const waiting = await create('/short.wav', false);
    const events = await open();
    const first = await events.next();
    expect(first).toMatchObject({ type: 'snapshot', data: { queue_paused: true, library_damaged: false } });
    expect(first.data.processing).toMatchObject([{ id: waiting.id, status: 'processing' }]);
    await server.client.call('resumeQueue');
    await events.waitFor('transcript.completed');
    events.close();
  });

  it('end at once for HEAD', async () => {
    const response = await server.fetch('/v1/events', { method: 'HEAD' });
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
    expect(await response.text()).toBe('');
  });

  it('follow a job from its creation to its end, with growing ids and a percent that never goes back', async () => {
    const events = await open();
    await events.waitFor('snapshot');
    const made = await create('/long.wav');
    const seen = await events.waitFor('transcript.completed');
    events.close();
    const ids = seen.map(({ id }) => Number(id));
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    expect(new Set(ids).size).toBe(ids.length);
    expect(seen[0]?.type).toBe('transcript.created');
    const progress = seen.filter(({ type }) => type === 'transcript.progress');
    const percents = progress.map(({ data }) => data.progress.percent);
    expect(percents.length).toBeGreaterThan(3);
    expect(percents).toEqual(percents.toSorted((a, b) => a - b));
    const partial = progress.flatMap(({ data }) => data.segments.map(({ text }) => text));
    expect(partial.join(' ')).toBe(made.text);
    for (const { data } of progress) expect(data.segments_from).toBeLessThanOrEqual(made.segments.length);
  });

  it('end at once when their key is revoked or rotated, or their user deleted, and others go on', async () => {
    const { data: user } = await server.client.call('createUser', { body: { name: 'Stream reader' } });
    const maria = server.as(user.key.key);
    const keys = await Promise.all(
      ['revoked', 'rotated'].map((name) => maria.call('createKey', { body: { name } })),
    );
    const [revoked, rotated] = keys.map(({ data }) => data);
    if (revoked === undefined || rotated === undefined) throw new Error('Two keys were made.');
    const [ofRevoked, ofRotated, ofDeleted, ofOwner] = await Promise.all(
      [revoked.key, rotated.key, user.key.key, server.key].map((key) => open(key)),
    );
    await maria.call('revokeKey', { params: { id: revoked.id } });
    await ofRevoked?.ended;
    await maria.call('rotateKey', { params: { id: rotated.id } });
    await ofRotated?.ended;
    await server.client.call('deleteUser', { params: { id: user.user.id } });
    await ofDeleted?.ended;
    await server.client.call('pauseQueue');
    await ofOwner?.waitFor('queue.changed');
    await server.client.call('resumeQueue');
    ofOwner?.close();
  });

  it('continue after Last-Event-ID without a gap', async () => {
    const events = await open();
    const [snapshot] = await events.waitFor('snapshot');
    const made = await create('/short.wav');
    const all = await events.waitFor('transcript.completed');
    events.close();
    const middle = all[1];
    const later = await open(server.key, middle?.id);
    const rest = await later.waitFor('transcript.completed');
    later.close();
    expect(rest).toEqual(all.slice(2));
    expect(rest.at(-1)?.data.transcript.id).toBe(made.id);
    expect(Number(snapshot?.id)).toBeLessThan(Number(all[0]?.id));
  });

  it('begin with a snapshot when the last event is no longer kept', async () => {
    const events = await open(server.key, '12');
    expect((await events.next()).type).toBe('snapshot');
    events.close();
  });

  it('never reach another user', async () => {
    const { data } = await server.client.call('createUser', { body: { name: 'listener' } });
    const events = await open(data.key.key);
    expect((await events.next()).data.processing).toEqual([]);
    const mine = await create('/missing.wav');
    await server.as(data.key.key).call('createTranscript', { body: { audio_url: urls.url('/short.wav') } });
    const seen = await events.waitFor('transcript.completed');
    events.close();
    expect(JSON.stringify(seen)).not.toContain(mine.id);
  });

  it('send a heartbeat while nothing happens', async () => {
    const events = await open();
    await until(() => events.heartbeats > 0);
    events.close();
    expect(events.heartbeats).toBe(1);
  });

  it('include deletions', async () => {
    const made = await create('/missing.wav');
    const events = await open();
    await events.waitFor('snapshot');
    await server.client.call('deleteTranscript', { params: { id: made.id } });
    expect((await events.waitFor('transcript.deleted')).at(-1)?.data).toEqual({ id: made.id });
    events.close();
  });
});
