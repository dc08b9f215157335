import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  boundsOf,
  cuesOf,
  refusal,
  type Segments,
  stateOf,
  TimedTranscripts,
  timesOf,
} from '../support/timed-transcripts.ts';
import { until } from '../support/until.ts';

const talk = new TimedTranscripts();

beforeAll(() => talk.start());
afterAll(() => talk.discard());
beforeEach(() => talk.choose('talk'));

describe('times of words', () => {
  it('change, are undone and made again, also after a restart', async () => {
    const before = await talk.read();
    const changed = await talk.patch({ id: 0, times: [{ word: 1, start: 1.25, end: 1.68 }] });
    expect(timesOf(changed)).toBe(
      'The 1–1.2, quick 1.25–1.68, fox 1.7–2.1 | jumped 2.1–2.5, over 4.6–4.9, it. 4.9–5.2 | Nobody 8–8.4, saw. 8.4–8.8',
    );
    expect(stateOf(changed)).toEqual({
      ...stateOf(before),
      segments: stateOf(changed).segments,
    });
    expect(changed.edits?.undo?.kind).toBe('times');
    await talk.restart();
    expect(stateOf(await talk.turn('undoEdit'))).toEqual(stateOf(before));
    expect(stateOf(await talk.turn('redoEdit'))).toEqual(stateOf(changed));
  });

  it('move the segment with its first and last word', async () => {
    const changed = await talk.patch(
      { id: 0, times: [{ word: 0, start: 0.9 }] },
      { id: 1, times: [{ word: 2, end: 5.45 }] },
    );
    expect(boundsOf(changed)).toEqual([
      [0.9, 2.1],
      [2.1, 5.45],
      [8, 8.8],
    ]);
  });

  it('move a neighbor’s border that they cross, also in the next segment', async () => {
    expect(timesOf(await talk.patch({ id: 0, times: [{ word: 1, start: 1.1 }] }))).toContain(
      'The 1–1.1, quick 1.1–1.6, fox',
    );
    const changed = await talk.patch({ id: 0, times: [{ word: 2, end: 2.3 }] });
    expect(timesOf(changed)).toContain('fox 1.7–2.3 | jumped 2.3–2.5');
    expect(boundsOf(changed).slice(0, 2)).toEqual([
      [1, 2.3],
      [2.3, 5.2],
    ]);
    const back = await talk.patch({ id: 1, times: [{ word: 0, start: 2 }] });
    expect(timesOf(back)).toContain('fox 1.7–2 | jumped 2–2.5');
    expect((await talk.turn('undoEdit')).segments).toEqual(changed.segments);
  });

  it('leave a neighbor that only touches', async () => {
    expect(timesOf(await talk.patch({ id: 0, times: [{ word: 1, end: 1.5 }] }))).toContain(
      'quick 1.2–1.5, fox 1.7–2.1',
    );
  });

  it('are whole milliseconds', async () => {
    expect(timesOf(await talk.patch({ id: 0, times: [{ word: 2, end: 2.00049 }] }))).toContain('fox 1.7–2 |');
  });

  it.each<[string, Segments[number], string]>([
    [
      'a word shorter than 10 ms',
      { id: 0, times: [{ word: 1, start: 1.595 }] },
      'The times do not fit: “quick” has to last at least 10 ms.',
    ],
    [
      'an end before its start',
      { id: 0, times: [{ word: 1, start: 1.5, end: 1.3 }] },
      'The times do not fit: “quick” has to last at least 10 ms.',
    ],
    [
      'a start before the word before',
      { id: 0, times: [{ word: 1, start: 1.005 }] },
      'The times do not fit: “quick” cannot begin before 1.01 s, because “The” comes before it.',
    ],
    [
      'an end after the word that follows',
      { id: 0, times: [{ word: 2, end: 2.495 }] },
      'The times do not fit: “fox” cannot end after 2.49 s, because “jumped” follows.',
    ],
    [
      'an end after the recording',
      { id: 2, times: [{ word: 1, end: 10.2 }] },
      'The times do not fit: the recording lasts from 0 s to 10 s.',
    ],
    [
      'words of the request that overlap',
      {
        id: 0,
        times: [
          { word: 1, end: 1.9 },
          { word: 2, start: 1.8 },
        ],
      },
      'The times do not fit: “quick” and “fox” would overlap.',
    ],
    ['an unknown word', { id: 0, times: [{ word: 3, end: 2 }] }, 'Segment 0 has no word 3.'],
  ])('refuse %s', async (_what, edit, message) => {
    const before = await talk.read();
    expect(await refusal(talk.patch(edit))).toMatchObject({ code: 'invalid_request', message });
    expect(stateOf(await talk.read())).toEqual(stateOf(before));
  });

  it.each<[string, unknown]>([
    ['nothing', { word: 1 }],
    ['a negative time', { word: 1, start: -1 }],
    ['a text', { word: 1, start: '1.3' }],
    ['a word that is none', { word: -1, start: 1 }],
  ])('refuse %s', async (_what, edit) => {
    const response = await talk.server.fetch(`/v1/transcript/id/${talk.id}`, {
      method: 'PATCH',
      body: JSON.stringify({ segments: [{ id: 0, times: [edit] }] }),
      headers: { 'content-type': 'application/json' },
    });
    expect(response.status).toBe(400);
  });

  it('conflict where the word has other times now, unless they are those of the edit', async () => {
    await talk.patch({ id: 0, times: [{ word: 1, start: 1.3 }] });
    const stale = { word: 1, start: 1.25, was_start: 1.2 };
    expect(await refusal(talk.patch({ id: 0, times: [stale] }))).toMatchObject({
      code: 'conflict',
      detail: 'word 1 of segment 0 has other times now',
    });
    await talk.patch({ id: 0, times: [{ ...stale, start: 1.3 }] });
    expect(timesOf(await talk.patch({ id: 0, times: [{ ...stale, was_start: 1.3 }] }))).toContain(
      'quick 1.25–1.6',
    );
    expect(
      await refusal(talk.patch({ id: 0, times: [{ word: 0, end: 1.1 }], was: 'Another text' })),
    ).toMatchObject({ code: 'conflict' });
  });

  it('stay with the words that an edit of the text keeps, and come back with it', async () => {
    await talk.patch({ id: 0, times: [{ word: 1, start: 1.3, end: 1.5 }] });
    const edited = await talk.patch({ id: 0, text: 'The quick red fox' });
    expect(timesOf(edited)).toContain('quick 1.3–1.5, red 1.7–1.7, fox 1.7–2.1');
    const restored = await talk.patch({ id: 0, text: 'The quick fox' });
    expect(timesOf(restored)).toContain('The 1–1.2, quick 1.3–1.5, fox 1.7–2.1');
    expect(restored.edits?.undo?.kind).toBe('times');
    expect(timesOf(await talk.turn('undoEdit'))).toContain('quick 1.2–1.6');
  });

  it('change with the text in one request, by the words of the new text', async () => {
    const before = await talk.read();
    const changed = await talk.patch({
      id: 0,
      text: 'The very quick fox',
      times: [{ word: 1, start: 1.2, end: 1.3 }],
    });
    expect(timesOf(changed)).toMatch(/^The 1–1\.2, very 1\.2–1\.3, quick 1\.3–1\.6, fox/);
    expect(stateOf(await talk.turn('undoEdit'))).toEqual(stateOf(before));
  });

  it('are followed by every export', async () => {
    await talk.patch(
      { id: 0, times: [{ word: 0, start: 0.5 }] },
      { id: 2, times: [{ word: 0, start: 7.5 }] },
    );
    expect(cuesOf(await talk.exported('srt')).map(([start]) => start)).toEqual([0.5, 4.6, 7.5]);
    expect(cuesOf(await talk.exported('srt', { words: true }))[0]).toEqual([0.5, 1.2, 'The']);
    expect(await talk.exported('vtt')).toContain('00:00:00.500 -->');
    expect(await talk.exported('csv')).toMatch(/0\.5/);
    expect(JSON.parse(await talk.exported('json')).segments[0]).toMatchObject({
      start: 0.5,
      words: [{ start: 0.5 }, {}, {}],
    });
    const { data } = await talk.client.call('getSentences', { params: { id: talk.id } });
    expect(data.sentences[0]).toMatchObject({ start: 0.5 });
  });

  it('are followed by the analyses', async () => {
    talk.choose('analyzed');
    const sourceOf = async () => (await talk.read()).summary?.bullets?.[0]?.source;
    await talk.patch({ id: 0, text: 'Good morning, we begin.' });
    const before = (await until(sourceOf)).start;
    const at = (await talk.read()).segments.findIndex(({ start }) => start === before);
    await talk.patch({ id: at, times: [{ word: 0, start: before + 0.05 }] });
    await until(async () => Math.abs(((await sourceOf())?.start ?? 0) - before - 0.05) < 0.001);
  });
});

describe('times of words in channels', () => {
  beforeEach(() => {
    talk.choose('call');
  });

  it('may overlap with another channel', async () => {
    expect(timesOf(await talk.patch({ id: 1, times: [{ word: 0, start: 1.2 }] }))).toContain('Yes 1.2–2.5');
    expect(timesOf(await talk.patch({ id: 0, times: [{ word: 1, end: 2.4 }] }))).toContain('there 1–2.4 |');
  });

  it('move the next word of the same channel', async () => {
    const changed = await talk.patch({ id: 0, times: [{ word: 1, end: 3.5 }] });
    expect(timesOf(changed)).toBe('Hello 0–1, there 1–3.5 | Yes 1.5–2.5, please 2.5–3 | Good. 3.5–4');
  });

  it('keep the segments in the order in which they begin', async () => {
    await talk.patch({ id: 0, times: [{ word: 0, start: 0.5 }] });
    expect(await refusal(talk.patch({ id: 1, times: [{ word: 0, start: 0.2 }] }))).toMatchObject({
      code: 'invalid_request',
      message: 'The times do not fit: segment 1 would begin before segment 0.',
    });
  });
});
