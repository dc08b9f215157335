import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_EDITS } from '../../electron/contract/edit-bounds.ts';
import { ErrorBody } from '../../electron/contract/errors.ts';
import { breadth } from '../support/breadth.ts';
import { EventReader } from '../support/event-reader.ts';
import { fixture } from '../support/fixtures.ts';
import { LONG_HOURS, segmentOf, spokenFor, storeTranscript } from '../support/long-transcript.ts';
import { LoopPauses, MAX_PAUSE_MS, TRIES } from '../support/loop-pauses.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { file, startUrlServer, type UrlServer } from '../support/url-server.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

let server: TestServer;
let remote: UrlServer;
const pauses = new LoopPauses();
/** A transcript with the times of its words: these are what is costly. */
let id: string;
/** `LONG_HOURS` of speech. */
let long: string;
/** Ten segments. */
let short: string;
/** Enough that each of two speakers says more than one request may edit. */
const TALK_HOURS = Math.max(LONG_HOURS, 4);
/** `TALK_HOURS` of two speakers. */
let talk: string;
/** `LONG_HOURS` whose job failed at its end. */
let failed: string;
let receiver: WebhookReceiver;

const LETTERS = 'abcdefghij';
const OTHER_LETTERS = 'zyxwvutsr';

/** A text of `count` words of one letter each: the most words that a text of its length can have. */
const text = (count: number, letters: string): string =>
  Array.from({ length: count }, (_, index) => letters.charAt(index % letters.length)).join(' ');

const longestPause = () => pauses.longest(server);
const expectFree = (action: (attempt: number) => Promise<unknown>, maxPauseMs = MAX_PAUSE_MS) =>
  pauses.expectFree(server, action, () => maxPauseMs);

const correct = async (corrected: string): Promise<void> => {
  const changed = await server.client.call('patchTranscript', {
    params: { id },
    body: { segments: [{ id: 0, text: corrected }] },
  });
  expect(changed.segments[0]?.text).toBe(corrected);
};

const send = (method: string, path: string, body: unknown): Promise<Response> =>
  server.fetch(path, {
    method,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });

const get = async (path: string, bytes: number): Promise<void> => {
  const response = await server.fetch(path);
  const { byteLength } = await response.arrayBuffer();
  expect([response.status, byteLength > bytes]).toEqual([200, true]);
};

beforeAll(async () => {
  const dataDir = temporaryFolder();
  short = storeTranscript(
    dataDir,
    Array.from({ length: 10 }, (_, n) => segmentOf(n, n, ['one'])),
    { timestamp_style: 'word' },
  );
  const spoken = spokenFor(LONG_HOURS);
  receiver = await startWebhookReceiver();
  long = storeTranscript(dataDir, spoken, {
    timestamp_style: 'word',
    webhook_url: receiver.url('/long'),
    webhook_secret: 'a secret of a webhook',
  });
  talk = storeTranscript(
    dataDir,
    spokenFor(TALK_HOURS).map((segment, index) => {
      const speaker_id = index % 2 === 0 ? 'A' : 'B';
      return { ...segment, speaker_id, words: segment.words.map((word) => ({ ...word, speaker_id })) };
    }),
    { timestamp_style: 'word', diarize: true },
    {
      analysis: {
        speakers: Object.fromEntries(
          ['A', 'B'].map((label) => [
            label,
            { name: `Speaker ${label}`, talk_seconds: 1800 * TALK_HOURS, share: 0.5 },
          ]),
        ),
      },
    },
  );
  failed = storeTranscript(
    dataDir,
    spoken,
    { timestamp_style: 'word' },
    {
      status: 'failed',
      error: { code: 'engine_crashed', message: 'The engine crashed.', stage: 'transcribing' },
    },
  );
  [server, remote] = await Promise.all([
    startServer({
      dataDir,
      quick: true,
      model: 'starter-parakeet',
      env: pauses.env,
    }),
    startUrlServer(),
  ]);
  // Every edit is also read for what it teaches.
  await server.client.call('patchTermSuggestions', { body: { enabled: true } });
  const url = remote.set('/short.wav', file(fixture('01-short-note.wav')));
  ({ id } = await server.client.call('createTranscript', {
    body: { audio_url: url, wait_until_complete: true, timestamp_style: 'word' },
  }));
});
afterAll(async () => {
  await Promise.all([discard(server), remote.close(), receiver.close()]);
});

