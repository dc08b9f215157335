import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixturePath, truth } from './fixtures.ts';
import { hashOfFixture, keptRecordings } from './kept-recordings.ts';

const RATE = 16_000;

/** A file as mono samples at 16 kHz. */
export const filePcm = (path: string): Float32Array => {
  const args = ['-v', 'fatal', '-nostdin', '-i', path, '-map', '0:a:0'];
  const bytes = execFileSync('ffmpeg', [...args, '-ac', '1', '-ar', String(RATE), '-f', 'f32le', '-'], {
    maxBuffer: 1 << 28,
  });
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
};

const keptPcm = (path: string): Float32Array => {
  const folder = keptRecordings(['pcm', hashOfFixture(path) ?? path], (unfinished) =>
    writeFileSync(join(unfinished, 'pcm'), filePcm(path)),
  );
  const { buffer, byteOffset, byteLength } = readFileSync(join(folder, 'pcm'));
  return new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength));
};

const decoded = new Map<string, Float32Array>();

/** A fixture's samples, decoded once in a process; each caller gets a copy to change. */
export const fixturePcm = (name: string): Float32Array => {
  const pcm = decoded.get(name) ?? keptPcm(fixturePath(name));
  decoded.set(name, pcm);
  return pcm.slice();
};

/** The first sentences of a fixture with their true text; a whole recording takes long to recognize. */
export const firstSentences = (name: string, count: number): { pcm: Float32Array; text: string } => {
  const { sentences } = truth(name);
  const said = sentences.slice(0, count);
  const end = said.at(-1)?.end ?? 0;
  const next = sentences[count]?.start ?? end + 0.5;
  return { pcm: cut(fixturePcm(name), 0, (end + next) / 2), text: said.map(({ text }) => text).join(' ') };
};

/** The samples between two times in seconds. */
export const cut = (pcm: Float32Array, from: number, to: number): Float32Array =>
  pcm.slice(Math.round(from * RATE), Math.round(to * RATE));
