import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AnalyzeTranscript } from '../../../electron/contract/transcript.ts';
import { killOnCommit } from '../../support/kill-on-commit.ts';
import { secretsIn, secretTexts } from '../../support/secrets.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';
import { transcribe } from '../../support/transcribe.ts';
import { startUrlServer, type UrlServer } from '../../support/url-server.ts';

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
  [server, remote] = await Promise.all([
    startServer({ quick: true, model: 'starter-parakeet' }),
    startUrlServer(),
  ]);
  const t = await transcribe(server, remote, NAME, {
    entity_detection: true,
    // The name and the e-mail address are said by then.
    audio_end_at: 14,
  });
  id = t.id;
  lastSegment = t.segments.length - 1;
  const values = t.entities?.filter(({ type }) => type === 'person').map(({ text }) => text) ?? [];
  secrets = secretTexts([...values, 'Lopez']);
}, PATIENCE_MS);

afterAll(async () => {
  await Promise.all([discard(server), remote.close()]);
});

/** Runs `act`, and kills the server as soon as the transcript meets the condition. */
const killWhen = async (condition: string, act: () => Promise<unknown>): Promise<void> => {
  await killOnCommit(
    {
      pid: server.pid,
      database: join(server.dataDir, 'earshot.db'),
      query: `SELECT count(*) FROM transcripts WHERE id = '${id}' AND ${condition}`,
      patienceMs: PATIENCE_MS,
    },
    act,
  );
  await server.kill();
};

const restart = async () => {
  server = await startServer({ dataDir: server.dataDir, model: 'starter-parakeet' });
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
  it('finds a new name and a corrected text after the restart', async () => {
    const [name, word] = ['zeppelin', 'saxophone'];
    const body = { name, segments: [{ id: lastSegment, text: `A corrected ${word}.` }] };
    await killWhen(`name = '${name}' AND text LIKE '%${word}%'`, () =>
      server.client.call('patchTranscript', { params: { id }, body }),
    );
    await restart();
    for (const q of [name, word]) expect(await find(q)).toEqual([id]);
  });

  it('finds nothing redacted, and keeps it in no file', { timeout: PATIENCE_MS }, async () => {
    expect(secrets.length).toBeGreaterThan(1);
    expect(await find('Lopez')).toEqual([id]);
    const body = AnalyzeTranscript.parse({ redact_pii: true, redact_pii_policies: POLICIES });
    // It is completed until the analysis is queued, and once it is redacted.
    // In two parts, since the condition itself is in the file for a while.
    await killWhen(`status = 'completed' AND text NOT LIKE '%Lo' || 'pez%'`, () =>
      server.client.call('analyzeTranscript', { params: { id }, body }),
    );
    await restart();
    expect(await find('Lopez')).toEqual([]);
    const t = await server.client.call('getTranscript', { params: { id } });
    expect(secretsIn(t.text, secrets)).toEqual([]);
    await server.stop();
    expect(secretsIn(databaseBytes(), secrets)).toEqual([]);
  });
});
