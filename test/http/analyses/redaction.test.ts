import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CreateTranscript, type Transcription } from '../../../electron/contract/transcript.ts';
import { EventReader } from '../../support/event-reader.ts';
import { ffmpeg } from '../../support/ffmpeg.ts';
import { fixture, fixturePath } from '../../support/fixtures.ts';
import { AUDIO_FIXTURES } from '../../support/paths.ts';
import {
  filesHolding,
  secretsIn,
  secretsInFolder,
  secretTexts,
  turnOffBackups,
} from '../../support/secrets.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { file, startUrlServer, status, type UrlServer } from '../../support/url-server.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';

const NAME = '04-personal-data.m4a';
const POLICIES = [
  'person_name',
  'phone_number',
  'email_address',
  'credit_card_number',
  'us_social_security_number',
  'bank_account',
  'ip_address',
  'location',
  // A misheard address may be one of these.
  'url',
] as const;
/** Seconds of the recording: its first half has a dozen secrets; by the end of what is uploaded, both names are said. */
const DOZEN = 27;
const UPLOADED = 13.9;
/** The recording, and a part of its audio. */
let recording: Buffer;
let sound: Buffer;

let server: TestServer;
let remote: UrlServer;
let hooks: WebhookReceiver;
let secrets: string[];
/** The text with tokens: equal values have equal tokens. */
let hashed: string;

/** The first seconds of the recording, and a part of its audio. */
const beginning = async (seconds: number): Promise<readonly [Buffer, Buffer]> => {
  const path = join(temporaryFolder(), NAME);
  await ffmpeg('-i', fixturePath(NAME), '-t', String(seconds), '-c', 'copy', path);
  const bytes = readFileSync(path);
  const middle = Math.round(bytes.length / 2);
  return [bytes, bytes.subarray(middle, middle + 64)];
};

/** Transcribes the recording by URL and waits for the result. */
const transcribeRecording = (extra: Partial<Parameters<typeof CreateTranscript.parse>[0] & object>) =>
  server.client.call('createTranscript', {
    body: CreateTranscript.parse({
      audio_url: remote.set(`/${NAME}`, file(recording)),
      wait_until_complete: true,
      ...extra,
    }),
  });

beforeAll(async () => {
  [recording, sound] = await beginning(DOZEN);
  [server, remote, hooks] = await Promise.all([
    startServer({ quick: true, model: 'starter-parakeet' }),
    startUrlServer(),
    startWebhookReceiver(),
  ]);
  await turnOffBackups(server);
  await server.client.call('patchSettings', {
    body: { 'limits.requestsPerMinute': 0 },
  });
  // What a transcript of the same recording without redaction has are the secrets; nothing of it must stay.
  const heard = await transcribeRecording({ entity_detection: true });
  await server.client.call('deleteTranscript', { params: { id: heard.id } });
  const types = new Set([
    'person',
    'phone_number',
    'email',
    'credit_card',
    'ssn',
    'bank_account',
    'ip_address',
  ]);
  const values = heard.entities?.filter(({ type }) => types.has(type)).map(({ text }) => text) ?? [];
  secrets = secretTexts([...values, 'Maria', 'Lopez', 'Chicago', 'Boston']);
  await until(() => secretsInFolder(server.dataDir, secrets).length === 0);
});
afterAll(async () => {
  await Promise.all([discard(server), remote.close(), hooks.close()]);
});

const expectNothingLeft = async (t: Transcription) => {
  expect(secretsIn(JSON.stringify(t), secrets)).toEqual([]);
  for (const view of [
    'sentences',
    'export?format=srt',
    'export?format=json&words=true',
    'export?format=txt',
  ]) {
    const text = await (await server.fetch(`/v1/transcript/id/${t.id}/${view}`)).text();
    expect(secretsIn(text, secrets)).toEqual([]);
  }
  const found = await server.client.call('searchTranscripts', { query: { q: 'Lopez' } });
  expect(found.data.results).toEqual([]);
  expect(secretsInFolder(server.dataDir, secrets)).toEqual([]);
  expect(filesHolding(server.dataDir, sound)).toEqual([]);
  expect(secretsIn(await server.log(), secrets)).toEqual([]);
};

const asked = { redact_pii: true, redact_pii_policies: [...POLICIES], timestamp_style: 'word' } as const;

