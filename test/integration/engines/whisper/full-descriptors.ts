import { closeSync, openSync } from 'node:fs';
import { createWhisperEngine } from '../../../../electron/core/engines/whisper/engine.ts';
import { forkNodeWorker } from '../../../../electron/core/engines/worker/client.ts';

/** A host without a descriptor left, and then with some: prints the error of a recognition, and the text of the next. */
const [addonPath = '', entry = '', modelPath = ''] = process.argv.slice(2);
const engine = createWhisperEngine({ fork: forkNodeWorker(entry), addonPath, threads: 1 });
const pcm = new Float32Array(16_000);
const opened: number[] = [];
try {
  for (;;) opened.push(openSync('/dev/null', 'r'));
} catch {
  // The limit is reached.
}
const failure: unknown = await engine.transcribe({ modelPath, pcm }).catch((error: unknown) => error);
for (const descriptor of opened) closeSync(descriptor);
const { segments } = await engine.transcribe({ modelPath, pcm, params: { language: 'en' } });
const code = failure instanceof Error && 'code' in failure ? failure.code : failure;
process.stdout.write(JSON.stringify({ code, segments: segments.length }));
await engine.close();
