import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { routes } from '../../electron/contract/routes.ts';
import { concatSamples } from '../../electron/core/base/audio.ts';
import { SPEECH_FIXTURES } from '../support/paths.ts';
import { filePcm } from '../support/pcm.ts';
import { RealtimeClient } from '../support/realtime.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { wordErrorRate } from '../support/word-error-rate.ts';

const SAID =
  'The invention of movable metal letters in the middle of the fifteenth century may justly be considered as the invention of the art of printing.';
/** Of 25 words, those that a quick look at half a sentence may get wrong. */
const MAX_WER = 0.2;

const silence = (seconds: number) => new Float32Array(16_000 * seconds);
let printing: Float32Array;
let server: TestServer;

beforeAll(async () => {
  printing = filePcm(`${SPEECH_FIXTURES}/en-printing.flac`);
  server = await startServer({ args: [] });
});

afterAll(() => discard(server));

const finished = (id: string) =>
  until(async () => {
    const transcript = await server.client.call('getTranscript', { params: { id } });
    return transcript.status === 'processing' ? undefined : transcript;
  });

const started = async (options: Record<string, unknown> = {}) => {
  const client = await RealtimeClient.open(server);
  client.say({ type: 'start', language: 'en', ...options });
  return { client, id: (await client.next('session.started')).session_id };
};

const errorRate = (words: string): number => wordErrorRate(SAID, words.replace('15th', 'fifteenth'));

describe('a live session', () => {
  it('commits words as they are said, keeps them, and hears all of it again at the end', async () => {
    const { client, id } = await started();
    const pcm = concatSamples([silence(1), printing, silence(2)]);
    await client.speak(pcm);
    await client.next('turn.ended');
    const growing = await server.client.call('getTranscript', { params: { id } });
    expect(growing.progress?.stage).toBe('listening');
    client.say({ type: 'finish' });
    const ended = await client.next('session.ended');
    expect(ended).toMatchObject({ session_id: id, reason: 'finished', finalize: 'batch', kept: true });
    expect(ended.duration).toBeCloseTo(pcm.length / 16_000, 1);
    expect(await client.closed).toMatchObject({ code: 1000 });

    const turns = client.of('turn.ended');
    expect(turns.flatMap(({ words }) => words.map(({ word }) => word))).toEqual(client.committed);
    expect(errorRate(client.committed.join(' '))).toBeLessThanOrEqual(MAX_WER);
    const numbered = client.messages.flatMap((message) => ('seq' in message ? [message.seq] : []));
    expect(numbered).toEqual(numbered.map((_, index) => index + 1));
    const words = client.of('words.committed').flatMap((message) => message.words);
    expect(words[0]?.start).toBeGreaterThan(0.7);
    for (const [index, word] of words.entries()) {
      expect(word.start).toBeGreaterThanOrEqual(words[index - 1]?.end ?? 0);
      expect(word.language).toBe('en');
    }
    expect(client.of('audio.saved').at(-1)?.samples).toBe(pcm.length);

    const transcript = await finished(id);
    expect(transcript).toMatchObject({ status: 'completed', audio_url: 'live:', language: 'en' });
    expect(errorRate(transcript.text)).toBeLessThanOrEqual(0.1);
    const audio = await server.fetch(`/v1/transcript/id/${id}/audio`);
    expect((await audio.arrayBuffer()).byteLength).toBe(44 + 2 * pcm.length);
  });

  it('keeps the live text as it was with finalize none, in subtitles, too', async () => {
    const { client, id } = await started({ finalize: 'none' });
    await client.speak(concatSamples([printing, silence(1.5)]));
    await client.next('turn.ended');
    const captions = await until(async () => {
      const text = await (await server.fetch(`/v1/realtime/${id}/captions.vtt`)).text();
      return text.includes('-->') ? text : undefined;
    });
    expect(captions).toMatch(/^WEBVTT/);
    client.say({ type: 'finish' });
    await client.next('session.ended');
    const transcript = await finished(id);
    expect(transcript.status).toBe('completed');
    expect(transcript.text).toBe(
      client
        .of('turn.ended')
        .map(({ text }) => text)
        .join(' '),
    );
    expect(transcript.duration).toBeCloseTo(printing.length / 16_000 + 1.5, 1);
    const { data } = await server.client.call('transcriptPeaks', { params: { id }, query: {} });
    expect(Math.max(...data.max)).toBeGreaterThan(0.05);
  });

  it('takes audio at other rates and in floating point', async () => {
    const { client } = await started({ finalize: 'none', sample_rate: 32_000, encoding: 'pcm_f32le' });
    const doubled = Float32Array.from({ length: 2 * printing.length }, (_, index) => {
      const [a = 0, b = 0] = [printing[index >> 1], printing[(index >> 1) + (index & 1)]];
      return (a + b) / 2;
    });
    const bytes = Buffer.from(doubled.buffer);
    // Not at the borders of samples.
    for (let at = 0; at < bytes.length; at += 9999) client.socket.send(bytes.subarray(at, at + 9999));
    client.say({ type: 'finish' });
    await client.next('session.ended');
    expect(errorRate(client.committed.join(' '))).toBeLessThanOrEqual(MAX_WER);
  });

  it('goes on after a cut connection, without losing or doubling a word', async () => {
    const { client, id } = await started({ finalize: 'none' });
    const pcm = concatSamples([printing, silence(1)]);
    await client.speak(pcm.subarray(0, 5 * 16_000));
    // Whether words are committed already depends on how fast the machine is.
    await client.next('speech.started');
    client.socket.terminate();
    const after = client.messages.reduce((most, message) => ('seq' in message ? message.seq : most), 0);
    const saved = client.of('audio.saved').at(-1)?.samples ?? 0;

    const second = await RealtimeClient.open(server);
    second.say({ type: 'reconnect', session_id: id, after });
    const { received } = await second.next('session.reconnected');
    expect(received).toBeGreaterThanOrEqual(saved);
    await second.speak(pcm.subarray(received));
    second.say({ type: 'finish' });
    await second.next('session.ended');
    const words = [...client.committed, ...second.committed];
    expect(errorRate(words.join(' '))).toBeLessThanOrEqual(MAX_WER);
    const numbered = [...client.messages, ...second.messages].flatMap((m) => ('seq' in m ? [m.seq] : []));
    expect(numbered).toEqual(numbered.map((_, index) => index + 1));
    expect((await finished(id)).text).toBe(words.join(' '));
  });

  it('hears no word in silence, and keeps nothing of a session without audio', async () => {
    const quiet = await started({ finalize: 'none' });
    await quiet.client.speak(silence(20));
    quiet.client.say({ type: 'finish' });
    await quiet.client.next('session.ended');
    expect(quiet.client.committed).toEqual([]);
    expect(await finished(quiet.id)).toMatchObject({ status: 'completed', text: '' });
    const empty = await started();
    empty.client.say({ type: 'finish' });
    expect(await empty.client.next('session.ended')).toMatchObject({ kept: false });
    await expect(server.client.call('getTranscript', { params: { id: empty.id } })).rejects.toMatchObject({
      code: 'transcript_not_found',
    });
  });

  it('ends a turn at flush, and takes no audio while paused for silence', async () => {
    const { client } = await started({ finalize: 'none', pause: 10 });
    await client.speak(printing.subarray(0, 5 * 16_000));
    client.say({ type: 'flush' });
    await client.next('turn.ended');
    client.say({ type: 'pause' });
    client.say({ type: 'resume' });
    await client.speak(printing.subarray(5 * 16_000));
    client.say({ type: 'finish' });
    await client.next('session.ended');
    expect(client.of('turn.ended')).toHaveLength(2);
  });

  it('survives kill -9 as a transcript with its audio, which the next start finishes', async () => {
    const { client, id } = await started();
    await client.speak(printing);
    const { samples } = await client.next('audio.saved', (saved) => saved.samples >= printing.length);
    await server.kill();
    server = await startServer({ args: [], dataDir: server.dataDir });
    const transcript = await finished(id);
    expect(transcript.status).toBe('completed');
    expect(transcript.duration).toBeCloseTo(samples / 16_000, 1);
    expect(errorRate(transcript.text)).toBeLessThanOrEqual(0.1);
  });
});

