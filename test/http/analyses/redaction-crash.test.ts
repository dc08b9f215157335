import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AnalyzeTranscript } from '../../../electron/contract/transcript.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';
import { startUrlServer, type UrlServer } from '../../support/url-server.ts';
import { transcribe } from './support/recordings.ts';
import { secretsIn, secretTexts } from './support/secrets.ts';

const NAME = '04-personal-data.m4a';
/** A name is also part of the e-mail address, which may be misheard as a URL. */
const POLICIES = ['person_name', 'email_address', 'url'];
/** Time for an analysis that also recognizes the beeped audio again. */
const PATIENCE_MS = 240_000;

let server: TestServer;
let remote: UrlServer;
let id: string;
let lastSegment: number;
let secrets: string[];

beforeAll(async () => {
  [server, remote] = await Promise.all([startServer({ quick: true }), startUrlServer()]);
  const t = await transcribe(server, remote, NAME, { entity_detection: true });
  id = t.id;
  lastSegment = t.segments.length - 1;
  const values = t.entities?.filter(({ type }) => type === 'person').map(({ text }) => text) ?? [];
  secrets = secretTexts([...values, 'Lopez']);
}, PATIENCE_MS);

afterAll(async () => {
  await Promise.all([discard(server), remote.close()]);
});

/** Sends SIGKILL as soon as the row meets the condition, so the server does little or nothing after that commit. */
const killWhen = async (condition: string): Promise<void> => {
  const database = new BetterSqlite3(join(server.dataDir, 'earshot.db'), { readonly: true });
  const statement = database
    .prepare(`SELECT count(*) FROM transcripts WHERE id = ? AND ${condition}`)
    .pluck();
  const end = performance.now() + PATIENCE_MS;
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  while (statement.get(id) !== 1 && performance.now() < end) Atomics.wait(sleeper, 0, 0, 0.2);
  process.kill(server.pid, 'SIGKILL');
  database.close();
  await server.kill();
};

const restart = async () => {
  server = await startServer({ dataDir: server.dataDir });
};

const find = async (q: string): Promise<string[]> => {
  const found = await server.client.call('searchTranscripts', { query: { q } });
  return found.data.results.map((result) => result.id);
};

const databaseBytes = (): string =>
  readdirSync(server.dataDir)
    .filter((name) => name.startsWith('earshot.db'))
    .map((name) => readFileSync(join(server.dataDir, name)).toString('latin1'))
    .join('\n');

describe('a server that is killed right after a commit', () => {
  it.each([1, 2, 3, 4, 5])('finds a new name after the restart (%i)', async (n) => {
    const name = `zeppelin${n}`;
    const answer = server.client.call('patchTranscript', { params: { id }, body: { name } }).catch(() => {});
    // The request leaves this process before the loop below holds it up.
    await new Promise((resolve) => setTimeout(resolve, 5));
    await killWhen(`name = '${name}'`);
    await answer;
    await restart();
    expect(await find(name)).toEqual([id]);
  });

  it('finds a corrected text after the restart', async () => {
    const segments = [{ id: lastSegment, text: 'A corrected xylophone.' }];
    await server.client.call('patchTranscript', { params: { id }, body: { segments } });
    await server.kill();
    await restart();
    expect(await find('xylophone')).toEqual([id]);
  });

  it('finds nothing redacted, and keeps it in no file', { timeout: PATIENCE_MS }, async () => {
    expect(secrets.length).toBeGreaterThan(1);
    expect(await find('Lopez')).toEqual([id]);
    const body = AnalyzeTranscript.parse({ redact_pii: true, redact_pii_policies: POLICIES });
    await server.client.call('analyzeTranscript', { params: { id }, body });
    await killWhen(`status = 'completed'`);
    await restart();
    expect(await find('Lopez')).toEqual([]);
    const t = await server.client.call('getTranscript', { params: { id } });
    expect(secretsIn(t.text, secrets)).toEqual([]);
    await server.stop();
    expect(secretsIn(databaseBytes(), secrets)).toEqual([]);
  });
});
