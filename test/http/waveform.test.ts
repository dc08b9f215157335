import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CreateTranscriptInput } from '../../electron/contract/transcript.ts';
import { fixturePath } from '../support/fixtures.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let key: string;

beforeAll(async () => {
  server = await startServer({ quick: true, model: 'starter-parakeet' });
  const form = new FormData();
  form.append('file', new Blob([await readFile(fixturePath('01-short-note.wav'))]), 'note.wav');
  const { data } = await server.client.call('uploadFile', { body: form });
  key = data.file.key;
});
afterAll(() => discard(server));

const ids = new Map<string, string>();

/** The transcript of the recording with these options, made once. */
const transcribe = async (more: Partial<CreateTranscriptInput> = {}): Promise<string> => {
  const made = ids.get(JSON.stringify(more));
  if (made !== undefined) return made;
  const { id } = await server.client.call('createTranscript', {
    body: { audio_url: `storage:${key}`, wait_until_complete: true, ...more },
  });
  ids.set(JSON.stringify(more), id);
  return id;
};
const peaks = async (id: string, query: { per_second?: number; from?: number; to?: number }) =>
  (await server.client.call('transcriptPeaks', { params: { id }, query })).data;

/** The largest of each run of `count`. */
const joined = (values: readonly number[], count: number): number[] =>
  Array.from({ length: Math.floor(values.length / count) }, (_, index) =>
    Math.max(...values.slice(index * count, (index + 1) * count)),
  );

describe('a part of the waveform', () => {
  it.each<[string, Partial<CreateTranscriptInput>, number]>([
    ['a recording', {}, 1],
    ['a range of one', { audio_start_from: 4, audio_end_at: 12 }, 5],
  ])('of %s has up to 100 buckets per second, at the same times', async (_what, more, from) => {
    const id = await transcribe(more);
    const whole = await peaks(id, {});
    const part = await peaks(id, { per_second: 100, from, to: from + 2 });
    expect(part).toMatchObject({ per_second: 100, from });
    expect(part.max).toHaveLength(200);
    const begin = 20 * (from - (more.audio_start_from ?? 0));
    const same = whole.max.slice(begin, begin + 40);
    const largest = Math.max(...same);
    expect(largest).toBeGreaterThan(0.1);
    for (const [index, value] of joined(part.max, 5).entries())
      expect(Math.abs(value - (same[index] ?? 0))).toBeLessThan(0.01);
  });

  it('is that of the stored waveform where the audio is gone', async () => {
    const id = await transcribe();
    const whole = await peaks(id, {});
    await server.client.call('deleteFile', { params: { fileKey: key } });
    expect(await peaks(id, { per_second: 100, from: 1, to: 2 })).toMatchObject({
      per_second: 20,
      from: 1,
      max: whole.max.slice(20, 40),
    });
  });

  it.each([
    ['from=3', 'only its beginning'],
    ['from=3&to=2', 'an end before its beginning'],
    ['from=0&to=61', 'more than a minute'],
    ['from=-1&to=2', 'a negative time'],
    ['from=NaN&to=2', 'no number'],
  ])('is refused for %s: %s', async (query) => {
    const response = await server.fetch(`/v1/transcript/id/tr_0/peaks?${query}`);
    expect(response.status).toBe(400);
  });
});