describe('the AsyncAPI document', () => {
  it('describes every message of a session, in both directions, and no other', async () => {
    const document = z
      .object({
        channels: z.object({
          realtime: z.object({ address: z.string(), messages: z.record(z.string(), z.json()) }),
        }),
        components: z.object({
          messages: z.record(z.string(), z.object({ payload: z.record(z.string(), z.json()) })),
        }),
      })
      .parse(await (await server.fetch('/asyncapi.json')).json());
    const { messages } = document.components;
    expect(document.channels.realtime.address).toBe(routes.realtime.path);
    expect(Object.keys(messages).toSorted()).toEqual(
      Object.keys(document.channels.realtime.messages).toSorted(),
    );
    const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true } });
    const check = (message: { readonly type: string }) => {
      const payload = messages[message.type]?.payload;
      expect(payload, message.type).toBeDefined();
      expect(ajv.validate(payload ?? {}, message), `${JSON.stringify(message)}: ${ajv.errorsText()}`).toBe(
        true,
      );
    };
    const { client } = await started({ finalize: 'none', vocabulary: ['metal letters'], pause: 0.5 });
    await client.speak(concatSamples([printing, silence(1)]));
    for (const type of ['flush', 'pause', 'resume', 'finish'] as const) client.say({ type });
    await client.next('session.ended');
    const second = await RealtimeClient.open(server);
    second.say({ type: 'reconnect', session_id: 'tr_01JD3Z9X7Q2K5V8M4N6P1R0S3T', after: 3 });
    await second.next('error');
    const all = [...client.messages, ...second.messages, ...client.said, ...second.said];
    for (const message of all) check(message);
    const seen = new Set(all.map(({ type }) => type));
    // Whether there are tentative words depends on how fast the machine is.
    seen.add('words.tentative');
    const rare = ['session.reconnected', 'notice', 'audio'];
    expect(
      Object.keys(messages)
        .filter((type) => ![...seen].some((each) => each === type))
        .toSorted(),
    ).toEqual(rare.toSorted());
  });
});

