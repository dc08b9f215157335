import { isDeepStrictEqual } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ErrorBody } from '../../electron/contract/errors.ts';
import { MAX_EDITS } from '../../electron/contract/transcript-edits.ts';
import { EventReader } from '../support/event-reader.ts';
import { LONG_HOURS, segmentOf, spokenFor, storeTranscript } from '../support/long-transcript.ts';
import { LoopPauses, MAX_PAUSE_MS, TRIES } from '../support/loop-pauses.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

let server: TestServer;
const spoken = spokenFor(LONG_HOURS);
const pauses = new LoopPauses();
/** How many words of a segment are replaced. */
const REPLACED = [25_000];
/** Transcripts of a segment of so many words with their times: these are what is costly. */
let ids: Map<number, string>;
/** `LONG_HOURS` of speech. */
let long: string;
/** Ten segments. */
let short: string;
/** `LONG_HOURS` of two speakers. */
let talk: string;
/** The others are B's: enough that B says more than one request may edit. */
const isOfA = (segment: number): boolean => segment % 20 === 0;
const SHARES = { A: 0.05, B: 0.95 };
/** `LONG_HOURS` whose job failed at its end. */
let failed: string;
let receiver: WebhookReceiver;

const LETTERS = 'abcdefghij';
const OTHER_LETTERS = 'zyxwvutsr';

/** A text of `count` words of one letter each: the most words that a text of its length can have. */
const text = (count: number, letters: string): string => wordsOf(count, letters).join(' ');

const wordsOf = (count: number, letters: string): string[] =>
  Array.from({ length: count }, (_, index) => letters.charAt(index % letters.length));

const longestPause = () => pauses.longest(server);
const expectFree = (action: (attempt: number) => Promise<unknown>, maxPauseMs = MAX_PAUSE_MS) =>
  pauses.expectFree(server, action, () => maxPauseMs);

const correct = async (id: string, corrected: string): Promise<void> => {
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
  receiver = await startWebhookReceiver();
  long = storeTranscript(dataDir, spoken, {
    timestamp_style: 'word',
    webhook_url: receiver.url('/long'),
    webhook_secret: 'a secret of a webhook',
  });
  talk = storeTranscript(
    dataDir,
    spoken.map((segment) => {
      const speaker_id = isOfA(segment.id) ? 'A' : 'B';
      return { ...segment, speaker_id, words: segment.words.map((word) => ({ ...word, speaker_id })) };
    }),
    { timestamp_style: 'word', diarize: true },
    {
      analysis: {
        speakers: Object.fromEntries(
          Object.entries(SHARES).map(([label, share]) => [
            label,
            { name: `Speaker ${label}`, talk_seconds: 3600 * share * LONG_HOURS, share },
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
  ids = new Map(
    REPLACED.map((count) => {
      const segments = [segmentOf(0, 0, wordsOf(count, LETTERS))];
      return [count, storeTranscript(dataDir, segments, { timestamp_style: 'word' })];
    }),
  );
  server = await startServer({ dataDir, quick: true, env: pauses.env });
  // Every edit is also read for what it teaches.
  await server.client.call('patchTermSuggestions', { body: { enabled: true } });
});
afterAll(async () => {
  await Promise.all([discard(server), receiver.close()]);
});

describe('the event loop stays free', () => {
  it.each(REPLACED)('while all %i words of a segment are replaced', { timeout: 240_000 }, async (count) => {
    const id = ids.get(count) ?? '';
    await expectFree((attempt) => correct(id, text(count, attempt % 2 === 0 ? OTHER_LETTERS : LETTERS)));
  });

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
      const at = spoken.findIndex((segment) => segment.start > start);
      const word = spoken[at]?.words?.[0];
      const end = (word?.start ?? 0) + 0.2 + attempt / 100;
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
        const segments = spoken.map(({ id }) => id).filter((id) => !isOfA(id));
        const body = { from: 'B', segments: segments.slice(0, 3000) };
        return ['POST', `/v1/transcript/id/${talk}/speakers/split`, body];
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
    const id = ids.get(25_000) ?? '';
    await correct(id, 'ß'.repeat(100_000));
    await expectFree(async () => {
      const response = await server.fetch(`/v1/transcript/id/${id}/export?format=srt`);
      expect([response.status, (await response.text()).match(/ß/g)?.length]).toEqual([200, 100_000]);
    });
  });

  it.each([
    ['', 1e6 * LONG_HOURS],
    ['/sentences', 700_000 * LONG_HOURS],
    ...['srt', 'json', 'docx'].map((format): [string, number] => [
      `/export?format=${format}`,
      2000 * LONG_HOURS,
    ]),
  ])(`while ${LONG_HOURS} hours are answered as /v1/transcript/id/…%s`, async (path, bytes) => {
    await expectFree(() => get(`/v1/transcript/id/${long}${path}`, bytes));
  });

  it(`while ${LONG_HOURS} hours are answered as /v2/transcript/…id`, async () => {
    await expectFree(() => get(`/v2/transcript/${long}`, 800_000 * LONG_HOURS));
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

  it(`while the speaker of most of ${LONG_HOURS} hours is merged, undone and merged again`, {
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
      expect([response.status, (await response.arrayBuffer()).byteLength > 900_000 * LONG_HOURS]).toEqual([
        200,
        true,
      ]);
    };
    const first = await read();
    let [undone, redone] = [first, first];
    await expectFree(async (attempt) => {
      if (attempt > 0) await take(turn('undo'));
      await take(merge());
      await take(turn('undo'));
      undone = await read();
      await take(turn('redo'));
      redone = await read();
    });
    const labels = redone.segments.flatMap(({ speaker_id, words = [] }) => [
      speaker_id,
      ...words.map((word) => word.speaker_id),
    ]);
    expect([new Set(labels), Object.keys(redone.speakers ?? {})]).toEqual([new Set(['A']), ['A']]);
    const [{ edits: _, ...before }, { edits, ...again }] = [first, undone];
    // All steps are one edit.
    expect([edits?.undo, edits?.redo?.kind]).toEqual([null, 'speakers']);
    // Not toEqual, which takes seconds for as many words.
    expect(isDeepStrictEqual(again, before)).toBe(true);
    expect(again.segments.map(({ speaker_id }) => speaker_id)).toEqual(
      again.segments.map(({ id }) => (isOfA(id) ? 'A' : 'B')),
    );
  });
});
