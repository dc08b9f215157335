import { equal, match, ok } from 'node:assert/strict';
import { talk } from '../support/audio.ts';
import { type Behavior, endless, file, htmlPage, redirect, stall, status } from '../support/url-server.ts';
import { type Fault, type FaultContext, LONG_SECONDS } from './support/context.ts';

type Case = {
  readonly name: string;
  readonly quick?: boolean;
  readonly behavior: (context: FaultContext) => Behavior;
  /** The expected error code; without one, the job must complete with the right text. */
  readonly fails?: string;
  readonly message?: RegExp;
  readonly settings?: Record<string, number>;
  /** Asks for a time range, which is read with range requests if the server supports them. */
  readonly range?: boolean;
  readonly recording?: '/long.wav' | '/short.wav';
};

const CASES: readonly Case[] = [
  {
    name: 'the server stalls in the middle',
    behavior: ({ long }) => stall(long, 300_000),
    settings: { 'network.stallSeconds': 2 },
    fails: 'download_timeout',
    message: /sent nothing for 2 seconds/,
  },
  {
    name: 'the server never answers',
    quick: false,
    behavior: ({ long }) => stall(long, 0),
    settings: { 'network.stallSeconds': 2 },
    fails: 'download_timeout',
  },
  {
    name: 'the server announces more than it sends',
    quick: false,
    behavior: ({ short }) => file(short, { announcedLength: short.length + 5000, ranges: false }),
    fails: 'download_failed',
    message: /bytes/,
  },
  {
    name: 'the connection breaks every 100 KB',
    quick: false,
    behavior: ({ long }) => file(long, { cutEvery: 100_000 }),
    recording: '/long.wav',
  },
  {
    name: 'the connection breaks every 100 KB while a range is read',
    quick: false,
    behavior: ({ long }) => file(long, { cutEvery: 100_000 }),
    recording: '/long.wav',
    range: true,
  },
  {
    name: 'a range is answered with 200 and the whole file',
    quick: false,
    behavior: ({ short }) => file(short, { ranges: false }),
    range: true,
  },
  {
    name: 'a range is answered with another range',
    quick: false,
    behavior: ({ short }) => file(short, { wrongRange: true, cutEvery: 60_000 }),
    fails: 'download_failed',
  },
  {
    name: 'the file is compressed with gzip',
    quick: false,
    behavior: ({ short }) => file(short, { gzip: true }),
  },
  {
    name: 'five redirects',
    quick: false,
    behavior: ({ urls, short }) => {
      for (let i = 1; i < 5; i++) urls.set(`/hop${i}`, redirect(`/hop${i + 1}`, 301));
      urls.set('/hop5', file(short));
      return redirect('/hop1', 301);
    },
  },
  {
    name: 'endless redirects',
    quick: false,
    behavior: () => redirect('/case.wav', 301),
    fails: 'download_failed',
    message: /redirects more than 5 times/,
  },
  {
    name: 'a web page instead of a recording',
    quick: false,
    behavior: () => htmlPage,
    fails: 'not_media',
  },
  {
    name: 'an endless stream',
    quick: false,
    behavior: () => endless(),
    settings: { 'network.maxDownloadBytes': 5_000_000 },
    fails: 'download_too_large',
  },
  {
    name: 'a server that answers 503',
    behavior: () => status(503),
    quick: false,
    fails: 'download_failed',
    message: /503/,
  },
];

const faultOf = (entry: Case): Fault => ({
  name: entry.name,
  quick: entry.quick ?? true,
  run: async (context) => {
    const server = await context.borrow(entry.settings);
    const url = context.urls.set('/case.wav', entry.behavior(context));
    const extra = entry.range === true ? { audio_end_at: LONG_SECONDS + 100 } : {};
    const id = await context.submit(server, url, extra);
    if (entry.fails === undefined) {
      const { bytes_fetched } = await context.expectTruth(server, id, entry.recording ?? '/short.wav');
      await context.expectNoOrphans(server);
      return `right text, ${Math.round(bytes_fetched / 1000)} kB fetched`;
    }
    const { error } = await context.expectFailed(server, id, entry.fails);
    if (entry.message !== undefined) match(error?.message ?? '', entry.message);
    await context.expectNoOrphans(server);
    return `failed as ${entry.fails}: ${error?.message}`;
  },
});

/** Serves `first`, and from request number `from` on another file. */
const changing = (first: Buffer, then: Buffer, from: number, cutEvery?: number): Behavior => {
  let requests = 0;
  const etag = () => (requests >= from ? '"two"' : '"one"');
  return (request, response) => {
    requests += 1;
    const body = requests >= from ? then : first;
    file(body, { etag: etag(), ...(cutEvery === undefined ? {} : { cutEvery }) })(request, response);
  };
};

export const urlFaults: readonly Fault[] = [
  ...CASES.map(faultOf),
  {
    name: 'the file changes while it is downloaded',
    quick: true,
    run: async (context) => {
      const server = await context.borrow();
      const url = context.urls.set('/case.wav', changing(talk(60, 8, 2), context.short, 2, 100_000));
      const id = await context.submit(server, url);
      await context.expectTruth(server, id, '/short.wav');
      await context.expectNoOrphans(server);
      return 'downloaded again: the text is that of the new file';
    },
  },
  {
    name: 'the file changes between two ranges',
    quick: false,
    run: async (context) => {
      const server = await context.borrow();
      const other = talk(LONG_SECONDS, 8, 2);
      const url = context.urls.set('/case.wav', changing(context.long, other, 4));
      const id = await context.submit(server, url, {
        audio_start_from: LONG_SECONDS - 30,
        audio_end_at: LONG_SECONDS - 15,
      });
      const { error } = await context.expectFailed(server, id, 'download_failed');
      match(error?.message ?? '', /changed/);
      context.urls.set('/case.wav', file(context.long));
      await server.client.call('retryTranscript', { params: { id } });
      const transcript = await context.ended(server, id);
      equal(transcript.status, 'completed');
      ok(transcript.bytes_fetched > 0);
      await context.expectNoOrphans(server);
      return `failed as download_failed (${error?.message}); a retry completed`;
    },
  },
];