describe('the guards of a live session', () => {
  const refused = (options: Parameters<typeof RealtimeClient.open>[1]) =>
    RealtimeClient.open(server, options).then(
      () => 'opened',
      (error: Error) => error.message,
    );
  const authorization = () => ({ authorization: `Bearer ${server.key}` });

  it('refuse foreign origins and hosts, and connections without a key, before the upgrade', async () => {
    expect(await refused({ headers: {} })).toBe('401');
    expect(await refused({ headers: { authorization: 'Bearer wrong' } })).toBe('401');
    expect(await refused({ headers: { ...authorization(), origin: 'https://example.com' } })).toBe('403');
    expect(await refused({ headers: { ...authorization(), host: 'example.com' } })).toBe('421');
    expect(await refused({ path: '/v1/realtime?typo=1' })).toBe('400');
    expect(await refused({ path: '/v1/realtime?token=wrong', headers: {} })).toBe('401');
    expect((await server.fetch('/v1/realtime')).status).toBe(400);
  });

  it('let a browser in with a token, for as long as it lasts', async () => {
    const { data } = await server.client.call('realtimeToken', { body: {} });
    const path = `/v1/realtime?token=${data.token}`;
    const client = await RealtimeClient.open(server, { path, headers: { origin: server.url } });
    client.say({ type: 'start' });
    await client.next('session.started');
    client.say({ type: 'finish' });
    await client.closed;
    const short = await server.client.call('realtimeToken', { body: { expires_in_seconds: 1 } });
    await new Promise((done) => setTimeout(done, 1100));
    expect(await refused({ path: `/v1/realtime?token=${short.data.token}`, headers: {} })).toBe('401');
  });

  it.each([
    ['audio before the start', (client: RealtimeClient) => client.socket.send(Buffer.alloc(320)), 1007],
    ['no JSON', (client: RealtimeClient) => client.socket.send('{'), 1007],
    ['an unknown field', (client: RealtimeClient) => client.socket.send('{"type":"start","x":1}'), 1007],
    [
      'an unknown session',
      (client: RealtimeClient) =>
        client.say({ type: 'reconnect', session_id: 'tr_01JD3Z9X7Q2K5V8M4N6P1R0S3T' }),
      4404,
    ],
  ])('close a connection with a code and a sentence: %s', async (_name, send, code) => {
    const client = await RealtimeClient.open(server);
    send(client);
    const { message } = await client.next('error');
    expect(message).toMatch(/\.$/);
    expect(await client.closed).toMatchObject({ code });
  });

  it('close after a frame that is too long, and keep what was said until then', async () => {
    const { client, id } = await started();
    await client.speak(printing);
    client.socket.send(Buffer.alloc(2 * 1024 * 1024));
    expect(await client.next('error')).toMatchObject({ code: 'request_too_large' });
    expect(await client.closed).toMatchObject({ code: 1009 });
    const second = await RealtimeClient.open(server);
    second.say({ type: 'reconnect', session_id: id });
    expect((await second.next('session.reconnected')).received).toBe(printing.length);
    second.socket.send(Buffer.alloc(20 * 1024 * 1024));
    expect(await second.closed).toMatchObject({ code: 1009 });
    await server.client.call('deleteTranscript', { params: { id } });
  });

  it('end a session whose transcription is cancelled or deleted', async () => {
    for (const end of ['cancelTranscript', 'deleteTranscript'] as const) {
      const { client, id } = await started();
      await client.speak(printing);
      await client.next('audio.saved');
      await server.client.call(end, { params: { id } });
      expect(await client.next('session.ended')).toMatchObject({ reason: 'cancelled' });
      const left = await server.fetch(`/v1/transcript/id/${id}`);
      expect(left.status).toBe(end === 'cancelTranscript' ? 200 : 404);
    }
  });

  it('limit the sessions at once', async () => {
    const open = await Promise.all(Array.from({ length: 4 }, () => started()));
    const client = await RealtimeClient.open(server);
    client.say({ type: 'start' });
    expect(await client.next('error')).toMatchObject({ code: 'rate_limited' });
    expect(await client.closed).toMatchObject({ code: 4429 });
    for (const each of open) {
      each.client.say({ type: 'finish' });
      await each.client.closed;
    }
  });

  it('answer programs that ask for HTTP/2 as before', async () => {
    const { request } = await import('node:http');
    const status = await new Promise((done, failed) => {
      const headers = {
        connection: 'Upgrade, HTTP2-Settings',
        upgrade: 'h2c',
        'http2-settings': 'AAMAAABkAAQ',
      };
      request(`${server.url}/v1/health`, { headers }, (response) => {
        response.resume();
        done(response.statusCode);
      })
        .on('error', failed)
        .end();
    });
    expect(status).toBe(200);
  });
});
