import { openAsBlob } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { EXPORT_FORMATS } from '../../electron/contract/exports.ts';
import type { Transcription } from '../../electron/contract/transcript.ts';
import { fixturePath } from '../support/fixtures.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { parseSrt } from '../support/srt.ts';
import { parseWebVtt } from '../support/webvtt.ts';
import { parseXml } from '../support/xml.ts';
import { unzip } from '../support/zip.ts';

// A busy machine may take long; nothing here measures time.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let server: TestServer;
let id = '';
let transcript: Transcription;

beforeAll(async () => {
  server = await startServer({ quick: true, model: 'starter-parakeet' });
  const form = new FormData();
  form.append('file', await openAsBlob(fixturePath('01-short-note.wav')), 'note.wav');
  const { data } = await server.client.call('uploadFile', { body: form });
  transcript = await server.client.call('createTranscript', {
    body: {
      audio_url: `storage:${data.file.key}`,
      name: 'Šimon – 会議.wav',
      timestamp_style: 'word',
      wait_until_complete: true,
    },
  });
  id = transcript.id;
});
afterAll(() => discard(server));

const get = (query: string) => server.fetch(`/v1/transcript/id/${id}/export?${query}`);
const text = async (query: string) => (await get(query)).text();
const flat = (lines: readonly string[]) => lines.join(' ').replace(/\s+/g, ' ').trim();

describe('GET /v1/transcript/id/{id}/export', () => {
  it('sends each format with its media type and a file name in any script', async () => {
    for (const format of EXPORT_FORMATS) {
      const response = await get(`format=${format}`);
      expect(response.status, format).toBe(200);
      const name = encodeURIComponent(`Šimon – 会議.${format}`);
      expect(response.headers.get('content-disposition')).toContain(`filename*=UTF-8''${name}`);
      expect(response.headers.get('content-type')).toMatch(/^(?:text|application)\//);
      expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(50);
    }
  });

  it('has the words of the transcript in every format', async () => {
    const srt = parseSrt(await text('format=srt&speakers=false'));
    expect(flat(srt.flatMap((cue) => cue.lines))).toBe(transcript.text);
    const { cues } = parseWebVtt(await text('format=vtt'));
    expect(flat(cues.map((cue) => cue.text))).toBe(transcript.text);
    expect(flat([await text('format=txt&speakers=false')])).toBe(transcript.text);
    expect(JSON.parse(await text('format=json')).text).toBe(transcript.text);
    const files = unzip(
      new Uint8Array(await (await get('format=docx&speakers=false&times=false')).arrayBuffer()),
    );
    const runs = parseXml(files.get('word/document.xml')?.toString('utf8') ?? '');
    expect(flat(runs.map((run) => run.text))).toContain(transcript.text);
  });

  it('uses the times of the words, and shows one word per cue on request', async () => {
    const words = transcript.segments.flatMap((segment) => segment.words ?? []);
    const cues = parseSrt(await text('format=srt&words=true&speakers=false'));
    expect(cues.map((cue) => cue.lines.join(''))).toEqual(words.map((word) => word.word.trim()));
    cues.forEach((cue, index) => {
      expect(Math.abs(cue.startMs - (words[index]?.start ?? 0) * 1000)).toBeLessThan(500);
    });
  });

  it('applies the limits of the request', async () => {
    const cues = parseSrt(
      await text(
        'format=srt&speakers=false&max_chars=20&max_lines=1&max_seconds=3&min_seconds=0.5&min_gap=0.12',
      ),
    );
    cues.forEach((cue, index) => {
      expect(cue.lines).toHaveLength(1);
      expect(cue.lines[0]?.length).toBeLessThanOrEqual(20);
      expect(cue.endMs - cue.startMs).toBeLessThanOrEqual(3000);
      const next = cues[index + 1];
      if (next !== undefined) expect(next.startMs - cue.endMs).toBeGreaterThanOrEqual(120);
    });
  });

  it.each([
    '',
    'format=exe',
    'format=srt&max_chars=5',
    'format=srt&max_lines=9',
    'format=srt&colour=red',
    'format=srt&words=yes',
  ])('refuses %j', async (query) => {
    expect((await get(query)).status).toBe(400);
  });
});
