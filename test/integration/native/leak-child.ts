import { loadAddon } from '../../../electron/core/engines/whisper/addon.ts';

/**
 * Runs many short jobs in a process of its own and prints its least memory in twenty jobs after some to warm up, and in the
 * last twenty: what the allocator has not yet given back after one job differs by some megabytes. Some jobs are aborted or
 * rejected, which must free their memory, too.
 */
const [addonPath = '', modelPath = '', ...numbers] = process.argv.slice(2);
const [JOBS = 0, WARM_UP = 0, SECONDS = 0] = numbers.map(Number);
const model = await loadAddon(addonPath).loadModel(modelPath);
const pcm = Float32Array.from(
  { length: SECONDS * 16_000 },
  (_, i) => Math.sin(i / 9) * Math.sin(i / 4000) * 0.3,
);

/** A small audio context makes a job short, with the same allocations. */
const params = { language: 'en', audioContext: 192, maxContext: 0 };

const memory = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().rss;
};

let early = Number.POSITIVE_INFINITY;
let late = Number.POSITIVE_INFINITY;
for (let job = 1; job <= JOBS; job += 1) {
  const { promise, abort } = model.transcribe(pcm, params);
  if (job % 10 === 0) abort();
  await promise.catch(() => {});
  await model.transcribe(pcm, { ...params, language: 'xx' }).promise.catch(() => {});
  if (job > WARM_UP && job <= WARM_UP + 20) early = Math.min(early, memory());
  if (job > JOBS - 20) late = Math.min(late, memory());
}
await model.free();
process.stdout.write(JSON.stringify([early, late]));
