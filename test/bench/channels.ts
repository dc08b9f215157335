// What recognizing each channel by itself makes of voices that are heard in the other channels, too: word error rates per
// channel with and without the bleed, and with it left in; which words are dropped rightly and wrongly.
//
//   node test/bench/channels.ts

import { createMediaEngine } from '../../electron/core/engines/ffmpeg/engine.ts';
import { findFfmpeg } from '../../electron/core/engines/ffmpeg/tools.ts';
import { capabilitiesOf } from '../../electron/core/engines/whisper/capabilities.ts';
import { createWhisperEngine } from '../../electron/core/engines/whisper/engine.ts';
import { forkNodeWorker } from '../../electron/core/engines/worker/client.ts';
import { recognizeChunk } from '../../electron/core/pipeline/recognition/recognizer.ts';
import {
  inChannel,
  Levels,
  withoutBleed,
  writeLevels,
} from '../../electron/core/pipeline/recognition/settle-channels.ts';
import type { StoredSegment, StoredWord } from '../../electron/core/stores/segments.ts';
import { type VoiceChannels, voiceChannels, voicesOf } from '../generators/voice-channels.ts';
import { testAddon } from '../support/addon.ts';
import { truth } from '../support/fixtures.ts';
import { STARTER_MODEL, STARTER_PARAKEET, WORKER_ENTRY } from '../support/paths.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { plainWords, wordErrors } from '../support/word-error-rate.ts';

/** The limits were chosen on the first; the other was never looked at for that. */
const RECORDINGS = ['02-two-speakers.mp3', '03-three-speakers.flac'];
const BLEED_DB = -15;
/** In turns, and with each voice later than the one before, so that they speak at once. */
const CASES: readonly (readonly [name: string, options: VoiceChannels])[] = [
  ['in turns', {}],
  ['at once', { shift: 1.7 }],
  ['at once, channel 1 louder by 10 dB', { shift: 1.7, gain: 10 }],
];
const MODELS = {
  whisper: { path: STARTER_MODEL, capabilities: capabilitiesOf({ family: 'whisper', multilingual: true }) },
  parakeet: {
    path: STARTER_PARAKEET,
    capabilities: capabilitiesOf({ family: 'parakeet', multilingual: false }),
  },
};
type Family = keyof typeof MODELS;

const engine = createWhisperEngine({
  fork: forkNodeWorker(WORKER_ENTRY),
  addonPath: await testAddon(),
  threads: 1,
  concurrency: 1,
});
const media = createMediaEngine(await findFfmpeg({ environment: process.env, platform: process.platform }));

type Heard = { readonly segments: StoredSegment[]; readonly levels: Levels[] };

const hear = async (path: string, channels: number, family: Family): Promise<Heard> => {
  const folder = temporaryFolder();
  const segments: StoredSegment[] = [];
  const levels: Levels[] = [];
  for (let channel = 0; channel < channels; channel++) {
    const { chunks } = media.decodeChunks({ kind: 'file', path }, { select: { track: 0, channel } });
    for await (const chunk of chunks) {
      await writeLevels(`${folder}/${channel}`, chunk, 0);
      const recognized = await recognizeChunk(chunk, {
        engine,
        model: MODELS[family],
        language: 'en',
        beamSize: 1,
        translate: false,
        signal: new AbortController().signal,
        crashes: 0,
      });
      for (const segment of recognized.segments) {
        segments.push({ ...inChannel(segment, channel), id: segments.length });
      }
    }
    levels.push(await Levels.read(`${folder}/${channel}`, 0));
  }
  return { segments, levels };
};

const saidBy = (file: string, voice: string): string[] =>
  truth(file)
    .sentences.filter(({ speaker }) => speaker === voice)
    .flatMap(({ text }) => plainWords(text));

/** Word errors of all channels over the words that are said in them, in percent. */
const rateOf = (file: string, segments: readonly StoredSegment[]): number => {
  let [errors, words] = [0, 0];
  for (const [channel, voice] of voicesOf(file).entries()) {
    const own = segments
      .filter((segment) => segment.channel === channel)
      .toSorted((a, b) => a.start - b.start);
    const said = saidBy(file, voice);
    errors += wordErrors(said, plainWords(own.map(({ text }) => text).join(' ')));
    words += said.length;
  }
  return (100 * errors) / words;
};

/** Whether a voice says this word at this time. */
const says = (file: string, word: StoredWord, channel: number, shift: number): boolean => {
  const voice = voicesOf(file)[channel];
  const at = (word.start + word.end) / 2 - shift * channel;
  const [plain] = plainWords(word.word);
  return truth(file).sentences.some(
    ({ speaker, start, end, text }) =>
      speaker === voice && at > start - 0.3 && at < end + 0.3 && plainWords(text).includes(plain ?? ''),
  );
};

type Origin = 'own' | 'foreign' | 'misheard';

const originOf = (file: string, word: StoredWord, channel: number, shift: number): Origin => {
  if (says(file, word, channel, shift)) return 'own';
  const isSaid = voicesOf(file).some((_, other) => other !== channel && says(file, word, other, shift));
  return isSaid ? 'foreign' : 'misheard';
};

/** Words of other voices, those of them that are dropped, and dropped words of the channel's own voice. */
const count = (file: string, { segments }: Heard, dropped: ReadonlySet<StoredWord>, shift: number) => {
  const words = segments.flatMap(({ channel = 0, words: own }) =>
    own.map((word) => ({ origin: originOf(file, word, channel, shift), isDropped: dropped.has(word) })),
  );
  const foreign = words.filter(({ origin }) => origin === 'foreign');
  return [
    foreign.length,
    foreign.filter(({ isDropped }) => isDropped).length,
    words.filter(({ origin, isDropped }) => origin === 'own' && isDropped).length,
  ];
};

const cell = (value: string | number, width = 9): string =>
  (typeof value === 'number' ? value.toFixed(1) : value).padStart(width);

process.stdout.write(
  `${'recording'.padEnd(24)} ${'voices speak'.padEnd(36)} ${['model', 'clean', 'dropped', 'bleed in', 'bleed out', 'foreign', 'rightly', 'wrongly'].map((name) => cell(name)).join(' ')}\n`,
);
for (const file of RECORDINGS) {
  for (const [name, options] of CASES) {
    const { shift = 0 } = options;
    const channels = voicesOf(file).length;
    const clean = await voiceChannels(file, options);
    const bled = await voiceChannels(file, { ...options, bleed: BLEED_DB });
    for (const family of ['whisper', 'parakeet'] as const) {
      const without = await hear(clean, channels, family);
      const withBleed = await hear(bled, channels, family);
      const control = await withoutBleed(without.segments, without.levels);
      const { segments, dropped } = await withoutBleed(withBleed.segments, withBleed.levels);
      const counts = count(file, withBleed, new Set(dropped), shift);
      const cells = [
        family,
        rateOf(file, without.segments),
        control.dropped.length.toFixed(0),
        rateOf(file, withBleed.segments),
        rateOf(file, segments),
        ...counts.map((value) => value.toFixed(0)),
      ];
      process.stdout.write(
        `${file.padEnd(24)} ${name.padEnd(36)} ${cells.map((value) => cell(value)).join(' ')}\n`,
      );
    }
  }
}
await engine.close();