describe('a recording full of private data', () => {
  it('contains a dozen secrets before redaction', () => {
    expect(secrets.length).toBeGreaterThan(10);
    expect(filesHolding(AUDIO_FIXTURES, sound)).toHaveLength(1);
  });

  it.each([['hash', /\[PERSON_NAME_[0-9a-f]{8}\]/] as const])(
    'is redacted everywhere by %s',
    async (method, shape) => {
      const hook = hooks.url(`/${method}`);
      const events = await EventReader.open(server.url, server.key);
      await events.waitFor('snapshot');
      const t = await transcribeRecording({
        ...asked,
        redact_pii_sub: method,
        redact_pii_audio: true,
        entity_detection: true,
        summarization: true,
        topics: true,
        prompt: 'Maria Lopez',
        webhook_url: hook,
      });
      expect(t.status).toBe('completed');
      expect(t.text).toMatch(shape);
      expect(t).toMatchObject({ redact_pii_audio: true, redact_pii_sub: method });
      expect(t.redact_pii_policies).toEqual(expect.arrayContaining([...POLICIES]));
      for (const { startIndex, endIndex, text } of t.entities ?? []) {
        expect(t.text.slice(startIndex, endIndex)).toBe(text);
      }
      const seen = await events.waitFor('transcript.completed');
      events.close();
      expect(secretsIn(JSON.stringify(seen), secrets)).toEqual([]);
      const delivered = await until(() => hooks.requests(`/${method}`)[0]);
      expect(secretsIn(delivered.body, secrets)).toEqual([]);
      if (method === 'hash') hashed = t.text;
      await expectNothingLeft(t);
      expect(t.redaction_report).toMatchObject({ checked: true, audible: [] });
      expect(t.redaction_report?.spans).toBeGreaterThan(5);
      const bleeped = await server.fetch(new URL(t.redacted_audio_url ?? '').pathname);
      expect(bleeped.status).toBe(200);
      expect(bleeped.headers.get('content-type')).toBe('audio/mp4');
    },
  );
});

describe('a redacted transcript of an upload', () => {
  it('plays the bleeped copy, while the upload stays unchanged, which the report says', async () => {
    const [upload, part] = await beginning(UPLOADED);
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(upload)], { type: 'audio/mp4' }), NAME);
    const uploaded = await server.fetch('/v1/storage/upload', { method: 'POST', body: form });
    const { data } = await uploaded.json();
    const t = await server.client.call('createTranscript', {
      body: CreateTranscript.parse({
        ...asked,
        audio_url: data.file.urls.download,
        wait_until_complete: true,
      }),
    });
    expect(t.status).toBe('completed');
    expect(t.text).toMatch(/\[EMAIL_ADDRESS_[0-9a-f]{8}\]/);
    expect(t.text).toBe(hashed.slice(0, t.text.length));
    expect(t).not.toHaveProperty('redacted_audio_url');
    expect(t.redaction_report?.source).toBe('kept');
    const played = Buffer.from(await (await server.fetch(`/v1/transcript/id/${t.id}/audio`)).arrayBuffer());
    expect(played.includes(part)).toBe(false);
    expect(played.length).toBeGreaterThan(upload.length / 2);
    const own = await server.fetch(new URL(data.file.urls.download).pathname);
    expect(Buffer.from(await own.arrayBuffer()).equals(upload)).toBe(true);
    await server.client.call('deleteFile', { params: { fileKey: data.file.key } });
    const later = await server.client.call('getTranscript', { params: { id: t.id } });
    expect(later.redaction_report?.source).toBe('deleted');
    expect(secretsInFolder(server.dataDir, secrets)).toEqual([]);
  });
});

describe('a job that ends before redaction', () => {
  it('leaves nothing of what was recognized', async () => {
    const url = remote.set('/whole.m4a', file(fixture(NAME)));
    const made = await server.client.call('createTranscript', {
      // The whole recording and the slower model, so that the job still runs when it is cancelled.
      body: CreateTranscript.parse({ ...asked, audio_url: url, model: 'starter' }),
    });
    await until(async () => {
      const t = await server.client.call('getTranscript', { params: { id: made.id } });
      expect(t.text).toBe('');
      expect(t.segments).toEqual([]);
      return (t.progress?.percent ?? 0) > 15;
    });
    const ended = await server.client.call('cancelTranscript', { params: { id: made.id } });
    expect(ended).toMatchObject({ status: 'failed', text: '', segments: [] });
    await expectNothingLeft(ended);
  });

  it.each(['fails', 'is cancelled while it waits', 'is cancelled while it runs'])(
    'keeps no private name when it %s',
    async (how) => {
      const name = 'Call with Maria Lopez, 555-014-2367';
      const hidden = ['maria', 'lopez', '014-2367'];
      const isWaiting = how === 'is cancelled while it waits';
      if (isWaiting) await server.client.call('pauseQueue');
      const events = await EventReader.open(server.url, server.key);
      const made = await server.client.call('createTranscript', {
        body: {
          ...asked,
          redact_pii_policies: [...POLICIES],
          name,
          prompt: name,
          audio_url: how === 'fails' ? remote.set('/none.wav', status(404)) : remote.url(`/${NAME}`),
          wait_until_complete: how === 'fails',
        },
      });
      if (how !== 'fails') await server.client.call('cancelTranscript', { params: { id: made.id } });
      const seen = await events.waitFor('transcript.failed');
      events.close();
      expect(secretsIn(JSON.stringify(seen.at(-1)), hidden)).toEqual([]);
      await server.client.call('resumeQueue');
      const t = await server.client.call('getTranscript', { params: { id: made.id } });
      expect(t).toMatchObject({ status: 'failed', name: expect.stringMatching(/^Call with \[PERSON_NAME/) });
      expect(secretsInFolder(server.dataDir, hidden)).toEqual([]);
    },
  );
});
