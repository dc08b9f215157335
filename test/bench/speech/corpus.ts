import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { unitsOf } from './normalize.ts';

const run = promisify(execFile);
const RATE = 16_000;

/** What stands beside each recording of the folder, as `NAME.json`. */
const Label = z.object({
  file: z.string(),
  /** `zxx`: no speech; `und`: unknown. */
  language: z.string(),
  text: z.string().nullable().default(null),
  text_certainty: z.enum(['given', 'known', 'none']).catch('none'),
  duration: z.number(),
  kind: z.string(),
  rate: z.number().optional(),
  words: z.array(z.object({ word: z.string(), start: z.number(), end: z.number() })).optional(),
});
type Label = z.output<typeof Label>;

/** What is said from one second to another. */
export type Passage = {
  readonly start: number;
  readonly end: number;
  readonly language: string;
  readonly text: string;
};

/** A recording that every program hears, as a WAV file of 16 kHz. */
export type Recording = {
  readonly name: string;
  readonly group: string;
  /** A code, `mixed` for several, `zxx` for none. */
  readonly language: string;
  readonly kind: 'speech' | 'nospeech';
  readonly seconds: number;
  readonly path: string;
  readonly passages: readonly Passage[];
  /** Times of its words that were labelled by hand. */
  readonly words?: Label['words'];
};

type Clip = Label & { readonly name: string; readonly group: string };

/** Words of these are labelled by hand; those of others by forced alignment, which is no truth. */
const BY_HAND = /^en-(?:au-|mary|bobby)/;

/** The clips of a folder in order of their names; the same words by the same voice in several formats count once. */
export const readClips = (folder: string): Clip[] => {
  const known = new Set<string>();
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .flatMap((file) => {
      const label = Label.safeParse(JSON.parse(readFileSync(join(folder, file), 'utf8')));
      if (!label.success) return [];
      const name = file.slice(0, -'.json'.length);
      const group = label.data.language === 'zxx' ? 'nospeech' : name.split('-').slice(0, 2).join('-');
      const same = `${group} ${unitsOf(label.data.text ?? name, label.data.language).join(' ')}`;
      if (known.has(same)) return [];
      known.add(same);
      return [{ ...label.data, name, group }];
    });
};

export const isSpoken = ({ language, text, text_certainty: certainty, kind }: Clip): boolean =>
  language !== 'zxx' && language !== 'und' && text !== null && certainty !== 'none' && kind === 'speech';
export const isSilent = ({ language }: Clip): boolean => language === 'zxx';

/** The samples of a clip. */
export const clipSamples = async (folder: string, { file, rate }: Clip): Promise<Float32Array> => {
  const bare = file.endsWith('.raw') ? ['-f', 's16le', '-ar', String(rate ?? RATE), '-ac', '1'] : [];
  const { stdout } = await run(
    'ffmpeg',
    [
      ...['-v', 'error', '-nostdin', ...bare, '-i', join(folder, file), '-map', '0:a:0'],
      ...['-ac', '1', '-ar', String(RATE), '-f', 'f32le', '-'],
    ],
    { encoding: 'buffer', maxBuffer: 2 ** 30 },
  );
  return new Float32Array(stdout.buffer.slice(stdout.byteOffset, stdout.byteOffset + (stdout.length & ~3)));
};

const writeWav = (path: string, samples: Float32Array): void => {
  const bytes = Buffer.alloc(44 + 2 * samples.length);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(RATE, 24);
  bytes.writeUInt32LE(2 * RATE, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(2 * samples.length, 40);
  for (const [index, sample] of samples.entries())
    bytes.writeInt16LE(Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768))), 44 + 2 * index);
  writeFileSync(path, bytes);
};

/** A clip by itself. */
export const clipRecording = async (folder: string, clip: Clip, work: string): Promise<Recording> => {
  const samples = await clipSamples(folder, clip);
  const path = join(work, `${clip.name}.wav`);
  writeWav(path, samples);
  const seconds = samples.length / RATE;
  const { name, group, language } = clip;
  return {
    name,
    group,
    language,
    kind: isSilent(clip) ? 'nospeech' : 'speech',
    seconds,
    path,
    passages: isSilent(clip) ? [] : [{ start: 0, end: seconds, language, text: clip.text ?? '' }],
    ...(BY_HAND.test(name) && clip.words !== undefined ? { words: clip.words } : {}),
  };
};

/** Repeatable numbers from 0 to 1 (Numerical Recipes' linear congruential generator). */
const randomFrom = (start: number) => {
  let seed = start;
  return () => {
    seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return seed / 2 ** 32;
  };
};
type Random = ReturnType<typeof randomFrom>;

const shuffled = <T>(list: readonly T[], random: Random): T[] =>
  list
    .map((value) => ({ value, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ value }) => value);

/** White noise at `level` dBFS, or softer towards the treble. */
const noise = (seconds: number, level: number, isSoft: boolean, random: Random): Float32Array => {
  const samples = new Float32Array(Math.round(seconds * RATE));
  let last = 0;
  for (let i = 0; i < samples.length; i++) {
    last = isSoft ? 0.97 * last + 0.03 * (2 * random() - 1) * 5.7 : 2 * random() - 1;
    samples[i] = last * Math.sqrt(3) * 10 ** (level / 20);
  }
  return samples;
};

