import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oneSentence } from '../../support/audio.ts';
import { discard, SYNTHETIC, startServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { file, startUrlServer, type UrlServer } from '../../support/url-server.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';

const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes, it').toString('base64')}`;
/** Private addresses are allowed by a setting, which a test takes back. */
const OPTIONS = {
  args: [...SYNTHETIC],
  model: 'starter-parakeet',
  env: { EARSHOT_TEST_WAITS: '{"webhookRetrySeconds":[1,1,1]}' },
} as const;

let server: TestServer;
let urls: UrlServer;
let receiver: WebhookReceiver;

const settle = (id: string, count: number) =>
  until(async () => {
    const { data } = await server.client.call('listDeliveries', { params: { id } });
    const [first] = data;
    return first !== undefined && first.state !== 'pending' && data.length >= count ? data : undefined;
  });

beforeAll(async () => {
  urls = await startUrlServer();
  urls.set('/note.wav', file(oneSentence()));
  receiver = await startWebhookReceiver();
  server = await startServer({ ...OPTIONS, quick: true });
  await server.client.call('patchSettings', {
    body: { 'network.allowPrivateAddresses': true },
  });
});

afterAll(async () => {
  await discard(server);
  await urls.close();
  await receiver.close();
});

/** Of a job that fails at once, unless a test says otherwise: its delivery is as one of a transcription. */
const create = (webhook: string, extra: object = {}) =>
  server.client.call('createTranscript', {
    body: {
      audio_url: urls.url('/missing.wav'),
      webhook_url: webhook,
      webhook_secret: SECRET,
      wait_until_complete: true,
      ...extra,
    },
  });

let note: ReturnType<typeof create> | undefined;
/** A transcription whose delivery and log two tests look at. */
const createNote = () => (note ??= create(receiver.url('/good'), { audio_url: urls.url('/note.wav') }));

describe('webhooks', () => {
  it('delivers a finished transcription, signed as in Standard Webhooks', async () => {
    const made = await createNote();
    const [delivery] = await settle(made.id, 1);
    expect(delivery).toMatchObject({ type: 'transcript.completed', state: 'delivered' });
    expect(delivery?.attempts).toMatchObject([{ status: 204, error: null }]);
    const [request] = receiver.requests('/good');
    const body = new Webhook(SECRET).verify(request?.body ?? '', request?.headers ?? {});
    expect(body).toMatchObject({
      type: 'transcript.completed',
      data: { id: made.id, status: 'completed', text: made.text },
    });
    expect(request?.headers['webhook-id']).toBe(delivery?.id);
    expect(request?.headers['content-type']).toBe('application/json');
  });

  it('accepts a secret of any form, and does not sign without one', async () => {
    await create(receiver.url('/plain'), { webhook_secret: 'plain text' });
    await create(receiver.url('/none'), { webhook_secret: undefined });
    const plain = await until(() => receiver.requests('/plain')[0]);
    new Webhook('plain text', { format: 'raw' }).verify(plain.body, plain.headers);
    const none = await until(() => receiver.requests('/none')[0]);
    expect(none.headers).not.toHaveProperty('webhook-signature');
  });

  it('delivers a failure, and retries after anything but 2xx under the same id', async () => {
    receiver.answer('/flaky', [500, 302, 200]);
    const made = await create(receiver.url('/flaky'));
    const [delivery] = await settle(made.id, 1);
    expect(delivery).toMatchObject({ type: 'transcript.failed', state: 'delivered' });
    expect(delivery?.attempts.map(({ status }) => status)).toEqual([500, 302, 200]);
    const ids = receiver.requests('/flaky').map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(1);
  });

  it('gives up after the last retry', async () => {
    receiver.answer('/never', [500, 500, 500, 500, 500]);
    const made = await create(receiver.url('/never'));
    const [delivery] = await settle(made.id, 1);
    expect(delivery).toMatchObject({ state: 'failed', next_attempt_at: null });
    expect(delivery?.attempts).toHaveLength(4);
  });

  it('resumes after a restart and after SIGKILL', async () => {
    receiver.answer('/later', [503, 200]);
    const made = await create(receiver.url('/later'));
    await until(() => receiver.requests('/later')[0]);
    await server.kill();
    server = await startServer({ ...OPTIONS, dataDir: server.dataDir });
    const [delivery] = await settle(made.id, 1);
    expect(delivery?.state).toBe('delivered');
    expect(delivery?.attempts.at(-1)?.status).toBe(200);
  });

  it('lists the latest of all transcriptions, and only to their user', async () => {
    const made = await create(receiver.url('/listed'));
    const [delivery] = await settle(made.id, 1);
    const { data } = await server.client.call('recentDeliveries', { query: { limit: 2 } });
    expect(data).toHaveLength(2);
    expect(data[0]).toEqual({ ...delivery, transcript_id: made.id, transcript_name: made.name });
    const { data: other } = await server.client.call('createUser', { body: { name: 'other' } });
    expect((await server.as(other.key.key).call('recentDeliveries')).data).toEqual([]);
  });

  it('sends a test once', async () => {
    receiver.answer('/test', [200, 418]);
    const made = await create(receiver.url('/test'));
    await settle(made.id, 1);
    const { data } = await server.client.call('testDelivery', { params: { id: made.id } });
    expect(data).toMatchObject({ type: 'transcript.test', state: 'failed' });
    expect(data.attempts).toMatchObject([{ status: 418 }]);
    expect(await settle(made.id, 2)).toHaveLength(2);
  });

  it('does not connect to private addresses unless they are allowed', async () => {
    await server.client.call('patchSettings', {
      body: { 'network.allowPrivateAddresses': null },
    });
    const made = await create(receiver.url('/private'), { audio_url: urls.url('/note.wav') });
    expect(made.error?.code).toBe('address_not_allowed');
    const data = await until(async () => {
      const list = await server.client.call('listDeliveries', { params: { id: made.id } });
      return list.data[0]?.state === 'failed' ? list.data : undefined;
    });
    expect(data[0]?.attempts[0]?.error).toMatch(/private|address/i);
    expect(receiver.requests('/private')).toHaveLength(0);
    await server.client.call('patchSettings', { body: { 'network.allowPrivateAddresses': true } });
  });

  it('logs neither secrets nor text', async () => {
    const made = await createNote();
    await settle(made.id, 1);
    const log = await server.log();
    expect(log).not.toContain(SECRET);
    expect(log).not.toContain(made.text.slice(0, 30));
    expect(log).toContain('Webhook sent');
  });

  it('lists outbound connections for the owner, and makes none while offline', async () => {
    const { data } = await server.client.call('listConnections');
    expect(new Set(data.map(({ purpose }) => purpose))).toEqual(new Set(['audio', 'webhook']));
    const audio = data.find(({ purpose, error }) => purpose === 'audio' && error === null);
    expect(audio).toMatchObject({ host: `127.0.0.1:${urls.port}`, address: '127.0.0.1' });
    await server.client.call('patchSettings', { body: { 'network.offline': true } });
    const before = urls.requests.length;
    const made = await create(receiver.url('/offline'));
    expect(made.error?.code).toBe('offline');
    expect(urls.requests.length).toBe(before);
    await server.client.call('patchSettings', { body: { 'network.offline': false } });
  });
});
