import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  AnalyzeTranscript,
  CreateTranscript,
  type Transcription,
} from '../../../electron/contract/transcript.ts';
import { fixture } from '../../support/fixtures.ts';
import { filesHolding } from '../../support/secrets.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';
import { transcribe } from '../../support/transcribe.ts';
import { file, startUrlServer, type UrlServer } from '../../support/url-server.ts';

let server: TestServer;
let remote: UrlServer;
/** Both have the same two speakers: the first speaker of the first recording is B in the second. */
let talk: Transcription;
let later: Transcription;

/** Both speakers have said two sentences by then. */
const SOME = { audio_end_at: 10.6 } as const;

/** Transcribes with the fastest recognizer. */
const hear = (name: string, extra: Parameters<typeof transcribe>[3]) =>
  transcribe(server, remote, name, { model: 'starter-parakeet', ...extra });

beforeAll(async () => {
  [server, remote] = await Promise.all([startServer({ quick: true }), startUrlServer()]);
  talk = await hear('02-two-speakers.mp3', { diarize: true, audio_end_at: 16 });
  later = await hear('12-moderation.webm', { diarize: true, ...SOME });
});
afterAll(async () => {
  await Promise.all([discard(server), remote.close()]);
});

const get = (id: string) => server.client.call('getTranscript', { params: { id } });
const name = (id: string, speakers: Record<string, string | { name: string; remember: boolean }>) =>
  server.client.call('patchTranscript', { params: { id }, body: { speakers } });
const voices = async () => (await server.client.call('listVoices')).data;

/** Every vector in the database, as the bytes on the disk. */
const vectors = (): Buffer[] => {
  const db = new BetterSqlite3(join(server.dataDir, 'earshot.db'), { readonly: true });
  const rows: Buffer[] = ['remembered_voices', 'speaker_voices'].flatMap((table) =>
    db.prepare<[], Buffer>(`SELECT embedding FROM ${table}`).pluck().all(),
  );
  db.close();
  return rows;
};

const suggestions = ({ speakers = {} }: Transcription): (string | undefined)[] =>
  Object.values(speakers).map((speaker) => speaker.suggested_name);

