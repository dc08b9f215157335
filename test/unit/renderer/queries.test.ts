import { QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createClient } from '../../../electron/contract/client.ts';
import type { ServerEvent } from '../../../electron/contract/events.ts';
import { callQuery, createQueryClient, invalidateOnEvents } from '../../../renderer/api/queries.ts';
import { createPagedList, PAGE_SIZE } from '../../../renderer/stores/paged-list.ts';

const ROWS = 120;

const MODELS = ['tiny', 'base'].map((id) => ({
  id,
  download: id === 'base' ? { state: 'downloading', received: 1, total: 10, error: null } : null,
}));

/** A client whose server has `ROWS` transcripts and downloads a model, and the addresses that it was asked for. */
const createFakeServer = () => {
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (address: string | URL | Request) => {
    const url = new URL(address instanceof Request ? address.url : address);
    asked.push(`${url.pathname}${url.search}`);
    if (url.pathname === '/v1/models') return Response.json({ data: MODELS });
    const page = Number(url.searchParams.get('page') ?? 1);
    const left = Math.max(0, Math.min(PAGE_SIZE, ROWS - (page - 1) * PAGE_SIZE));
    const transcriptions = Array.from({ length: left }, (_, at) => ({ id: `tr_${(page - 1) * 50 + at}` }));
    return Response.json({ data: { transcriptions, pagination: { total: ROWS } } });
  });
  return { client: createClient({ baseUrl: 'http://127.0.0.1:1', key: 'k' }), asked };
};

const createEvents = () => {
  const listeners = new Set<(event: ServerEvent) => void>();
  return {
    live: {
      listen: (listener: (event: ServerEvent) => void) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    send: (event: ServerEvent) => {
      for (const listener of listeners) listener(event);
    },
  };
};

describe('cached answers', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it('fetches an address once for all who ask', async () => {
    const { client, asked } = createFakeServer();
    const queries = createQueryClient();
    await Promise.all([1, 2, 3].map(() => queries.fetchQuery(callQuery(client, 'listModels'))));
    await queries.fetchQuery(callQuery(client, 'listModels'));
    expect(asked).toEqual(['/v1/models']);
  });

  it('fetches again what an event has changed, once for a burst of events', async () => {
    const { client, asked } = createFakeServer();
    const queries = createQueryClient();
    const { live, send } = createEvents();
    const stop = invalidateOnEvents(queries, live);
    const stopWatching = new QueryObserver(queries, callQuery(client, 'listModels')).subscribe(() => {});
    new QueryObserver(queries, callQuery(client, 'listFiles')).subscribe(() => {});
    await vi.advanceTimersByTimeAsync(0);
    expect(asked).toEqual(['/v1/models', '/v1/storage/files']);
    for (let count = 1; count <= 10; count++)
      send({ type: 'model.progress', id: 'base', received: 10, total: 10, state: 'installed' });
    await vi.advanceTimersByTimeAsync(300);
    expect(asked.slice(2)).toEqual(['/v1/models']);

    // The first snapshot belongs to the start; a later one follows missed events.
    send({ type: 'snapshot', processing: [], queue_paused: false, library_damaged: false });
    await vi.advanceTimersByTimeAsync(300);
    expect(asked).toHaveLength(3);
    send({ type: 'snapshot', processing: [], queue_paused: false, library_damaged: false });
    await vi.advanceTimersByTimeAsync(300);
    expect(asked.slice(3).sort()).toEqual(['/v1/models', '/v1/storage/files']);

    stopWatching();
    stop();
    send({ type: 'file.deleted', key: 'a' });
    await vi.advanceTimersByTimeAsync(300);
    expect(asked).toHaveLength(5);
    queries.clear();
  });

  it('shows the progress of a download that it knows without a request', async () => {
    const { client, asked } = createFakeServer();
    const queries = createQueryClient();
    const { live, send } = createEvents();
    const stop = invalidateOnEvents(queries, live);
    const models = new QueryObserver(queries, callQuery(client, 'listModels'));
    const stopWatching = models.subscribe(() => {});
    await vi.advanceTimersByTimeAsync(0);
    const download = (at: number) => models.getCurrentResult().data?.data[at]?.download;
    const progress = { type: 'model.progress', received: 7, total: 10 } as const;

    send({ ...progress, id: 'base', state: 'downloading' });
    await vi.advanceTimersByTimeAsync(300);
    expect(download(1)).toMatchObject({ state: 'downloading', received: 7, total: 10 });
    expect(download(0)).toBeNull();
    expect(asked).toHaveLength(1);

    // Another program starts a download; a known one fails.
    for (const event of [
      { id: 'tiny', state: 'downloading' },
      { id: 'base', state: 'failed' },
    ]) {
      send({ ...progress, ...event });
      await vi.advanceTimersByTimeAsync(300);
    }
    expect(asked).toHaveLength(3);

    stopWatching();
    stop();
    queries.clear();
  });

  it('reads the rows of a list from its cached pages', async () => {
    const { client, asked } = createFakeServer();
    const queries = createQueryClient();
    const list = createPagedList({
      client,
      queries,
      id: 'listTranscripts',
      query: { order: 'desc' as const },
      toInput: ({ order }, page) => ({ query: { page, limit: PAGE_SIZE, order } }),
      toPage: ({ data }) => ({ items: data.transcriptions, total: data.pagination.total }),
    });
    expect(list.pagesFor(0, 12)).toEqual([0]);
    expect(list.pagesFor(98, 101)).toEqual([0, 1, 2]);
    expect(list.rowAt(99)).toBeUndefined();
    for (const page of list.pagesFor(98, 101))
      await queries.fetchQuery(list.pageQuery({ order: 'desc' }, page));
    expect(list.rowAt(99)?.id).toBe('tr_99');
    expect(list.rowAt(100)?.id).toBe('tr_100');
    expect(list.rowAt(120)).toBeUndefined();
    expect(asked).toHaveLength(3);
  });
});
