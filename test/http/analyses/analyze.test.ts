import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Transcription } from '../../../electron/contract/transcript.ts';
import { AnalyzeTranscript } from '../../../electron/contract/transcript.ts';
import { secretsIn, secretsInFolder, secretTexts, turnOffBackups } from '../../support/secrets.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';
import { transcribe } from '../../support/transcribe.ts';
import { startUrlServer, type UrlServer } from '../../support/url-server.ts';

/** Seconds by which a name, a place, a phone number and an e-mail address are said. */
const SOME = 14;

let server: TestServer;
let remote: UrlServer;
let made: Transcription;

beforeAll(async () => {
  [server, remote] = await Promise.all([
    startServer({ quick: true, model: 'starter-parakeet' }),
    startUrlServer(),
  ]);
  await turnOffBackups(server);
  made = await transcribe(server, remote, '04-personal-data.m4a', { topics: true, audio_end_at: SOME });
});
afterAll(async () => {
  await Promise.all([discard(server), remote.close()]);
});

const analyze = (asked: Parameters<typeof AnalyzeTranscript.parse>[0] & object, id = made.id) =>
  server.client.call('analyzeTranscript', {
    params: { id },
    body: AnalyzeTranscript.parse({ wait_until_complete: true, ...asked }),
  });

describe('a reanalysis of a finished transcription', () => {
  it('adds analyses without recognizing or charging again', async () => {
    const t = await analyze({ entity_detection: true, summarization: true, summary_type: 'markdown' });
    expect(t).toMatchObject({
      status: 'completed',
      text: made.text,
      segments: made.segments,
      credits_used: made.credits_used,
      topics: made.topics,
      summary: { type: 'markdown' },
    });
    expect(t.entities?.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['person', 'location', 'phone_number', 'email']),
    );
    expect(t.entities?.length).toBeGreaterThan(3);
  });

  it('refuses a request for nothing, and one for an unknown transcription', async () => {
    await expect(analyze({})).rejects.toMatchObject({ status: 400, code: 'invalid_request' });
    await expect(analyze({ topics: true }, 'tr_none')).rejects.toMatchObject({ status: 404 });
  });

  it('leaves the transcription unchanged if cancelled while it waits; a second one is a conflict', async () => {
    await server.client.call('pauseQueue');
    const queued = await analyze({ redact_pii: true, wait_until_complete: false });
    expect(queued).toMatchObject({ status: 'processing', text: '', segments: [] });
    await expect(analyze({ topics: true })).rejects.toMatchObject({
      status: 409,
      code: 'transcript_not_ready',
    });
    const t = await server.client.call('cancelTranscript', { params: { id: made.id } });
    await server.client.call('resumeQueue');
    expect(t).toMatchObject({ status: 'completed', text: made.text, segments: made.segments });
    expect(t).not.toHaveProperty('redact_pii_sub');
    expect(t.warnings.join(' ')).toContain('cancelled');
  });

  it('redacts for good, including audio, search index and write-ahead log', async () => {
    const before = await server.client.call('getTranscript', { params: { id: made.id } });
    const secrets = secretTexts([
      ...(before.entities ?? []).filter(({ type }) => type !== 'url').map(({ text }) => text),
      'Maria',
      'Lopez',
    ]);
    expect(secretsInFolder(server.dataDir, secrets).length).toBeGreaterThan(5);
    const t = await analyze({ redact_pii: true, redact_pii_sub: 'mask', redact_pii_audio: true });
    expect(t.status).toBe('completed');
    expect(secretsIn(JSON.stringify(t), secrets)).toEqual([]);
    expect(secretsInFolder(server.dataDir, secrets)).toEqual([]);
    expect(t.redaction_report).toMatchObject({ checked: true, audible: [] });
    expect(t.redacted_audio_url).toContain(`/v1/transcript/id/${made.id}/audio`);
    const found = await server.client.call('searchTranscripts', { query: { q: 'Lopez' } });
    expect(found.data.results).toEqual([]);
    const again = await analyze({ topics: true });
    expect(again).toMatchObject({ text: t.text, redact_pii_sub: 'mask' });
  });
});
