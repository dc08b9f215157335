import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CreateTranscript } from '../../../electron/contract/transcript.ts';
import { fixture } from '../../support/fixtures.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';
import { file, startUrlServer, type UrlServer } from '../../support/url-server.ts';

let server: TestServer;
let remote: UrlServer;

/** The e-mail address alone. */
const FROM = 9.5;
const TO = 14;
const NAME = '04-personal-data.m4a';

beforeAll(async () => {
  [server, remote] = await Promise.all([
    startServer({ quick: true, model: 'starter-parakeet' }),
    startUrlServer(),
  ]);
});
afterAll(async () => {
  await Promise.all([discard(server), remote.close()]);
});

const seconds = (path: string): number =>
  Number(
    execFileSync('ffprobe', ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', path]),
  );

describe('a redacted and diarized time range', () => {
  it.each([
    ['read part by part', true],
    ['of a whole download', false],
  ])('keeps the sound of that range alone: %s', async (_, ranges) => {
    const url = remote.set(`/${ranges}/${NAME}`, file(fixture(NAME), { ranges }));
    // Speakers are identified in the same samples, however these were read.
    const diarize = ranges;
    const t = await server.client.call('createTranscript', {
      body: CreateTranscript.parse({
        audio_url: url,
        audio_start_from: FROM,
        audio_end_at: TO,
        redact_pii: true,
        diarize,
        wait_until_complete: true,
      }),
    });
    expect(t.status).toBe('completed');
    expect(t.text).toMatch(/\[(?:EMAIL_ADDRESS|URL)_[0-9a-f]{8}\]/);
    expect(t.redaction_report).toMatchObject({ checked: true, audible: [] });
    expect(t.audio_offset).toBeCloseTo(FROM, 1);
    expect(Object.keys(t.speakers ?? {})).toEqual(diarize ? ['A'] : []);
    const folder = join(server.dataDir, 'transcripts', t.id);
    expect(readdirSync(folder).filter((name) => name.startsWith('audio'))).toEqual(['audio.m4a']);
    expect(seconds(join(folder, 'audio.m4a'))).toBeCloseTo(TO - FROM, 0);
  });
});
