// Dialogues whose turns are known, built from recordings of single speakers.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { concatSamples, SAMPLE_RATE } from '../../electron/core/base/audio.ts';
import type { LabelledTurn } from '../support/diarization-error.ts';
import { createRandom, type Random } from '../support/random.ts';
import { decode } from './decode.ts';
import { quantile } from './measure.ts';

export type Conversation = {
  readonly name: string;
  readonly pcm: Float32Array;
  readonly truth: readonly LabelledTurn[];
};
type Span = { readonly start: number; readonly end: number };
/** About 2 to 10 s of a clip, with the spans of speech in it; all in samples. */
type Utterance = { readonly pcm: Float32Array; readonly speech: readonly Span[] };

const VARIANTS = ['clean', 'overlap', 'noise'] as const;
type Variant = (typeof VARIANTS)[number];

/** LibriSpeech, as en-libri-SPEAKER-CHAPTER-NUMBER. */
const CLIP = /^en-libri-(\d+)-.*\.(?:flac|wav)$/;
const FRAME = SAMPLE_RATE / 100;
/** Clips are cut where they are this many dB below their loud frames: within no word. */
const CUT_DB = 32;
/** True turns are what is less than this many dB below them: neither breath nor the sound of the room. */
const SPEECH_DB = 24;
const MIN_SPEECH_SECONDS = 45;
const LOUDNESS = 0.06;
const NOISE = LOUDNESS * 10 ** (-15 / 20);
/** A true turn is split at a longer pause, in seconds. */
const SPLIT_PAUSE = 0.5;

const squares = (pcm: Float32Array): number => pcm.reduce((sum, sample) => sum + sample ** 2, 0);

/** Joins spans, sorted by their starts, whose gap is at most this long. */
const bridge = (spans: readonly Span[], gap: number): Span[] => {
  const joined: { start: number; end: number }[] = [];
  for (const { start, end } of spans) {
    const last = joined.at(-1);
    if (last !== undefined && start - last.end <= gap) last.end = Math.max(last.end, end);
    else joined.push({ start, end });
  }
  return joined;
};

/** Where there is sound, in samples; pauses up to `bridged` seconds are bridged. */
const soundSpans = (pcm: Float32Array, decibels: number, bridged: number): Span[] => {
  const levels = Array.from({ length: Math.floor(pcm.length / FRAME) }, (_, index) => {
    const frame = pcm.subarray(index * FRAME, (index + 1) * FRAME);
    return 10 * Math.log10(squares(frame) / FRAME + 1e-10);
  });
  const least = quantile(levels, 0.95) - decibels;
  const frames = levels.flatMap((level, index) => (level > least ? [{ start: index, end: index + 1 }] : []));
  const longest = Math.round((bridged * SAMPLE_RATE) / FRAME);
  return bridge(frames, longest)
    .filter(({ start, end }) => end - start >= 8)
    .map(({ start, end }) => ({ start: start * FRAME, end: end * FRAME }));
};

/** With 10 ms of fade at both ends, so that cuts do not click. */
const faded = (pcm: Float32Array, gain: number): Float32Array =>
  pcm.map((sample, index) => sample * gain * Math.min(1, index / FRAME, (pcm.length - 1 - index) / FRAME));

/** Cuts a clip at its pauses. */
const utterancesOf = (pcm: Float32Array): Utterance[] => {
  const groups: Span[] = [];
  for (const span of soundSpans(pcm, CUT_DB, 0.2)) {
    const last = groups.at(-1);
    const fits =
      last !== undefined &&
      span.end - last.start <= 10 * SAMPLE_RATE &&
      last.end - last.start < 6 * SAMPLE_RATE;
    if (fits) groups[groups.length - 1] = { start: last.start, end: span.end };
    else groups.push(span);
  }
  const margin = SAMPLE_RATE / 20;
  const speech = soundSpans(pcm, SPEECH_DB, 0.3);
  return groups.flatMap((group) => {
    const start = Math.max(0, group.start - margin);
    const end = Math.min(pcm.length, group.end + margin);
    const within = speech
      .filter((span) => span.start < end && span.end > start)
      .map((span) => ({ start: Math.max(span.start, start) - start, end: Math.min(span.end, end) - start }));
    return within.length > 0 && end - start >= SAMPLE_RATE
      ? [{ pcm: pcm.slice(start, end), speech: within }]
      : [];
  });
};

type Speakers = ReadonlyMap<string, readonly Utterance[]>;

