import { loadDiarizer } from '../core/engines/diarizer/worker.ts';
import { loadTagger } from '../core/engines/tagger/worker.ts';
import { loadWhisper } from '../core/engines/whisper/worker.ts';
import type { LoadEngine } from '../core/engines/worker/protocol.ts';
import { openPort, serve } from './serve.ts';

/**
 * The worker process: the only one that loads native libraries. Arguments: an engine's name, then what that engine
 * takes. A new engine is one more entry here.
 */
const ENGINES: Readonly<Record<string, LoadEngine>> = {
  whisper: loadWhisper,
  diarizer: loadDiarizer,
  tagger: loadTagger,
};

const [name = '', ...args] = process.argv.slice(2);

serve(openPort(), () => {
  const load = ENGINES[name];
  if (!load) throw new Error(`There is no engine named "${name}".`);
  return load(args);
});
