// The entry of every npm script: sets up what the task needs, then runs it.
//
//   node electron/cli/bootstrap/main.mjs <task> [arguments …]
//
// Plain JavaScript for Node 20 and without packages, since neither a later Node nor node_modules may exist yet. Prints to stderr.

import './node-version.mjs';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runChecks, runStaticChecks } from './checks.mjs';
import { cacheDir, modules, root } from './places.mjs';
import { elapsed, guardSetup, printLine, runEarshot, runProgram, SetupError } from './processes.mjs';
import { ensureEngine, ensurePackages, ensureWindowBundle, suitableNode } from './setup.mjs';
import { ensureTools, findChromium } from './system-tools.mjs';
import { develop, start } from './window.mjs';

const QUIET_MS = 2000;
const FFMPEG = ['ffmpeg', 'ffprobe'];

const program = async (node, args) => (await runProgram(node, args)).code;
const script = (...parts) => ({ run: (node, args) => program(node, [join(root, ...parts), ...args]) });
const earshot = async (node, entry, args) => {
  // npm runs scripts in the folder of the package; paths are meant from where the person stands.
  if (process.env.INIT_CWD) process.chdir(process.env.INIT_CWD);
  return (await runEarshot(node, join(root, ...entry), args)).code;
};
const command = (...words) => ({
  run: (node, args) => earshot(node, ['electron', 'cli', 'main.ts'], [...words, ...args]),
});
const vitest = (node, args) =>
  program(node, [join(modules, 'vitest', 'vitest.mjs'), '--root', root, ...args]);

/** The commands of `earshot` that name the window's address. */
const SHOWS_WINDOW = ['serve', 'open'];

/**
 * Every task: `tools` are the system programs it needs beside those of the engine's build, `engine` the native addon
 * (`'portable'`: for every processor), `whisperCli` also whisper.cpp's own program, `window` the bundled window,
 * of `earshot` by its arguments.
 */
const TASKS = {
  transcribe: { tools: FFMPEG, engine: true, ...command('transcribe') },
  earshot: { tools: FFMPEG, engine: true, window: ([word]) => SHOWS_WINDOW.includes(word), ...command() },
  // What the build of the window bundles starts in two thirds of the time of the sources, and takes 30 MB less.
  serve: {
    tools: FFMPEG,
    engine: true,
    window: true,
    run: (node, args) => earshot(node, ['out', 'main', 'earshot.js'], ['serve', ...args]),
  },
  start: { tools: FFMPEG, engine: true, window: true, run: start },
  dev: { tools: FFMPEG, engine: true, run: develop },
  // The checks build the window themselves and count a failing build as a failed check.
  test: { tools: [...FFMPEG, 'chromium'], engine: true, whisperCli: true, run: runChecks },
  'test:nightly': {
    tools: [...FFMPEG, 'chromium'],
    engine: true,
    whisperCli: true,
    run: (node, args) => vitest(node, ['run', '--project', 'nightly', ...args]),
  },
  // One process per core: a third only loads the same modules once more.
  'test:unit': {
    run: (node, args) => vitest(node, ['run', '--project', 'unit', '--maxWorkers=100%', ...args]),
  },
  'test:watch': { run: (node, args) => vitest(node, ['watch', '--project', 'unit', ...args]) },
  'test:desktop': {
    tools: FFMPEG,
    engine: true,
    window: true,
    run: (node, args) => vitest(node, ['run', '--project', 'desktop', ...args]),
  },
  notices: { ...script('test', 'notices', 'main.ts') },
  audit: { ...script('test', 'notices', 'audit.ts') },
  fuzz: { tools: FFMPEG, engine: true, ...script('test', 'fuzz', 'main.ts') },
  faults: { tools: FFMPEG, engine: true, ...script('test', 'faults', 'main.ts') },
  lint: { run: (node) => runStaticChecks(node, ['format, lint', 'layers', 'dead code']) },
  typecheck: { run: (node) => runStaticChecks(node, ['types']) },
  bench: {
    tools: FFMPEG,
    engine: true,
    whisperCli: true,
    window: true,
    run: (node, args) => {
      process.env.EARSHOT_TEST_PROGRAM = 'bundled';
      return program(node, [join(root, 'test', 'bench', 'main.ts'), ...args]);
    },
  },
  'bench:analysis': { tools: FFMPEG, ...script('test', 'bench', 'analysis.ts') },
  screenshots: {
    tools: [...FFMPEG, 'chromium'],
    engine: true,
    window: true,
    ...script('test', 'e2e', 'screenshots.ts'),
  },
  'build:client': { ...script('packages', 'earshot-client', 'build', 'main.ts') },
  build: { window: true, run: async () => 0 },
  package: {
    tools: FFMPEG,
    engine: 'portable',
    window: true,
    ...script('packages', 'desktop', 'build', 'main.ts'),
  },
  'package:rehearsal': {
    tools: FFMPEG,
    engine: 'portable',
    window: true,
    ...script('test', 'desktop', 'rehearsal', 'package.ts'),
  },
  'package:ffmpeg': { ...script('packages', 'desktop', 'build', 'ffmpeg', 'main.ts') },
  'package:server': {
    engine: 'portable',
    window: true,
    ...script('packages', 'server', 'build', 'main.ts'),
  },
  'package:verify': { ...script('packages', 'server', 'verify', 'main.ts') },
};

const isHelp = (words) =>
  ['help', 'completion'].includes(words[0]) || words.some((word) => ['-h', '--help'].includes(word));

const isVersion = (args) => ['-V', '--version'].includes(args[0]);

const setUp = async ({ tools = [], engine = false, whisperCli = false, window = () => false }, args) => {
  cacheDir();
  await ensurePackages();
  const node = suitableNode();
  await ensureTools(tools);
  if (engine) await ensureEngine({ node, cli: whisperCli, portable: engine === 'portable' });
  if (window === true || window(args)) await ensureWindowBundle(node);
  const chromium = tools.includes('chromium') && findChromium();
  if (chromium) process.env.EARSHOT_CHROMIUM = chromium;
  return node;
};

const main = async ([name = '', ...args]) => {
  const task = Object.hasOwn(TASKS, name) ? TASKS[name] : undefined;
  if (name === 'earshot' && isVersion(args)) {
    process.stdout.write(`${JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version}\n`);
    return 0;
  }
  if (!task) throw new SetupError(`Unknown task "${name}". Known: ${Object.keys(TASKS).join(', ')}.`, 2);
  const started = Date.now();
  guardSetup();
  // Help runs from the sources, with nothing but the packages.
  const isEarshot = ['earshot', 'transcribe', 'serve'].includes(name);
  const words = name === 'earshot' ? args : [name, ...args];
  if (isEarshot && isHelp(words)) {
    const node = await setUp({}, args);
    return earshot(node, ['electron', 'cli', 'main.ts'], words);
  }
  const node = await setUp(task, args);
  const took = Date.now() - started;
  if (took > QUIET_MS) printLine(`Set up in ${elapsed(took)}.`);
  return task.run(node, args);
};

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    printLine(error instanceof SetupError ? error.message : (error.stack ?? String(error)));
    process.exitCode = error instanceof SetupError ? error.exitCode : 70;
  },
);
