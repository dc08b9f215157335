import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonValue } from '../../electron/contract/common.ts';
import { isSettingKey, SETTINGS, type SettingKey } from '../../electron/contract/settings.ts';
import { fixturePath, ONE_SENTENCE } from '../support/fixtures.ts';
import { discard, QUICK, startServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { file, startUrlServer, type UrlServer } from '../support/url-server.ts';

const folders = temporaryFolder();
const cores = availableParallelism();
const many = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));

/** The ends of settings that are no plain number or switch; the second is the largest. */
const ENDS: Partial<Record<SettingKey, readonly [JsonValue, JsonValue]>> = {
  'network.allowedOrigins': [[], many(100, (n) => `https://a${n}.example`)],
  'network.allowedHosts': [[], many(100, (n) => `a${n}.example`)],
  'models.aliases.nano': ['starter', 'starter'],
  'models.aliases.mini': ['starter', 'starter'],
  'models.aliases.pro': ['starter', 'starter'],
  'models.baseUrl': ['http://a/', `https://a.example/${'b'.repeat(2000)}`],
  'models.catalogue': [[], many(100, (n) => `model-${n} 999999999999999 ${'a'.repeat(64)}`)],
  'speakers.segmentation': ['segmentation-pyannote-3.0', 'segmentation-pyannote-3.0-small'],
  'speakers.embedding': ['embedding-titanet-small', 'embedding-campplus-zh-en-small'],
  'engine.threads': [0, cores],
  'storage.mirrors': [[], many(8, (n) => join(folders, `mirror-${n}`))],
  'updates.feed': ['', `https://a.example/${'b'.repeat(2000)}`],
  'llm.url': ['', 'http://127.0.0.1:9/v1'],
  'llm.model': ['', 'm'.repeat(200)],
  'engine.device': ['cpu', 'vulkan'],
};

/** The ends that forbid a download, and what the job ends with. */
const FORBIDDING: readonly (readonly [SettingKey, JsonValue, string])[] = [
  ['network.offline', true, 'offline'],
  ['network.maxDownloadBytes', 0, 'download_too_large'],
];

const keys = Object.keys(SETTINGS).filter(isSettingKey);

const endsOf = (key: SettingKey): readonly JsonValue[] => {
  const { type, minimum, maximum } = z.toJSONSchema(SETTINGS[key].schema, { unrepresentable: 'any' });
  const ends = type === 'boolean' ? [false, true] : [minimum, maximum].filter((end) => end !== undefined);
  return ENDS[key] ?? ends;
};

const isForbidding = (key: SettingKey, end: JsonValue | undefined) =>
  FORBIDDING.some((each) => each[0] === key && each[1] === end);

/** The settings that a job tries at once: all for a download, and all others. */
const TOGETHER = Object.entries(
  Object.groupBy(
    keys.filter((key) => !SETTINGS[key].restart),
    (key) => (key.startsWith('network.') ? 'network.*' : 'all others'),
  ),
).map(([name, together = []]) => [name, together] as const);

let server: TestServer;
let remote: UrlServer;
let stored = '';
let address = '';

beforeAll(async () => {
  [server, remote] = await Promise.all([startServer({ quick: true }), startUrlServer()]);
  const bytes = await readFile(fixturePath(ONE_SENTENCE));
  address = remote.set('/note.wav', file(bytes, { type: 'audio/wav' }));
  const form = new FormData();
  form.append('file', new Blob([bytes]), 'note.wav');
  const uploaded = await server.client.call('uploadFile', { body: form });
  stored = `storage:${uploaded.data.file.key}`;
});
afterAll(() => Promise.all([discard(server), remote.close()]));

/** The code of the job's error; undefined if it succeeded. */
const runJob = async (tried: readonly SettingKey[]): Promise<string | undefined> => {
  const tries = (part: string) => tried.some((key) => key.startsWith(part));
  const audio_url = tries('network.') ? address : stored;
  const diarize = tries('speakers.');
  const { status, error, text } = await server.client.call('createTranscript', {
    body: { audio_url, diarize, summarization: tries('llm.'), wait_until_complete: true },
  });
  if (status === 'completed') expect(text).not.toBe('');
  return error?.code ?? (status === 'completed' ? undefined : status);
};

const patch = (body: Record<string, JsonValue | null>) => server.client.call('patchSettings', { body });

describe('a job succeeds at the smallest and the largest value of every setting', () => {
  it.each(TOGETHER)('%s', async (_, together) => {
    for (const key of together) expect(endsOf(key)).toHaveLength(2);
    for (const at of [0, 1] as const) {
      const tried = together.filter((key) => !isForbidding(key, endsOf(key)[at]));
      if (tried.length === 0) continue;
      await patch(Object.fromEntries(tried.map((key) => [key, endsOf(key)[at] ?? null])));
      expect(await runJob(tried)).toBeUndefined();
    }
    await patch({ ...Object.fromEntries(together.map((key) => [key, null])), ...QUICK });
  });

  it.each(FORBIDDING)('unless it forbids the download: %s %j', async (key, end, code) => {
    expect(endsOf(key)).toContain(end);
    await patch({ [key]: end });
    expect(await runJob([key])).toBe(code);
    await patch({ [key]: null });
  });

  it.each([
    ['smallest', 0],
    ['largest', 1],
  ] as const)('the %s of those that need a restart', async (_, at) => {
    const restarting = keys.filter((key) => SETTINGS[key].restart);
    expect(restarting).toContain('engine.parallel');
    const values = restarting.map((key) => [key, endsOf(key)[at] ?? null] as const);
    await patch(Object.fromEntries(values));
    await server.stop();
    server = await startServer({ dataDir: server.dataDir });
    expect(await runJob([])).toBeUndefined();
  });
});

describe('a value beyond the ends is refused', () => {
  it.each(keys)('%s', async (key) => {
    const [smallest, largest] = endsOf(key);
    if (typeof smallest !== 'number' || typeof largest !== 'number') return;
    for (const value of [smallest - 1, largest + 1]) {
      await expect(patch({ [key]: value })).rejects.toMatchObject({ status: 400, details: [{ path: key }] });
    }
  });

  it('engine.beamSize above the engine’s own limit', async () => {
    await expect(patch({ 'engine.beamSize': 9 })).rejects.toMatchObject({ status: 400 });
  });

  it('engine.threads above this machine’s cores, with the reason', async () => {
    await expect(patch({ 'engine.threads': cores + 1 })).rejects.toThrow(/cores/);
  });
});
