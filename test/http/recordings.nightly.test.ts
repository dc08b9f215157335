import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENGLISH_RECORDINGS, fixturePath, RECORDINGS, truth } from '../support/fixtures.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { file, startUrlServer, type UrlServer } from '../support/url-server.ts';
import { plainWords, wordErrors } from '../support/word-error-rate.ts';

let server: TestServer;
let remote: UrlServer;

beforeAll(async () => {
  [server, remote] = await Promise.all([startServer(), startUrlServer()]);
});
afterAll(async () => {
  await Promise.all([discard(server), remote.close()]);
});

/** Every recording from its beginning to its end, of which `npm test` takes the first sentences. */
describe.each([
  ['mini', RECORDINGS],
  ['starter-parakeet', ENGLISH_RECORDINGS],
] as const)('%s', (model, names) => {
  it.each(names)('understands all of %s', async (name) => {
    const audio_url = remote.set(`/${name}`, file(readFileSync(fixturePath(name))));
    const body = { audio_url, model, wait_until_complete: true };
    const { status, text } = await server.client.call('createTranscript', { body });
    expect(status).toBe('completed');
    const said = plainWords(truth(name).text);
    if (said.length === 0) expect(text).toBe('');
    else expect(wordErrors(said, plainWords(text)) / said.length).toBeLessThan(0.13);
  });
});
