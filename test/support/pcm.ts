import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FIXTURES = join(import.meta.dirname, '../fixtures/audio');
const RATE = 16_000;

/** A fixture as mono samples at 16 kHz. */
export const fixturePcm = (name: string): Float32Array => {
  const args = ['-v', 'error', '-nostdin', '-i', join(FIXTURES, name), '-map', '0:a:0'];
  const bytes = execFileSync('ffmpeg', [...args, '-ac', '1', '-ar', String(RATE), '-f', 'f32le', '-'], {
    maxBuffer: 1 << 28,
  });
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
};

/** What is really said in a fixture. */
export const fixtureText = (name: string): string => {
  const truth: { text: string } = JSON.parse(
    readFileSync(join(FIXTURES, name.replace(/\.\w+$/, '.json')), 'utf8'),
  );
  return truth.text;
};

/** The first sentences of a fixture and what is said in them: long recordings take long to recognise. */
export const firstSentences = (name: string, count: number): { pcm: Float32Array; text: string } => {
  const { sentences }: { sentences: { start: number; end: number; text: string }[] } = JSON.parse(
    readFileSync(join(FIXTURES, name.replace(/\.\w+$/, '.json')), 'utf8'),
  );
  const said = sentences.slice(0, count);
  const end = said.at(-1)?.end ?? 0;
  const next = sentences[count]?.start ?? end + 0.5;
  return { pcm: cut(fixturePcm(name), 0, (end + next) / 2), text: said.map(({ text }) => text).join(' ') };
};

/** A part of some audio, in seconds. */
export const cut = (pcm: Float32Array, from: number, to: number): Float32Array =>
  pcm.slice(Math.round(from * RATE), Math.round(to * RATE));

/** Lower case, letters and digits alone, single spaces: what word error rates compare. */
export const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}' ]+/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim();

/** Word error rate: edits of the words over the number of true words. */
export const wordErrorRate = (truth: string, text: string): number => {
  const expected = plain(truth).split(' ');
  const heard = plain(text).split(' ');
  let row = Array.from({ length: heard.length + 1 }, (_, index) => index);
  for (const [i, word] of expected.entries()) {
    const next = [i + 1];
    for (const [j, other] of heard.entries()) {
      const substituted = (row[j] ?? 0) + (word === other ? 0 : 1);
      next.push(Math.min(substituted, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return (row.at(-1) ?? 0) / expected.length;
};
