import { readFileSync } from 'node:fs';
import { createMediaEngine } from '../../electron/core/engines/ffmpeg/engine.ts';
import { findFfmpeg } from '../../electron/core/engines/ffmpeg/tools.ts';
import type { LabelledTurn } from '../support/diarization-error.ts';
import { fixturePath } from '../support/fixtures.ts';

const RATE = 16_000;

export type Conversation = { readonly pcm: Float32Array; readonly truth: readonly LabelledTurn[] };

type Voice = { e: string; v: string; var?: string };
type Line = { start: number; end: number; speaker: string; voice?: string };
type Truth = { segments?: Line[]; sentences?: Line[]; voices?: Record<string, Voice> };

const voiceOf = (line: Line, voices: Truth['voices']): string => {
  const voice = voices?.[line.speaker];
  if (voice === undefined) return line.voice ?? line.speaker;
  return [voice.e, voice.v, ...(voice.var === undefined ? [] : [voice.var])].join('+');
};

/** A sample recording with its true turns, named by the synthesized voice. */
const truthOf = (name: string): LabelledTurn[] => {
  const truth: Truth = JSON.parse(readFileSync(fixturePath(name.replace(/\.\w+$/, '.json')), 'utf8'));
  return (truth.segments ?? truth.sentences ?? []).map((line) => ({
    start: line.start,
    end: line.end,
    speaker: voiceOf(line, truth.voices),
  }));
};

const media = findFfmpeg({
  environment: process.env,
  platform: process.platform,
}).then(createMediaEngine);

const decode = async (name: string): Promise<Float32Array> => {
  const { signal } = new AbortController();
  const { chunks } = (await media).decodeChunks({ kind: 'file', path: fixturePath(name) }, { signal });
  const parts: Float32Array[] = [];
  for await (const { pcm } of chunks) parts.push(pcm);
  const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
};

export const conversation = async (name: string): Promise<Conversation> => ({
  pcm: await decode(name),
  truth: truthOf(name),
});

/** Repeatable numbers from 0 to 1. */
const randomFrom = (start: number) => {
  let seed = start;
  return () => {
    seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return seed / 2 ** 32;
  };
};

/**
 * A long conversation: recordings in turn, each time with another gain and other noise (20 to 40 dB below the speech),
 * since no two minutes of a real one are the same.
 */
export const joined = async (names: readonly string[], minutes: number): Promise<Conversation> => {
  const parts = await Promise.all(names.map(conversation));
  const random = randomFrom(7);
  const pcm = new Float32Array(minutes * 60 * RATE);
  const truth: LabelledTurn[] = [];
  for (let at = 0, turn = 0; at < pcm.length; turn++) {
    const part = parts[turn % parts.length];
    if (part === undefined) break;
    const gain = 0.4 + random() * 0.6;
    const power = part.pcm.reduce((sum, sample) => sum + sample ** 2, 0) / part.pcm.length;
    const noise = Math.sqrt(3 * power) * 10 ** (-(20 + random() * 20) / 20);
    const length = Math.min(part.pcm.length, pcm.length - at);
    for (let i = 0; i < length; i++) pcm[at + i] = gain * ((part.pcm[i] ?? 0) + noise * (2 * random() - 1));
    const from = at / RATE;
    for (const { start, end, speaker } of part.truth) {
      const last = Math.min(from + end, pcm.length / RATE);
      if (from + start < last) truth.push({ start: from + start, end: last, speaker });
    }
    at += length;
  }
  return { pcm, truth };
};
