import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AnalyzeTranscript } from '../../electron/contract/transcript.ts';
import { cuesOf, refusal, type Segments, TimedTranscripts, timesOf } from '../support/timed-transcripts.ts';

const talk = new TimedTranscripts();

beforeAll(() => talk.start());
afterAll(() => talk.discard());
beforeEach(() => talk.choose('talk'));

describe('times of subtitles', () => {
  it('hold in SRT and VTT, in every layout, and are undone', async () => {
    const before = cuesOf(await talk.exported('srt'));
    expect(before).toEqual([
      [1, 2.5, 'The quick fox jumped'],
      [4.6, 5.6, 'over it.'],
      [8, 9, 'Nobody saw.'],
    ]);
    const changed = await talk.patch(
      { id: 0, subtitle_times: [{ word: 0, start: 0.75 }] },
      {
        id: 1,
        subtitle_times: [
          { word: 0, end: 2.7 },
          { word: 2, end: 6.9 },
        ],
      },
    );
    expect(changed.segments.map((each) => each.subtitle_times)).toEqual([
      [{ word: 0, start: 0.75 }],
      [
        { word: 0, end: 2.7 },
        { word: 2, end: 6.9 },
      ],
      undefined,
    ]);
    expect(changed.edits?.undo?.kind).toBe('times');
    expect(timesOf(changed)).toContain('The 1–1.2');
    const after = [
      [0.75, 2.7, 'The quick fox jumped'],
      [4.6, 6.9, 'over it.'],
      [8, 9, 'Nobody saw.'],
    ];
    expect(cuesOf(await talk.exported('srt'))).toEqual(after);
    expect(await talk.exported('vtt')).toContain('00:00:00.750 --> 00:00:02.700');
    const narrow = cuesOf(await talk.exported('srt', { max_chars: 10, max_lines: 1 }));
    expect([narrow[0]?.[0], narrow.find(([, , text]) => text.includes('jumped'))?.[1]]).toEqual([0.75, 2.7]);
    // One word per cue follows the speech.
    expect(cuesOf(await talk.exported('srt', { words: true }))[0]?.[0]).toBe(1);
    expect(JSON.parse(await talk.exported('json')).segments[0].subtitle_times).toEqual([
      { word: 0, start: 0.75 },
    ]);
    await talk.turn('undoEdit');
    expect(cuesOf(await talk.exported('srt'))).toEqual(before);
    await talk.turn('redoEdit');
    expect(cuesOf(await talk.exported('srt'))).toEqual(after);
  });

  it('divide a subtitle, and join it again when they are taken back', async () => {
    const divided = await talk.patch({ id: 0, subtitle_times: [{ word: 2, start: 1.65 }] });
    expect(cuesOf(await talk.exported('srt')).slice(0, 2)).toEqual([
      [1, 1.57, 'The quick'],
      [1.65, 2.65, 'fox jumped'],
    ]);
    expect(divided.segments[0]?.subtitle_times).toEqual([{ word: 2, start: 1.65 }]);
    const joined = await talk.patch({ id: 0, subtitle_times: [{ word: 2, start: null }] });
    expect(joined.segments[0]?.subtitle_times).toBeUndefined();
    expect(cuesOf(await talk.exported('srt'))[0]?.[2]).toBe('The quick fox jumped');
  });

  it.each<[string, Segments, string]>([
    [
      'an in-time before the word before',
      [{ id: 1, subtitle_times: [{ word: 1, start: 2.1 }] }],
      'The times do not fit: a subtitle that begins with “over” can do so from 2.11 s to 4.89 s.',
    ],
    [
      'an in-time before the last out-time',
      [
        { id: 1, subtitle_times: [{ word: 0, end: 4 }] },
        { id: 1, subtitle_times: [{ word: 1, start: 3.9 }] },
      ],
      'The times do not fit: a subtitle that ends with “jumped” can do so from 2.11 s to 3.9 s.',
    ],
    [
      'an out-time after the next word begins',
      [{ id: 1, subtitle_times: [{ word: 2, end: 8.1 }] }],
      'The times do not fit: a subtitle that ends with “it.” can do so from 4.91 s to 8 s.',
    ],
    [
      'an out-time after the recording',
      [{ id: 2, subtitle_times: [{ word: 1, end: 11 }] }],
      'The times do not fit: a subtitle that ends with “saw.” can do so from 8.41 s to 10 s.',
    ],
    ['an unknown word', [{ id: 2, subtitle_times: [{ word: 2, end: 9 }] }], 'Segment 2 has no word 2.'],
  ])('refuse %s', async (_what, edits, message) => {
    expect(await refusal(talk.patch(...edits))).toMatchObject({ code: 'invalid_request', message });
    expect((await talk.read()).edits).toBeUndefined();
  });

  it('stay when speakers change in the same request', async () => {
    talk.choose('spoken');
    const changed = await talk.patch({
      id: 0,
      speaker_id: 'B',
      words: [2, 2],
      times: [{ word: 2, start: 1.65 }],
      subtitle_times: [{ word: 1, end: 1.62 }],
    });
    expect(changed.segments.slice(0, 2).map((each) => [each.text, each.start, each.end])).toEqual([
      ['The quick', 1, 1.6],
      ['fox', 1.65, 2.1],
    ]);
    expect(cuesOf(await talk.exported('srt'))[0]).toEqual([1, 1.62, 'SPEAKER A: The quick']);
  });

  it('conflict where a person set others meanwhile', async () => {
    await talk.patch({ id: 0, subtitle_times: [{ word: 0, start: 0.8 }] });
    expect(
      await refusal(talk.patch({ id: 0, subtitle_times: [{ word: 0, start: 0.7, was_start: null }] })),
    ).toMatchObject({
      code: 'conflict',
      detail: 'the subtitle at word 0 of segment 0 has other times now',
    });
    await talk.patch({ id: 0, subtitle_times: [{ word: 0, start: 0.7, was_start: 0.8 }] });
    expect(cuesOf(await talk.exported('srt'))[0]?.[0]).toBe(0.7);
  });

  it('stay when the words beside them are rewritten, given to a speaker, or timed', async () => {
    await talk.patch(
      { id: 0, subtitle_times: [{ word: 0, start: 0.8 }] },
      { id: 2, subtitle_times: [{ word: 1, end: 9.5 }] },
    );
    await talk.patch({ id: 0, text: 'A quick fox' }, { id: 2, text: 'Nobody looked.' });
    await talk.patch({ id: 0, times: [{ word: 0, start: 0.95 }] });
    const after = cuesOf(await talk.exported('srt'));
    expect([after[0]?.[0], after.at(-1)?.[1]]).toEqual([0.8, 9.5]);
  });

  it('stay when the words at their borders are redacted', async () => {
    talk.choose('secret');
    await talk.patch({
      id: 0,
      subtitle_times: [
        { word: 0, start: 0.7 },
        { word: 4, end: 4.5 },
      ],
    });
    await talk.patch({ id: 0, times: [{ word: 2, start: 1.9 }] });
    await talk.client.call('analyzeTranscript', {
      params: { id: talk.id },
      body: AnalyzeTranscript.parse({ redact_pii: true, wait_until_complete: true }),
    });
    const redacted = await talk.read();
    expect(redacted.text).not.toMatch(/415|2671/);
    expect(redacted.edits).toBeUndefined();
    expect(cuesOf(await talk.exported('srt'))).toEqual([[0.7, 4.5, redacted.text]]);
  });

  it('are answered with the words of each subtitle, as VTT shows them', async () => {
    const subtitles = async (query = {}) =>
      (await talk.client.call('getSubtitles', { params: { id: talk.id }, query })).data.subtitles;
    await talk.patch({ id: 1, subtitle_times: [{ word: 2, end: 6.9 }] });
    const all = await subtitles();
    expect(all).toEqual([
      {
        start: 1,
        end: 2.5,
        lines: ['The quick fox jumped'],
        speaker_id: null,
        first: { segment: 0, word: 0 },
        last: { segment: 1, word: 0 },
      },
      expect.objectContaining({ end: 6.9, first: { segment: 1, word: 1 }, last: { segment: 1, word: 2 } }),
      expect.objectContaining({ start: 8, lines: ['Nobody saw.'] }),
    ]);
    expect(await subtitles({ from: 2.5, to: 8 })).toEqual(all.slice(1, 2));
    expect((await subtitles({ max_chars: 10, max_lines: 1 })).length).toBeGreaterThan(3);
  });
});
