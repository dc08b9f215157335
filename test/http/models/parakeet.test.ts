import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { EXPORT_FORMATS } from '../../../electron/contract/exports.ts';
import { wav } from '../../support/audio.ts';
import { ONE_SENTENCE, truth } from '../../support/fixtures.ts';
import { killOnCommit } from '../../support/kill-on-commit.ts';
import { multilingualParakeet } from '../../support/multilingual-parakeet.ts';
import { parakeetCliText } from '../../support/parakeet-cli.ts';
import { parakeetTestModel } from '../../support/parakeet-test-model.ts';
import { STARTER_PARAKEET } from '../../support/paths.ts';
import { fixturePcm } from '../../support/pcm.ts';
import { discard, SYNTHETIC, startServer, type TestServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { transcribe } from '../../support/transcribe.ts';
import { until } from '../../support/until.ts';
import { file, startUrlServer, type UrlServer } from '../../support/url-server.ts';
import { plainWords, wordErrorRate, wordErrors } from '../../support/word-error-rate.ts';

const MODEL = 'starter-parakeet';
/** A note, and one of sentences with a long silence between them; lossy codecs are in `test/http/containers.test.ts`. */
const SHORT_RECORDINGS = ['01-short-note.wav', '13-long-pause.wav'];
/** Of the words of the recordings below; the model card says 0.2 % over all samples. */
const MAX_WORD_ERROR_RATE = 0.02;
/** A voice as loud as one across the room: 20 dB below the speaker's. */
const BACKGROUND = 0.1;
const PATIENCE_MS = 600_000;

vi.setConfig({ testTimeout: PATIENCE_MS });

let server: TestServer;
let remote: UrlServer;

/** Texts that several tests look at. */
const texts = new Map<string, Promise<string>>();
const textOf = (name: string): Promise<string> => {
  const text = texts.get(name) ?? transcribe(server, remote, name, { model: MODEL }).then((t) => t.text);
  texts.set(name, text);
  return text;
};

const find = async (id: string) => {
  const { data } = await server.client.call('listModels', { query: { catalog: true } });
  return data.find((model) => model.id === id);
};

beforeAll(async () => {
  remote = await startUrlServer();
  server = await startServer({ args: SYNTHETIC });
  await server.client.call('patchSettings', {
    body: { 'limits.requestsPerMinute': 0, 'network.allowPrivateAddresses': true },
  });
});

afterAll(async () => {
  await discard(server);
  await remote.close();
});

describe('the Parakeet family', () => {
  it('is in the catalog, and a file of a person’s own is known', async () => {
    expect(await find(MODEL)).toMatchObject({
      kind: 'parakeet',
      installed: true,
      bundled: false,
      languages: ['en'],
      size: 21_633_342,
    });
    const published = await find('parakeet-tdt-0.6b-v3-q8_0');
    expect(published).toMatchObject({ kind: 'parakeet', installed: false, size: 668_757_119 });
    expect(published?.languages).toHaveLength(25);
    expect(published?.sha256).toMatch(/^4d64e9e9[0-9a-f]{56}$/);
  });

  it('writes recordings with speakers, words in order and their times', async () => {
    const name = '02-two-speakers.mp3';
    const audio_end_at = 14;
    const { status, warnings, ...transcript } = await transcribe(server, remote, name, {
      model: MODEL,
      timestamp_style: 'word',
      diarize: true,
      prompt: 'Northwind',
      audio_end_at,
    });
    expect(status).toBe('completed');
    expect(transcript.language).toBe('en');
    const sentences = truth(name).sentences.filter(({ end }) => end <= audio_end_at);
    const said = sentences.map(({ text }) => text).join(' ');
    expect(wordErrorRate(said, transcript.text ?? '')).toBeLessThanOrEqual(MAX_WORD_ERROR_RATE);
    expect(warnings).toContainEqual(expect.stringContaining('The prompt had no effect'));
    const words = transcript.segments?.flatMap(({ words: spoken = [] }) => spoken) ?? [];
    expect(words.length).toBeGreaterThan(32);
    for (const [index, word] of words.entries()) {
      expect(word.end).toBeGreaterThanOrEqual(word.start);
      expect(word.start).toBeGreaterThanOrEqual(words[index - 1]?.end ?? 0);
    }
    expect(new Set(words.map(({ speaker_id }) => speaker_id)).size).toBe(2);
    expect(transcript.segments?.length).toBeGreaterThan(4);
  });

  it('writes the words that parakeet-cli hears in one piece', async () => {
    let wrong = 0;
    let count = 0;
    for (const name of SHORT_RECORDINGS) {
      const text = await textOf(name);
      const heard = plainWords(text);
      expect(heard, name).toEqual(plainWords(await parakeetCliText(fixturePcm(name))));
      const said = plainWords(truth(name).text);
      wrong += wordErrors(said, heard);
      count += said.length;
    }
    expect(wrong / count).toBeLessThanOrEqual(0.005);
  });

  it('leaves long silences out', async () => {
    const text = await textOf('13-long-pause.wav');
    expect(wordErrorRate(truth('13-long-pause.wav').text, text)).toBe(0);
  });

  it('goes on after SIGKILL with the same text, in every export', async () => {
    // A chunk of four minutes, and another one.
    const note = fixturePcm('01-short-note.wav');
    const first = fixturePcm('01-short-note.wav');
    const pcm = new Int16Array(first.length + 223 * 16_000 + note.length);
    const samplesOf = (sound: Float32Array) =>
      Int16Array.from(sound, (sample) => Math.round(sample * 32_767));
    pcm.set(samplesOf(first));
    pcm.set(samplesOf(note), pcm.length - note.length);
    const long = wav(pcm);
    const request = { model: MODEL, audio_url: remote.set('/two-chunks.wav', file(long)) } as const;
    const whole = await server.client.call('createTranscript', {
      body: { ...request, wait_until_complete: true },
    });
    const alone = await Promise.all([first, note].map(parakeetCliText));
    expect(plainWords(whole.text)).toEqual(plainWords(alone.join(' ')));
    let id = '';
    const query = `SELECT count(*) FROM transcripts WHERE status = 'processing' AND checkpoint LIKE '%"chunk":1,%'`;
    const database = join(server.dataDir, 'earshot.db');
    await killOnCommit({ pid: server.pid, database, query, patienceMs: PATIENCE_MS }, async () => {
      ({ id } = await server.client.call('createTranscript', { body: request }));
    });
    await server.kill();
    server = await startServer({ args: SYNTHETIC, dataDir: server.dataDir });
    const resumed = await until(async () => {
      const transcript = await server.client.call('getTranscript', { params: { id } });
      return transcript.status === 'processing' ? undefined : transcript;
    }, PATIENCE_MS);
    expect(resumed.status).toBe('completed');
    expect(resumed.segments).toEqual(whole.segments);
    const [word = ''] = /\w{6,}/.exec(whole.text) ?? [];
    for (const format of EXPORT_FORMATS.filter((each) => each !== 'docx')) {
      const response = await server.fetch(`/v1/transcript/id/${id}/export?format=${format}`);
      expect(await response.text(), format).toContain(word);
    }
  });

  it('hears the speaker, not a voice in the background', async () => {
    const [near, far] = [fixturePcm('01-short-note.wav'), fixturePcm('03-three-speakers.flac')];
    const mixed = near.map((sample, index) => 0.9 * sample + BACKGROUND * (far[index] ?? 0));
    const url = remote.set('/background.wav', file(wav(Int16Array.from(mixed, (sample) => sample * 32_767))));
    const body = { audio_url: url, model: MODEL, wait_until_complete: true } as const;
    const { text } = await server.client.call('createTranscript', { body });
    expect(wordErrorRate(truth('01-short-note.wav').text, text)).toBeLessThanOrEqual(0.06);
  });

  it('refuses other languages and translation with the reason', async () => {
    for (const [extra, message] of [
      [{ language: 'de' }, /language: the model starter-parakeet is English-only/],
      [{ translate: true }, /translate: the model starter-parakeet was not trained to translate/],
    ] as const) {
      await expect(
        transcribe(server, remote, '01-short-note.wav', { model: MODEL, ...extra }),
      ).rejects.toThrow(message);
    }
    await expect(
      transcribe(server, remote, '01-short-note.wav', { model: 'parakeet-tdt-0.6b-v3', language: 'ja' }),
    ).rejects.toThrow(/does not know this language; it knows bg, hr/);
  });

  it('warns where a model for many languages wrote English in the place of another one', async () => {
    const path = join(temporaryFolder(), 'ggml-many-languages.bin');
    writeFileSync(path, multilingualParakeet());
    const { data } = await server.client.call('importModel', { body: { path } });
    expect(data.languages).toBe('multilingual');
    const inFrench = await transcribe(server, remote, ONE_SENTENCE, { model: data.id, language: 'fr' });
    expect(inFrench.warnings).toEqual([
      expect.stringMatching(/wrote English at 0:00.*, although the recording is in another language \(fr\)/),
    ]);
    const inEnglish = await transcribe(server, remote, ONE_SENTENCE, { model: data.id, language: 'en' });
    expect(inEnglish.warnings).toEqual([]);
    expect(wordErrorRate(truth(ONE_SENTENCE).text, inEnglish.text ?? '')).toBeLessThanOrEqual(
      MAX_WORD_ERROR_RATE,
    );
  });

  it('is recognized in a file of the user’s own', async () => {
    const folder = temporaryFolder();
    const own = join(folder, 'ggml-own model.bin');
    copyFileSync(STARTER_PARAKEET, own);
    const { data } = await server.client.call('importModel', { body: { path: own } });
    expect(data).toMatchObject({ id: 'own-model.en', kind: 'parakeet', languages: ['en'], installed: true });
    const { text } = await transcribe(server, remote, ONE_SENTENCE, { model: data.id });
    expect(wordErrorRate(truth(ONE_SENTENCE).text, text ?? '')).toBeLessThanOrEqual(MAX_WORD_ERROR_RATE);

    const { bytes, tensors } = parakeetTestModel();
    const damaged = Buffer.from(bytes);
    damaged.writeInt32LE(20, tensors[3] ?? 0);
    writeFileSync(own, damaged);
    await expect(
      server.client.call('importModel', { body: { path: own, id: 'bad.en' } }),
    ).rejects.toMatchObject({
      code: 'content_mismatch',
    });
    expect((await server.client.call('health')).status).toBe('ok');
  });
});
