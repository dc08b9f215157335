import { createWhisperEngine } from '../../../../electron/core/engines/whisper/engine.ts';
import { forkNodeWorker } from '../../../../electron/core/engines/worker/client.ts';

/** A host that starts a long recognition, prints its worker's process id, and waits to be killed. */
const [addonPath = '', entry = '', modelPath = ''] = process.argv.slice(2);
const engine = createWhisperEngine({ fork: forkNodeWorker(entry), addonPath, threads: 1 });
const noise = Float32Array.from({ length: 60 * 16_000 }, (_, i) => Math.sin(i / 7) * Math.sin(i / 3000));
await engine.transcribe({
  modelPath,
  pcm: noise,
  params: { language: 'en', beamSize: 8 },
  onProgress: () => process.stdout.write(`${engine.workerPid}\n`),
});
