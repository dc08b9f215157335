import { loadAddon } from '../../../electron/core/engines/whisper/addon.ts';

/**
 * Runs many short jobs in a process of its own and prints its memory after 50 and after 200 of them. Some are aborted or
 * rejected, which must free their memory, too.
 */
const [addonPath = '', modelPath = ''] = process.argv.slice(2);
const model = await loadAddon(addonPath).loadModel(modelPath);
const pcm = Float32Array.from({ length: 3 * 16_000 }, (_, i) => Math.sin(i / 9) * Math.sin(i / 4000) * 0.3);

/** A small audio context makes a job short, with the same allocations. */
const params = { language: 'en', audioContext: 192, maxContext: 0 };

const memory = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().rss;
};

const readings: number[] = [];
for (let job = 1; job <= 200; job += 1) {
  const { promise, abort } = model.transcribe(pcm, params);
  if (job % 10 === 0) abort();
  await promise.catch(() => {});
  await model.transcribe(pcm, { ...params, language: 'xx' }).promise.catch(() => {});
  if (job === 50 || job === 200) readings.push(memory());
}
await model.free();
process.stdout.write(JSON.stringify(readings));
