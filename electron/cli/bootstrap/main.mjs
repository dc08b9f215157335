// The first thing every npm script runs: sets up what the task needs, then runs it.
//
//   node electron/cli/bootstrap/main.mjs <task> [arguments …]
//
// Plain JavaScript for Node 20, without packages: there may be none yet. What it says goes to stderr.

import { join } from 'node:path';
import { runChecks } from './checks.mjs';
import { ensureEngine } from './engine.mjs';
import { SetupError } from './errors.mjs';
import { node24 } from './node24.mjs';
import { ensurePackages } from './packages.mjs';
import { cacheDir, root } from './places.mjs';
import { guardSetup, runProgram } from './processes.mjs';
import { elapsed, say } from './progress.mjs';
import { start } from './start.mjs';
import { ensureTools, findChromium } from './system-tools.mjs';
import { ensureWindowBundle } from './window-bundle.mjs';

const QUIET_MS = 2000;
const cli = join('electron', 'cli', 'main.ts');
const script = (...parts) => ({ run: (node, args) => program(node, [join(root, ...parts), ...args]) });
const command = (...words) => ({ run: (node, args) => program(node, [join(root, cli), ...words, ...args]) });

/**
 * What each task needs and runs. `tools`: programs beside the engine's own; `engine`: the native addon; `whisperCli`:
 * also whisper.cpp's own program; `window`: the bundled window.
 */
const TASKS = {
  transcribe: { tools: ['ffmpeg', 'ffprobe'], engine: true, ...command('transcribe') },
  earshot: { tools: ['ffmpeg', 'ffprobe'], engine: true, ...command() },
  serve: { tools: ['ffmpeg', 'ffprobe'], engine: true, window: true, ...command('serve') },
  start: { tools: ['ffmpeg', 'ffprobe'], engine: true, window: true, run: start },
  // The checks build the window themselves, and count a failure there as one among the others.
  test: { tools: ['ffmpeg', 'ffprobe', 'chromium'], engine: true, whisperCli: true, run: runChecks },
  bench: {
    tools: ['ffmpeg', 'ffprobe'],
    engine: true,
    whisperCli: true,
    ...script('test', 'bench', 'main.ts'),
  },
  'bench:analysis': { tools: ['ffmpeg', 'ffprobe'], ...script('test', 'bench', 'analysis.ts') },
  faults: { tools: ['ffmpeg', 'ffprobe'], engine: true, ...script('test', 'faults', 'main.ts') },
  screenshots: {
    tools: ['ffmpeg', 'ffprobe', 'chromium'],
    engine: true,
    window: true,
    ...script('test', 'e2e', 'screenshots.ts'),
  },
  'test:desktop': {
    tools: ['ffmpeg', 'ffprobe'],
    engine: true,
    window: true,
    ...script('test', 'desktop', 'main.ts'),
  },
  'build:client': { tools: [], ...script('packages', 'earshot-client', 'build', 'main.ts') },
  build: { tools: [], window: true, run: async () => 0 },
};

async function program(node, args) {
  return (await runProgram(node, args)).code;
}

async function setUp(task) {
  cacheDir();
  await ensurePackages();
  const node = node24();
  await ensureTools(task.tools);
  if (task.engine) await ensureEngine({ node, cli: task.whisperCli });
  if (task.window) await ensureWindowBundle(node);
  const chromium = task.tools.includes('chromium') && findChromium();
  if (chromium) process.env.EARSHOT_CHROMIUM = chromium;
  return node;
}

async function main([name = '', ...args]) {
  const task = Object.hasOwn(TASKS, name) ? TASKS[name] : undefined;
  if (!task) throw new SetupError(`Unknown task "${name}". Known: ${Object.keys(TASKS).join(', ')}.`, 2);
  const started = Date.now();
  guardSetup();
  const node = await setUp(task);
  const took = Date.now() - started;
  if (took > QUIET_MS) say(`Set up in ${elapsed(took)}.`);
  return task.run(node, args);
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    say(error instanceof SetupError ? error.message : (error.stack ?? String(error)));
    process.exitCode = error instanceof SetupError ? error.exitCode : 70;
  },
);
