import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderExport } from '../../../electron/core/exports/render.ts';
import { renderSrt, renderVtt } from '../../../electron/core/exports/subtitles.ts';
import { parseSrt } from '../../support/srt.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { parseWebVtt } from '../../support/webvtt.ts';
import {
  bareText,
  bareWords,
  HOSTILE_CAPTIONS,
  TALK,
  transcripts,
} from '../../unit/exports/support/transcripts.ts';
import { findOffice, readWithOffice } from './office.ts';

const run = promisify(execFile);

describe('ffmpeg reads', () => {
  const folder = temporaryFolder();

  const packets = async (file: string) => {
    const { stdout } = await run('ffprobe', [
      ...['-v', 'error', '-show_entries', 'packet=pts_time,duration_time', '-of', 'json', file],
    ]);
    const { packets: found }: { packets: { pts_time: string; duration_time: string }[] } = JSON.parse(stdout);
    return found.map((packet) => ({
      startMs: Math.round(Number(packet.pts_time) * 1000),
      endMs: Math.round((Number(packet.pts_time) + Number(packet.duration_time)) * 1000),
    }));
  };
  const samples = [HOSTILE_CAPTIONS, ...fc.sample(transcripts, { numRuns: 5, seed: 7 })].filter(
    (transcript) => transcript.segments.length > 0,
  );

  it.each(samples.map((transcript, index) => ({ index, transcript })))(
    'SRT and WebVTT of sample $index',
    async ({ index, transcript }) => {
      const srt = renderSrt(transcript, { format: 'srt' });
      const vtt = renderVtt(transcript, { format: 'vtt' });
      const srtFile = join(folder, `${index}.srt`);
      const vttFile = join(folder, `${index}.vtt`);
      await writeFile(srtFile, srt);
      await writeFile(vttFile, vtt);
      const times = ({ startMs, endMs }: { startMs: number; endMs: number }) => ({ startMs, endMs });
      expect(await packets(srtFile)).toEqual(parseSrt(srt).map(times));
      expect(await packets(vttFile)).toEqual(parseWebVtt(vtt).cues.map(times));
    },
  );

  it('the text as it was written', async () => {
    const file = join(folder, 'hostile.srt');
    await writeFile(file, renderSrt(HOSTILE_CAPTIONS, { format: 'srt', speakers: false }));
    const { stdout } = await run('ffmpeg', ['-v', 'error', '-i', file, '-f', 'webvtt', '-']);
    const text = stdout.replace(/^WEBVTT\s+/, '').replace(/^[\d:.]+ --> [\d:.]+$/gm, '');
    expect(bareText(text.replaceAll('&amp;', '&').replaceAll('&lt;', '<').replaceAll('&gt;', '>'))).toBe(
      bareWords(HOSTILE_CAPTIONS),
    );
  });
});

const office = await findOffice();
if (office !== undefined) {
  it('DOCX is opened by LibreOffice', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'talk.docx');
    const { body } = await renderExport(TALK, { format: 'docx' });
    await writeFile(file, body);
    const read = await readWithOffice(office, file, folder);
    for (const words of ['Meeting <1>.mp3', 'First & best', 'Maria', '# Not a *heading*.'])
      expect(read).toContain(words);
  });
}