/** Builds a long recording part by part. */
class Tape {
  readonly passages: Passage[] = [];
  readonly #folder: string;
  readonly #parts: Float32Array[] = [];
  #samples = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get seconds(): number {
    return this.#samples / RATE;
  }

  add(samples: Float32Array): void {
    this.#parts.push(samples);
    this.#samples += samples.length;
  }

  async say(clip: Clip): Promise<void> {
    const samples = await clipSamples(this.#folder, clip);
    const start = this.seconds;
    this.add(samples);
    this.passages.push({ start, end: this.seconds, language: clip.language, text: clip.text ?? '' });
  }

  /** Something without speech: a clip of it again and again, noise, or digital silence. */
  async pause(clips: readonly Clip[], seconds: number, random: Random): Promise<void> {
    const kind = Math.floor(random() * 4);
    if (kind === 0) return this.add(new Float32Array(Math.round(seconds * RATE)));
    if (kind < 2) return this.add(noise(seconds, -30 - random() * 30, random() < 0.5, random));
    const clip = clips[Math.floor(random() * clips.length)];
    if (clip === undefined) return;
    const samples = await clipSamples(this.#folder, clip);
    for (let left = Math.round(seconds * RATE); left > 0; left -= samples.length)
      this.add(samples.subarray(0, Math.max(1, Math.min(left, samples.length))));
  }

  write(path: string): void {
    const all = new Float32Array(this.#samples);
    let at = 0;
    for (const part of this.#parts) {
      all.set(part, at);
      at += part.length;
    }
    writeWav(path, all);
  }
}

/** Clips of many groups in turn, so that neighbors differ; each as often as it takes. */
const inTurn = (clips: readonly Clip[], random: Random, by: (clip: Clip) => string): Clip[] => {
  const groups = shuffled([...Map.groupBy(shuffled(clips, random), by).values()], random);
  const most = Math.max(0, ...groups.map((group) => group.length));
  return Array.from({ length: most }, (_, index) => groups.flatMap((group) => group[index] ?? [])).flat();
};

type Plan = {
  readonly minutes: number;
  readonly language: string;
  readonly kind: Recording['kind'];
  readonly fill: (tape: Tape, clips: readonly Clip[], random: Random, seconds: number) => Promise<void>;
};

const talk =
  (
    isWanted: (clip: Clip) => boolean,
    by: (clip: Clip) => string,
    gap: (random: Random) => number,
  ): Plan['fill'] =>
  async (tape, clips, random, seconds) => {
    const wanted = clips.filter((clip) => isSpoken(clip) && isWanted(clip));
    while (wanted.length > 0 && tape.seconds < seconds) {
      for (const clip of inTurn(wanted, random, by)) {
        if (tape.seconds + clip.duration > seconds) continue;
        await tape.say(clip);
        tape.add(noise(gap(random), -70, true, random));
      }
      if (wanted.every((clip) => tape.seconds + clip.duration > seconds)) return;
    }
  };

const isEnglish = ({ language }: Clip) => language === 'en';
const byGroup = ({ group }: Clip) => group;
const short = (random: Random) => 0.3 + 0.9 * random();

/** The long recordings, each from the clips and a seed alone. */
const PLANS: Readonly<Record<string, Plan>> = {
  'long-en': { minutes: 10, language: 'en', kind: 'speech', fill: talk(isEnglish, byGroup, short) },
  'long-languages': {
    minutes: 10,
    language: 'mixed',
    kind: 'speech',
    fill: talk(
      () => true,
      ({ language }) => language,
      short,
    ),
  },
  'long-nospeech': {
    minutes: 6,
    language: 'zxx',
    kind: 'nospeech',
    fill: async (tape, clips, random, seconds) => {
      const silent = clips.filter(isSilent);
      while (tape.seconds < seconds)
        await tape.pause(silent, Math.min(30, seconds - tape.seconds + 0.01), random);
    },
  },
  'long-pauses': {
    minutes: 12,
    language: 'en',
    kind: 'speech',
    fill: async (tape, clips, random, seconds) => {
      const silent = clips.filter(isSilent);
      for (const clip of inTurn(
        clips.filter((each) => isSpoken(each) && isEnglish(each)),
        random,
        byGroup,
      )) {
        if (tape.seconds > seconds) return;
        await tape.pause(silent, 25 + 35 * random(), random);
        await tape.say(clip);
      }
    },
  },
  'long-40': { minutes: 40, language: 'en', kind: 'speech', fill: talk(isEnglish, byGroup, short) },
};
export const LONG_RECORDINGS: readonly string[] = Object.keys(PLANS);

/** Joins a long recording; the same from the same clips. */
export const longRecording = async (
  folder: string,
  clips: readonly Clip[],
  name: string,
  work: string,
): Promise<Recording> => {
  const plan = PLANS[name];
  if (plan === undefined) throw new Error(`There is no long recording ${name}.`);
  const tape = new Tape(folder);
  await plan.fill(tape, clips, randomFrom(7), plan.minutes * 60);
  const path = join(work, `${name}.wav`);
  tape.write(path);
  const { language, kind } = plan;
  return { name, group: name, language, kind, seconds: tape.seconds, path, passages: tape.passages };
};