describe('a remembered speaker', () => {
  it('is not created by a name alone', async () => {
    expect(Object.keys(talk.speakers ?? {})).toEqual(['A', 'B']);
    expect(Object.keys(later.speakers ?? {})).toEqual(['A', 'B']);
    await name(talk.id, { A: 'Maria' });
    expect(await voices()).toEqual([]);
    expect(suggestions(await get(later.id))).toEqual([undefined, undefined]);
  });

  it('is suggested in another recording, and never applied', async () => {
    await name(talk.id, { A: { name: 'Maria', remember: true } });
    const [voice, ...others] = await voices();
    expect(voice).toMatchObject({ name: 'Maria', model: 'embedding-campplus-zh-en-small', recordings: 1 });
    expect(others).toEqual([]);
    const { speakers } = await get(later.id);
    expect(speakers?.B).toMatchObject({ name: 'Speaker B', suggested_name: 'Maria' });
    expect(speakers?.B?.similarity).toBeGreaterThan(0.875);
    expect(speakers?.A).not.toHaveProperty('suggested_name');
    const own = await get(talk.id);
    expect(suggestions(own)).toEqual([undefined, undefined]);
  });

  it('is recognized at once by a request that names the person', async () => {
    const known_speakers = [{ name: 'Maria' }, { name: 'Tom' }];
    const t = await server.client.call('analyzeTranscript', {
      params: { id: later.id },
      body: AnalyzeTranscript.parse({ diarize: true, known_speakers, wait_until_complete: true }),
    });
    expect(Object.values(t.speakers ?? {}).map((speaker) => speaker.name)).toEqual(['Speaker A', 'Maria']);
  });

  it('is neither suggested nor visible to other users', async () => {
    const { data } = await server.client.call('createUser', { body: { name: 'guest' } });
    const guest = server.as(data.key.key);
    const url = remote.set('/guest.webm', file(fixture('12-moderation.webm')));
    const t = await guest.call('createTranscript', {
      body: CreateTranscript.parse({
        audio_url: url,
        model: 'starter-parakeet',
        diarize: true,
        wait_until_complete: true,
        ...SOME,
      }),
    });
    expect(Object.keys(t.speakers ?? {})).toEqual(['A', 'B']);
    expect(suggestions(t)).toEqual([undefined, undefined]);
    expect((await guest.call('listVoices')).data).toEqual([]);
    const [voice] = await voices();
    const params = { id: voice?.id ?? '' };
    await expect(guest.call('forgetVoice', { params })).rejects.toMatchObject({ code: 'voice_not_found' });
    await expect(guest.call('renameVoice', { params, body: { name: 'x' } })).rejects.toMatchObject({
      status: 404,
    });
    await guest.call('patchTranscript', {
      params: { id: t.id },
      body: { speakers: { A: { name: 'Tom', remember: true } } },
    });
    await guest.call('forgetAllVoices');
    expect(await voices()).toHaveLength(1);
    const before = vectors().length;
    await server.client.call('deleteUser', { params: { id: data.user.id } });
    expect(vectors().length).toBeLessThanOrEqual(before);
  });

  it('gains confidence from each other recording once, and can be renamed', async () => {
    await name(later.id, { B: { name: 'Maria', remember: true } });
    await name(later.id, { B: { name: 'Maria', remember: true } });
    const [voice] = await voices();
    expect(voice?.recordings).toBe(2);
    await name(later.id, { A: { name: 'Tom', remember: true } });
    const params = { id: voice?.id ?? '' };
    const renamed = await server.client.call('renameVoice', { params, body: { name: 'Maria Lopez' } });
    expect(renamed.data.name).toBe('Maria Lopez');
    await expect(server.client.call('renameVoice', { params, body: { name: 'Tom' } })).rejects.toMatchObject({
      status: 409,
    });
  });

  it('keeps its name when the recording is diarized again', async () => {
    const again = await server.client.call('analyzeTranscript', {
      params: { id: talk.id },
      body: AnalyzeTranscript.parse({ diarize: true, speakers_expected: 2, wait_until_complete: true }),
    });
    expect(again.speakers?.A?.name).toBe('Maria');
    expect(again.speakers?.B).toMatchObject({ name: 'Speaker B', suggested_name: 'Tom' });
    expect(again.warnings.join()).not.toContain('The name of speaker');
  });

  it('is removed everywhere when forgotten, and no longer suggested', async () => {
    const [maria, tom] = await voices();
    const all = vectors();
    expect(all).toHaveLength(6);
    for (const vector of all) expect(filesHolding(server.dataDir, vector)).not.toEqual([]);
    await server.client.call('forgetVoice', { params: { id: maria?.id ?? '' } });
    const left = vectors();
    // The remembered embedding, and those of both recordings.
    expect(left).toHaveLength(3);
    const gone = all.filter((vector) => !left.some((kept) => kept.equals(vector)));
    expect(gone.length).toBeGreaterThan(1);
    for (const vector of gone) expect(filesHolding(server.dataDir, vector)).toEqual([]);
    expect((await voices()).map(({ id }) => id)).toEqual([tom?.id]);
    await server.client.call('forgetAllVoices');
    expect(vectors()).toEqual([]);
    for (const vector of all) expect(filesHolding(server.dataDir, vector)).toEqual([]);
    expect(suggestions(await get(talk.id))).toEqual([undefined, undefined]);
    await expect(name(talk.id, { B: { name: 'Tom', remember: true } })).rejects.toMatchObject({
      status: 409,
    });
    expect((await get(talk.id)).speakers?.B?.name).toBe('Speaker B');
  });

  it('is never stored with a redacted transcription', async () => {
    const redacted = await server.client.call('analyzeTranscript', {
      params: { id: later.id },
      body: AnalyzeTranscript.parse({
        diarize: true,
        redact_pii: true,
        redact_pii_policies: ['person_name'],
        wait_until_complete: true,
      }),
    });
    // A person named Tom and Maria; those names are redacted with the others.
    expect(Object.values(redacted.speakers ?? {}).map((speaker) => speaker.name)).toEqual([
      'Speaker A',
      'Speaker B',
    ]);
    expect(vectors()).toEqual([]);
    await expect(name(later.id, { A: { name: 'Eva', remember: true } })).rejects.toMatchObject({
      status: 409,
    });
  });
});

describe('a setting with a missing model', () => {
  it('costs the speakers, never the text, and explains what to do', async () => {
    const set = (id: string | null) =>
      server.client.call('patchSettings', { body: { 'speakers.embedding': id } });
    await expect(set('base')).rejects.toMatchObject({ status: 400 });
    await set('embedding-titanet-small');
    const t = await server.client.call('analyzeTranscript', {
      params: { id: talk.id },
      body: AnalyzeTranscript.parse({ diarize: true, wait_until_complete: true }),
    });
    await set(null);
    expect(t).toMatchObject({ status: 'completed', text: talk.text });
    expect(t.warnings.join()).toContain('earshot models install embedding-titanet-small');
  });
});
