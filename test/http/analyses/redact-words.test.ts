import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import {
  AnalyzeTranscript,
  CreateTranscript,
  type Transcription,
} from '../../../electron/contract/transcript.ts';
import { RedactWords } from '../../../electron/contract/transcript-edits.ts';
import { wav } from '../../support/audio.ts';
import { fixture } from '../../support/fixtures.ts';
import { secretsInFolder, turnOffBackups } from '../../support/secrets.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';

const SENTENCE = fixture('00-one-sentence.wav');
/** Its "Good morning". */
const GREETING = wav(new Int16Array(new Uint8Array(SENTENCE.subarray(44, 44 + 2 * 16_000)).buffer));

let server: TestServer;

beforeAll(async () => {
  server = await startServer({ quick: true, model: 'starter-parakeet' });
  await turnOffBackups(server);
});
afterAll(async () => {
  await discard(server);
});

const transcribe = async (asked = {}, recording = SENTENCE): Promise<Transcription & { key: string }> => {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(recording)], { type: 'audio/wav' }), 'Call.wav');
  const { data } = await server.client.call('uploadFile', { body: form });
  const t = await server.client.call('createTranscript', {
    body: CreateTranscript.parse({
      audio_url: `storage:${data.file.key}`,
      timestamp_style: 'word',
      wait_until_complete: true,
      ...asked,
    }),
  });
  return { ...t, key: data.file.key };
};

const redact = (id: string, asked: z.input<typeof RedactWords>) =>
  server.client.call('redactWords', {
    params: { id },
    body: RedactWords.parse({ ...asked, wait_until_complete: true }),
  });

const textOf = ({ segments }: Transcription) => segments.map(({ text }) => text).join(' ');

/** How far the loudest samples of each twentieth of a second in a part lie apart: none of a tone's. */
const unevenness = async (id: string, from: number, to: number): Promise<number> => {
  const { data } = await server.client.call('transcriptPeaks', {
    params: { id },
    query: { per_second: 20, from, to },
  });
  return Math.max(...data.max) - Math.min(...data.max);
};

const wholeWaveform = async (id: string) => {
  const { data } = await server.client.call('transcriptPeaks', { params: { id }, query: { per_second: 20 } });
  return data.max;
};

