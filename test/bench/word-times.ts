// `node test/bench/word-times.ts`: how far the times of words are from the truth, fast and aligned, and what the pass that aligns
// them costs.
//
//   --heads   also each attention head of the demonstration model by itself, and the best few of them together

import { join } from 'node:path';
import { loadAddon, type NativeModel } from '../../electron/core/engines/whisper/addon.ts';
import type { AlignmentHead, TranscribeParams } from '../../electron/core/engines/whisper/types.ts';
import { toSegment } from '../../electron/core/pipeline/recognition/words.ts';
import { testAddon } from '../support/addon.ts';
import { STARTER_MODEL } from '../support/paths.ts';
import { filePcm, fixturePcm } from '../support/pcm.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { TIMED_RECORDINGS, type TimeErrors, timedRecording, timeErrors } from '../support/word-times.ts';
import { median, quantile, upload } from './measure.ts';
import { SHAPES, writeRandomModel } from './random-model.ts';

const RUNS = 3;
const DECODING = {
  threads: 1,
  beamSize: 5,
  maxContext: 0,
  suppressNonSpeech: true,
} as const satisfies TranscribeParams;

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const figures = (errors: readonly number[]): string => {
  const off = errors.map(Math.abs);
  return `median ${median(off).toFixed(0).padStart(4)} ms, 95 % ${quantile(off, 0.95).toFixed(0).padStart(4)} ms`;
};

const row = (name: string, all: readonly TimeErrors[]): void => {
  const [starts, ends] = [all.flatMap((each) => each.starts), all.flatMap((each) => each.ends)];
  print(
    `${name.padEnd(28)} starts ${figures(starts)}   ends ${figures(ends)}   (${starts.length}, ${ends.length})`,
  );
};

const throughService = async (server: TestServer, word_times: 'fast' | 'aligned'): Promise<void> => {
  const all: TimeErrors[] = [];
  const between: TimeErrors[] = [];
  for (const name of TIMED_RECORDINGS) {
    const { path, language, words } = timedRecording(name);
    const audio_url = await upload(server, path);
    const timestamp_style = 'word';
    const body = { audio_url, language, timestamp_style, word_times, wait_until_complete: true } as const;
    const { segments } = await server.client.call('createTranscript', { body });
    const heard = segments.flatMap((segment) => segment.words ?? []);
    all.push(timeErrors(words, heard));
    between.push(timeErrors(words, heard, { onlyBetween: true }));
  }
  row(word_times, all);
  row(`${word_times}, between right words`, between);
};

const throughEngine = async (
  model: NativeModel,
  alignmentHeads: readonly AlignmentHead[],
): Promise<TimeErrors[]> => {
  const all: TimeErrors[] = [];
  for (const name of TIMED_RECORDINGS) {
    const { path, language, words } = timedRecording(name);
    const params = { ...DECODING, beamSize: 1, language, alignWords: true, alignmentHeads };
    const { segments } = await model.transcribe(filePcm(path), params).promise;
    all.push(
      timeErrors(
        words,
        segments.flatMap((segment) => toSegment(segment, language)?.words ?? []),
      ),
    );
  }
  return all;
};

const measureHeads = async (model: NativeModel): Promise<void> => {
  const { textLayers } = model.facts();
  const heads: { readonly head: AlignmentHead; readonly off: number }[] = [];
  for (let layer = 0; layer < textLayers; layer++) {
    for (let head = 0; head < 3; head++) {
      const all = await throughEngine(model, [{ layer, head }]);
      row(`layer ${layer}, head ${head}`, all);
      const starts = all.flatMap((each) => each.starts).map(Math.abs);
      heads.push({ head: { layer, head }, off: quantile(starts, 0.95) });
    }
  }
  const best = heads.toSorted((a, b) => a.off - b.off).map(({ head }) => head);
  for (const count of [2, 3, 4]) {
    const some = best.slice(0, count);
    const name = some.map(({ layer, head }) => `${layer}.${head}`).join(' ');
    row(`heads ${name}`, await throughEngine(model, some));
  }
};

/**
 * As many tokens as half a minute of fast speech has. A random model writes none; reading a prompt costs it what the pass over
 * as many tokens costs, and the logits on top.
 */
const PROMPT = 'The meeting is over and we will review the design on Thursday. '.repeat(8);

/** Processor time of alternating runs over the same audio, without and with `more`. */
const cost = async (
  name: string,
  model: NativeModel,
  pcm: Float32Array,
  more: TranscribeParams = { alignWords: true },
): Promise<void> => {
  const params = { ...DECODING, language: 'en', temperatureIncrement: 0 };
  const timed = async (options: TranscribeParams): Promise<number> => {
    const before = process.cpuUsage();
    await model.transcribe(pcm, { ...params, ...options }).promise;
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  };
  const runs: [fast: number, aligned: number][] = [];
  for (let i = 0; i < RUNS; i++) runs.push([await timed({}), await timed(more)]);
  const [fast, aligned] = [median(runs.map(([time]) => time)), median(runs.map(([, time]) => time))];
  const percent = ((aligned / fast - 1) * 100).toFixed(1);
  print(
    `${name.padEnd(28)} ${fast.toFixed(2)} s, then ${aligned.toFixed(2)} s of processor time: ${percent} % more`,
  );
};

const randomModel = (shape: keyof typeof SHAPES): string => {
  const path = join(temporaryFolder(), `ggml-${shape}.bin`);
  writeRandomModel(path, SHAPES[shape], 'f16');
  return path;
};

const addon = loadAddon(await testAddon());
const minute = fixturePcm('08-meeting-4min.mp3').subarray(0, 60 * 16_000);

const server = await startServer();
for (const mode of ['fast', 'aligned'] as const) await throughService(server, mode);
await discard(server);

const starter = await addon.loadModel(STARTER_MODEL);
if (process.argv.includes('--heads')) await measureHeads(starter);
await cost('demonstration model, 60 s', starter, minute);
await starter.free();

const base = await addon.loadModel(randomModel('base'));
const half = minute.subarray(0, 30 * 16_000);
await cost('shape of base, no text', base, half);
await cost('shape of base, as a prompt', base, half, { initialPrompt: PROMPT, maxContext: 0 });
await base.free();