/** The utterances of each speaker who has enough of them, brought to the same loudness. */
const readSpeakers = async (folder: string): Promise<Speakers> => {
  const utterances = new Map<string, Utterance[]>();
  for (const file of readdirSync(folder).toSorted()) {
    const speaker = CLIP.exec(file)?.[1];
    if (speaker === undefined) continue;
    const clip = utterancesOf(await decode(join(folder, file)));
    utterances.set(speaker, [...(utterances.get(speaker) ?? []), ...clip]);
  }
  return new Map(
    [...utterances].toSorted().flatMap(([speaker, own]) => {
      const loud = concatSamples(
        own.flatMap(({ pcm, speech }) => speech.map(({ start, end }) => pcm.subarray(start, end))),
      );
      if (loud.length < MIN_SPEECH_SECONDS * SAMPLE_RATE) return [];
      const gain = LOUDNESS / Math.sqrt(squares(loud) / loud.length);
      return [[speaker, own.map(({ pcm, speech }) => ({ pcm: faded(pcm, gain), speech }))] as const];
    }),
  );
};

const shuffled = <T>(list: readonly T[], random: Random): T[] =>
  list
    .map((item) => ({ item, at: random.next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);

const between = (random: Random, low: number, high: number): number => low + random.next() * (high - low);

/** Adds pink noise: white noise through Paul Kellet's economy filter. */
const addNoise = (pcm: Float32Array, random: Random): void => {
  let [a, b, c] = [0, 0, 0];
  const noise = pcm.map(() => {
    const white = random.next() * 2 - 1;
    a = 0.99765 * a + white * 0.099046;
    b = 0.963 * b + white * 0.2965164;
    c = 0.57 * c + white * 1.0526913;
    return a + b + c + white * 0.1848;
  });
  const gain = NOISE / Math.sqrt(squares(noise) / noise.length);
  for (let i = 0; i < pcm.length; i++) pcm[i] = (pcm[i] ?? 0) + (noise[i] ?? 0) * gain;
};

type Wanted = { readonly count: number; readonly seconds: number; readonly variant: Variant };

/** The speaker of each turn is random, never the same twice in a row; between turns are 0.2 to 1 s of silence. */
const dialogueOf = (
  speakers: Speakers,
  { count, seconds, variant }: Wanted,
  random: Random,
): Conversation => {
  const names = shuffled([...speakers.keys()], random).slice(0, count);
  const gains = new Map(names.map((name) => [name, 10 ** (between(random, -3, 3) / 20)]));
  const waiting = new Map<string, Utterance[]>();
  const sound = new Float32Array((seconds + 30) * SAMPLE_RATE);
  const spoken = new Map<string, Span[]>(names.map((name) => [name, []]));
  let [at, previous] = [SAMPLE_RATE / 2, ''];
  for (let turn = 0; at < seconds * SAMPLE_RATE; turn++) {
    // Everybody speaks once before chance decides.
    const name = names[turn] ?? random.pick(names.filter((other) => other !== previous));
    // Utterances repeat only after all of the speaker's were used.
    if (!waiting.get(name)?.length) waiting.set(name, shuffled(speakers.get(name) ?? [], random));
    const utterance = waiting.get(name)?.pop();
    if (utterance === undefined) throw new Error(`Speaker ${name} says nothing.`);
    const overlaps = variant === 'overlap' && turn > 0 && random.chance(1 / 3);
    const pause = overlaps ? -between(random, 0.3, 1.5) : between(random, 0.2, 1);
    const start = turn === 0 ? at : at + Math.trunc(pause * SAMPLE_RATE);
    const gain = gains.get(name) ?? 1;
    for (const [i, sample] of utterance.pcm.entries()) {
      sound[start + i] = (sound[start + i] ?? 0) + sample * gain;
    }
    spoken.get(name)?.push(...utterance.speech.map((s) => ({ start: start + s.start, end: start + s.end })));
    at = Math.max(at, start + utterance.pcm.length);
    previous = name;
  }
  const pcm = sound.slice(0, at + SAMPLE_RATE / 2);
  if (variant === 'noise') addNoise(pcm, random);
  const truth = [...spoken].flatMap(([speaker, spans]) =>
    bridge(
      spans.toSorted((a, b) => a.start - b.start),
      SPLIT_PAUSE * SAMPLE_RATE,
    ).map(({ start, end }) => ({ start: start / SAMPLE_RATE, end: end / SAMPLE_RATE, speaker })),
  );
  return { name: `dialogue-${count}spk-${variant}`, pcm, truth };
};

/**
 * Builds dialogues of two, four and eight speakers: clean; a third of the turns begin 0.3 to 1.5 s early; the clean ones with
 * pink noise at 15 dB. The same seed and recordings give the same dialogues.
 */
export async function* dialoguesFrom(
  folder: string,
  { seed, minutes }: { readonly seed: number; readonly minutes: number },
): AsyncGenerator<Conversation> {
  const speakers = await readSpeakers(folder);
  for (const count of [2, 4, 8].filter((wanted) => wanted <= speakers.size)) {
    for (const variant of VARIANTS) {
      const random = createRandom(seed * 1000 + count * 10 + Number(variant === 'overlap'));
      yield dialogueOf(speakers, { count, seconds: minutes * 60, variant }, random);
    }
  }
}