describe('words that a person hides', () => {
  it('leave text, sound, waveform and history, and come back from the stored original', async () => {
    const t = await transcribe();
    const [first] = t.segments;
    const words = first?.words ?? [];
    const index = words.findIndex(({ word }) => /^[a-z]{7,}/iu.test(word));
    const chosen = words[index];
    if (first === undefined || chosen === undefined) throw new Error(`no long word in ${t.text}`);
    const secret = chosen.word.replaceAll(/\P{L}/gu, '').toLowerCase();
    const before = await wholeWaveform(t.id);
    await server.client.call('patchTranscript', {
      params: { id: t.id },
      body: { segments: [{ id: 0, text: `Well, ${first.text}` }] },
    });
    const place = { id: 0, words: [index + 1, index + 1] as [number, number] };
    const hidden = await redact(t.id, { segments: [{ ...place, was: `Well, ${first.text}` }] });
    expect(textOf(hidden)).toMatch(/\[REDACTED_[0-9a-f]{8}\]/);
    expect(hidden).toMatchObject({
      status: 'completed',
      redact_pii_policies: ['redacted'],
      private_data: { hidden: { redacted: 1 } },
      redaction_report: { checked: true, spans: 1, audible: [], source: 'kept' },
    });
    expect(hidden.edits?.undo ?? null).toBeNull();
    expect(secretsInFolder(server.dataDir, [secret])).toEqual([]);
    expect(await unevenness(t.id, chosen.start + 0.05, chosen.end - 0.05)).toBeLessThan(0.02);
    const bleeped = await wholeWaveform(t.id);
    // AAC pads its last frames.
    expect(Math.abs(bleeped.length - before.length)).toBeLessThanOrEqual(3);
    const bucket = Math.round(((chosen.start + chosen.end) / 2) * 20);
    expect(bleeped[bucket]).toBeCloseTo(0.2, 1);

    const copy = await server.fetch(`/v1/transcript/id/${t.id}/audio?download=true`);
    expect(copy.headers.get('content-disposition')).toBe('attachment; filename="Call (redacted).m4a"');

    const shown = await redact(t.id, { segments: [place], private: false });
    expect(textOf(shown).toLowerCase()).toContain(secret);
    expect(textOf(shown)).toBe(`Well, ${first.text}`);
    expect(shown.warnings).toEqual([]);
    expect(shown.redaction_report?.spans).toBe(0);
    expect(shown.private_data?.hidden).toEqual({});
    expect(await unevenness(t.id, chosen.start + 0.05, chosen.end - 0.05)).toBeGreaterThan(0.05);
    const restored = await wholeWaveform(t.id);
    expect(restored[bucket]).toBeCloseTo(before[bucket] ?? 0, 1);
  });

  it('stay visible once they were shown again, and what is found beside them stays hidden', async () => {
    const t = await transcribe({ redact_pii: true, entity_detection: true });
    const [segment] = t.segments;
    const place = segment?.words?.findIndex(({ word }) => word.startsWith('[')) ?? -1;
    const tokens = textOf(t).match(/\[[A-Z_]+_[0-9a-f]{8}\]/g) ?? [];
    expect(tokens.length).toBeGreaterThan(0);
    const shown = await redact(t.id, { segments: [{ id: 0, words: [place, place] }], private: false });
    const text = textOf(shown);
    expect(text.match(/\[[A-Z_]+_[0-9a-f]{8}\]/g) ?? []).toHaveLength(tokens.length - 1);
    const edited = await server.client.call('patchTranscript', {
      params: { id: t.id },
      body: { segments: [{ id: 0, text: `So ${shown.segments[0]?.text}` }] },
    });
    expect(textOf(edited)).toBe(`So ${text}`);
  });

  it('are counted with what is still in the text, which a later redaction hides', async () => {
    const t = await transcribe();
    const place = t.segments[0]?.words?.findIndex(({ word }) => word.startsWith('Clark')) ?? -1;
    const hidden = await redact(t.id, { segments: [{ id: 0, words: [place, place] }] });
    expect(hidden.private_data).toEqual({
      hidden: { redacted: 1 },
      left: { person_name: 1, organization: 1 },
    });
    const again = await server.client.call('analyzeTranscript', {
      params: { id: t.id },
      body: AnalyzeTranscript.parse({
        redact_pii: true,
        redact_pii_policies: ['person_name'],
        wait_until_complete: true,
      }),
    });
    expect(again.private_data).toEqual({
      hidden: { redacted: 1, person_name: 1 },
      left: { organization: 1 },
    });
    expect(again.redaction_report?.spans).toBe(2);
    const { revision, ...counted } = await redact(t.id, { segments: [] });
    expect(counted).toMatchObject({ text: again.text, private_data: again.private_data });
    expect(revision).toBeGreaterThan(again.revision);
  });

  it('are refused where they are not what they were, not hidden, or the original is gone', async () => {
    const t = await transcribe({}, GREETING);
    const status = async (asked: z.input<typeof RedactWords>) =>
      (
        await server.fetch(`/v1/transcript/id/${t.id}/redact`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(asked),
        })
      ).status;
    expect(await status({ segments: [{ id: 0, was: 'Another text.' }] })).toBe(409);
    expect(await status({ segments: [{ id: 9 }] })).toBe(400);
    expect(await status({ segments: [{ id: 0, words: [0, 99] }] })).toBe(400);
    expect(await status({ segments: [{ id: 0 }], private: false })).toBe(400);
    await server.client.call('deleteFile', { params: { fileKey: t.key } });
    expect(await status({ segments: [{ id: 0 }], private: false })).toBe(404);
    expect((await server.client.call('getTranscript', { params: { id: t.id } })).status).toBe('completed');
  });
});
