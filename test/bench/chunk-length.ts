// How long chunks for Parakeet models should be: word error rate and processor time of a four-minute meeting, clear and in noise.
//
//   node test/bench/chunk-length.ts

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMediaEngine } from '../../electron/core/engines/ffmpeg/engine.ts';
import { findFfmpeg } from '../../electron/core/engines/ffmpeg/tools.ts';
import { capabilitiesOf } from '../../electron/core/engines/whisper/capabilities.ts';
import { createWhisperEngine } from '../../electron/core/engines/whisper/engine.ts';
import { forkNodeWorker } from '../../electron/core/engines/worker/client.ts';
import { recognizeAgain } from '../../electron/core/pipeline/recognition/recognizer.ts';
import { testAddon } from '../support/addon.ts';
import { fixturePath, truth } from '../support/fixtures.ts';
import { noisyWav } from '../support/noisy.ts';
import { STARTER_PARAKEET, WORKER_ENTRY } from '../support/paths.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { wordErrorRate } from '../support/word-error-rate.ts';
import { cpuSeconds } from './measure.ts';

const RECORDING = '08-meeting-4min.mp3';
const NOISE = { snrDb: 10, seed: 1 };
const SECONDS = [15, 29.5, 60, 115, 240];
const CAPABILITIES = capabilitiesOf({ family: 'parakeet', multilingual: false });

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const media = createMediaEngine(await findFfmpeg({ environment: process.env, platform: process.platform }));
const engine = createWhisperEngine({
  fork: forkNodeWorker(WORKER_ENTRY),
  addonPath: await testAddon(),
  threads: 1,
  concurrency: 1,
});
const settings = { beamSize: () => 1 };

type Heard = { readonly text: string; readonly chunks: number; readonly cpu: number };

const hear = async (path: string, maxChunkSeconds: number): Promise<Heard> => {
  const model = { path: STARTER_PARAKEET, capabilities: { ...CAPABILITIES, maxChunkSeconds } };
  const before = cpuSeconds(process.pid).children;
  const texts: string[] = [];
  const options = { model, language: 'en', translate: false, signal: new AbortController().signal };
  // @ts-expect-error: of the settings, recognition reads these two alone.
  for await (const segments of recognizeAgain({ media, engine, settings }, { kind: 'file', path }, options)) {
    texts.push(segments.map(({ text }) => text).join(' '));
  }
  return { text: texts.join(' '), chunks: texts.length, cpu: cpuSeconds(process.pid).children - before };
};

const noisy = join(temporaryFolder(), 'noisy.wav');
writeFileSync(noisy, noisyWav(RECORDING, NOISE.snrDb, NOISE.seed));

// The worker loads the model with its first chunk.
await hear(fixturePath('01-short-note.wav'), 30);
say('| a chunk ends before | chunks | words wrong | words wrong, in noise | processor time |');
say('|---|---|---|---|---|');
for (const seconds of SECONDS) {
  const clear = await hear(fixturePath(RECORDING), seconds);
  const inNoise = await hear(noisy, seconds);
  const rates = [clear, inNoise].map(
    ({ text }) => `${(100 * wordErrorRate(truth(RECORDING).text, text)).toFixed(1)} %`,
  );
  say(`| ${seconds} s | ${clear.chunks} | ${rates.join(' | ')} | ${clear.cpu.toFixed(1)} s |`);
}
await engine.close();
