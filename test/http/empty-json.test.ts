import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../../electron/contract/route.ts';
import { routes } from '../../electron/contract/routes.ts';
import { type InProcessServer, startInProcess } from '../support/server.ts';

const table: Readonly<Record<string, Route>> = routes;
/** Operations that read no body. */
const WITHOUT_BODY = Object.entries(table).filter(
  ([, route]) => route.body === undefined && (route.bodyType ?? 'json') === 'json',
);
/** A fault of the request, such as a missing parameter, names the request, which differs. */
const withoutId = (text: string): string => text.replace(/"request_id":"\w+"/, '');

let server: InProcessServer;

beforeAll(async () => {
  server = await startInProcess();
});
afterAll(() => server.close());

const ask = async ({ method, path }: Route, headers: Readonly<Record<string, string>>) => {
  const stop = new AbortController();
  const response = await fetch(server.url + path.replaceAll(/\{\w+\}/g, 'nothing'), {
    method,
    headers: { authorization: `Bearer ${server.key}`, ...headers },
    signal: stop.signal,
    redirect: 'manual',
  });
  const { status } = response;
  const text = status < 400 ? '' : withoutId(await response.text());
  stop.abort();
  return { status, text };
};

describe('a request without a body is answered alike with and without Content-Type: application/json', () => {
  it.each(WITHOUT_BODY)('%s', async (_id, route) => {
    const plain = await ask(route, {});
    expect(await ask(route, { 'content-type': 'application/json' })).toEqual(plain);
    expect(await ask(route, { 'content-type': 'application/json; charset=utf-8' })).toEqual(plain);
    expect(plain.status).not.toBe(415);
  });

  it('a body that is missing is named by its fields', async () => {
    const response = await fetch(`${server.url}/v1/transcript`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      code: 'invalid_request',
      details: [{ path: 'audio_url', message: expect.any(String) }],
    });
  });
});