describe('the event loop stays free', () => {
  it.each(breadth([25_000], [25_000, 50_000]))(
    'while all %i words of a segment are replaced',
    { timeout: 240_000 },
    async (count) => {
      await correct(text(count, LETTERS));
      await expectFree((attempt) => correct(text(count, attempt % 2 === 0 ? OTHER_LETTERS : LETTERS)));
    },
  );

  // Before the next test, which makes the text longer.
  it(`while ${LONG_HOURS} hours are renamed, with a window that listens`, async () => {
    const events = await server.fetch('/v1/events');
    await expectFree(async (attempt) => {
      const { name } = await server.client.call('patchTranscript', {
        params: { id: long },
        body: { name: `A long talk ${attempt}` },
      });
      expect(name).toBe(`A long talk ${attempt}`);
    });
    await events.body?.cancel();
  });

  it(`while the most that one request may edit of ${LONG_HOURS} hours is edited`, async () => {
    const edit = async (count: number, attempt: number) => {
      const segments = Array.from({ length: count }, (_, segment) => ({
        id: segment,
        text: `${attempt} ${segment} ${text(80, LETTERS)}`,
      }));
      const { status } = await send('PATCH', `/v1/transcript/id/${long}`, { segments });
      expect(status).toBe(200);
    };
    // Most of it is the index of all hours, which a single edit pays for, too: the reference on a slow machine.
    await edit(1, TRIES);
    await longestPause();
    await edit(1, TRIES + 1);
    const reference = await longestPause();
    await expectFree((attempt) => edit(MAX_EDITS, attempt), Math.max(MAX_PAUSE_MS, 1.5 * reference));
  });

  it(`while words and subtitles of ${LONG_HOURS} hours get other times`, async () => {
    await expectFree(async (attempt) => {
      const start = 2500 * LONG_HOURS + attempt / 100;
      const { segments } = await server.client.call('getTranscript', { params: { id: long } });
      const at = segments.findIndex((segment) => segment.start > start);
      const word = segments[at]?.words?.[0];
      const end = (word?.start ?? 0) + 0.2 + attempt / 100;
      await longestPause();
      const edits = [{ id: at, times: [{ word: 0, end }], subtitle_times: [{ word: 0, start: end - 0.1 }] }];
      const { status } = await send('PATCH', `/v1/transcript/id/${long}`, { segments: edits });
      expect(status).toBe(200);
      const shown = await server.fetch(`/v1/transcript/id/${long}/subtitles?from=${start}&to=${start + 60}`);
      expect(shown.status).toBe(200);
      expect((await shown.json()).data.subtitles.length).toBeGreaterThan(5);
    });
  });

  it.each<[string, () => [method: string, path: string, body: unknown], string]>([
    [
      'ten segments with 50,000 words each are refused',
      () => {
        const segments = Array.from({ length: 10 }, (_, n) => ({ id: n, text: text(50_000, LETTERS) }));
        return ['PATCH', `/v1/transcript/id/${short}`, { segments }];
      },
      'The edited segments have 999990 characters; one request may edit 100000. Send them in several requests.',
    ],
    [
      '7,000 edits are refused',
      () => {
        const segments = Array.from({ length: 7000 }, (_, n) => ({ id: n, text: `an edited text ${n}` }));
        return ['PATCH', `/v1/transcript/id/${long}`, { segments }];
      },
      'The request is not valid: segments: Too big: expected array to have <=200 items.',
    ],
    [
      '20,000 wrong edits are refused',
      () => {
        const segments = Array.from({ length: 20_000 }, () => ({ id: -1, text: 1, color: 'red' }));
        return ['PATCH', `/v1/transcript/id/${long}`, { segments }];
      },
      'The request is not valid: segments',
    ],
    [
      '90,000 segments of a new speaker are refused',
      () => {
        const segments = Array.from({ length: 90_000 }, (_, n) => n);
        return ['POST', `/v1/transcript/id/${talk}/speakers/split`, { from: 'A', segments }];
      },
      'The request is not valid: segments: Too big: expected array to have <=10000 items.',
    ],
    [
      'more text of a new speaker than a request may edit is refused',
      () => {
        const segments = Array.from({ length: breadth(2600, 3000) }, (_, n) => 2 * n);
        return ['POST', `/v1/transcript/id/${talk}/speakers/split`, { from: 'A', segments }];
      },
      'one request may edit 100000. Send them in several requests.',
    ],
    [
      '80,000 unknown fields are refused',
      () => {
        const keys = Array.from({ length: 80_000 }, (_, n) => [`k${n}`, 1]);
        return ['POST', '/v1/transcript', Object.fromEntries(keys)];
      },
      'The body has more than 1000 fields.',
    ],
  ])('while %s', async (_what, request, message) => {
    const [method, path, body] = request();
    await expectFree(async () => {
      const response = await send(method, path, body);
      const { error, details } = ErrorBody.parse(await response.json());
      expect(response.status).toBe(400);
      expect(error).toContain(message);
      expect((details ?? []).length).toBeLessThanOrEqual(100);
    });
  });

  it('while a word of 100,000 characters is exported as subtitles', async () => {
    await correct('ß'.repeat(100_000));
    await expectFree(async () => {
      const response = await server.fetch(`/v1/transcript/id/${id}/export?format=srt`);
      expect([response.status, (await response.text()).match(/ß/g)?.length]).toEqual([200, 100_000]);
    });
  });

  it.each([
    ['', 1e6 * LONG_HOURS],
    ['/sentences', 700_000 * LONG_HOURS],
    ...breadth(['srt', 'json', 'docx'], ['srt', 'vtt', 'txt', 'md', 'json', 'csv', 'docx']).map(
      (format): [string, number] => [`/export?format=${format}`, 2000 * LONG_HOURS],
    ),
  ])(`while ${LONG_HOURS} hours are answered as /v1/transcript/id/…%s`, async (path, bytes) => {
    await expectFree(() => get(`/v1/transcript/id/${long}${path}`, bytes));
  });

  it.each([
    ['', 800_000 * LONG_HOURS],
    ['/srt', 50_000 * LONG_HOURS],
    ...breadth<[string, number][]>(
      [],
      [
        ['/sentences', 800_000 * LONG_HOURS],
        ['/paragraphs', 800_000 * LONG_HOURS],
        ['/vtt', 50_000 * LONG_HOURS],
      ],
    ),
  ])(`while ${LONG_HOURS} hours are answered as /v2/transcript/…%s`, async (path, bytes) => {
    await expectFree(() => get(`/v2/transcript/${long}${path}`, bytes));
  });

  it('90,000 unknown settings are refused unread', async () => {
    const keys = Array.from({ length: 90_000 }, (_, n) => [`k${n}`, 1]);
    const { status } = await send('PATCH', '/v1/settings', Object.fromEntries(keys));
    expect(status).toBe(413);
  });

  it.each([
    ['read', {}],
    ['read', { from: 3000 * LONG_HOURS }],
    ['summarise', {}],
  ])(`while an assistant calls %s for ${LONG_HOURS} hours, %j`, async (name, more) => {
    await expectFree(async () => {
      const params = { name, arguments: { id: long, ...more } };
      const response = await server.fetch('/mcp', {
        method: 'POST',
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
      });
      expect(await response.text()).toContain('structuredContent');
    });
  });

  it(`while 600 phrases are looked for in ${LONG_HOURS} hours`, async () => {
    const phrases = Array.from({ length: 600 }, (_, n) => `the ${n.toString(36)}`).join(',');
    await expectFree(() =>
      get(`/v2/transcript/${long}/word-search?words=${encodeURIComponent(phrases)}`, 50),
    );
  });

  it(`while ${LONG_HOURS} hours are delivered to a webhook, signed`, async () => {
    await expectFree(async () => {
      const { data } = await server.client.call('testDelivery', { params: { id: long } });
      expect(data.state).toBe('delivered');
    });
    const { headers, body } = receiver.requests('/long').at(-1) ?? { headers: {}, body: '' };
    expect(body.length).toBeGreaterThan(1e6 * LONG_HOURS);
    new Webhook('a secret of a webhook', { format: 'raw' }).verify(body, headers);
  });

  it(`while ${LONG_HOURS} hours that failed are tried again, shown to a window, and cancelled`, async () => {
    await server.client.call('pauseQueue');
    await expectFree(async () => {
      const retried = await send('POST', `/v1/transcript/id/${failed}/retry`, {});
      expect([retried.status, (await retried.arrayBuffer()).byteLength > 900_000 * LONG_HOURS]).toEqual([
        202,
        true,
      ]);
      const events = await EventReader.open(server.url, server.key);
      const { data } = await events.next();
      events.close();
      expect(data.processing.map(({ id: waiting }) => waiting)).toEqual([failed]);
      const cancelled = await send('POST', `/v1/transcript/id/${failed}/cancel`, {});
      expect([cancelled.status, (await cancelled.arrayBuffer()).byteLength > 900_000 * LONG_HOURS]).toEqual([
        200,
        true,
      ]);
    });
    await server.client.call('resumeQueue');
  });

  it('while the first analysis of the process is made', async () => {
    await longestPause();
    const { status } = await send('POST', `/v1/transcript/id/${short}/analyze`, {
      entity_detection: true,
      topics: true,
      summarization: true,
      content_safety: true,
      wait_until_complete: true,
    });
    expect(status).toBe(200);
    // A process has one first time: no further tries.
    expect(await longestPause()).toBeLessThan(MAX_PAUSE_MS);
  });

  it(`while a speaker of half of ${TALK_HOURS} hours is merged, undone and merged again`, {
    timeout: 240_000,
  }, async () => {
    const path = `/v1/transcript/id/${talk}`;
    const read = async () => {
      const { segments, speakers, edits } = await server.client.call('getTranscript', {
        params: { id: talk },
      });
      return { segments, speakers, edits };
    };
    const merge = () => send('POST', `${path}/speakers/merge`, { from: 'B', into: 'A' });
    const turn = (direction: 'undo' | 'redo') => send('POST', `${path}/${direction}`, {});
    const take = async (step: Promise<Response>) => {
      const response = await step;
      expect([response.status, (await response.arrayBuffer()).byteLength > 900_000 * TALK_HOURS]).toEqual([
        200,
        true,
      ]);
    };
    const { edits: _, ...before } = await read();
    let after = { ...before };
    await expectFree(async () => {
      await take(merge());
      await take(turn('undo'));
      await take(turn('redo'));
      after = await read();
      await take(turn('undo'));
    });
    const labels = after.segments.flatMap(({ speaker_id, words = [] }) => [
      speaker_id,
      ...words.map((word) => word.speaker_id),
    ]);
    expect([new Set(labels), Object.keys(after.speakers ?? {})]).toEqual([new Set(['A']), ['A']]);
    const { edits, ...again } = await read();
    // All steps are one edit.
    expect([edits?.undo, edits?.redo?.kind]).toEqual([null, 'speakers']);
    expect(again).toEqual(before);
    expect(again.segments.map(({ speaker_id }) => speaker_id)).toEqual(
      again.segments.map((_segment, index) => (index % 2 === 0 ? 'A' : 'B')),
    );
  });
});
