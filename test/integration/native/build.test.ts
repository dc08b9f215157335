import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { addonPath, buildAddon, buildEngineBench } from '../../../native/build.mjs';
import { patchSources } from '../../../native/patch.mjs';
import { testAddon } from '../../support/addon.ts';
import { ROOT } from '../../support/paths.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 120_000 });

const BUILD = join(ROOT, 'native', 'build.mjs');
const PATCHES = join(ROOT, 'native', 'patches');
const WHISPER = join(ROOT, 'node_modules', 'nodejs-whisper', 'cpp', 'whisper.cpp');

let built: string;
let folder: string;
let cache: string;
let tools: string;

/** Puts a fake cmake first on the PATH: these tests are about what surrounds the compilation. */
const withCmake = (script: string): void => {
  writeFileSync(join(tools, 'cmake'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(tools, 'cmake'), 0o755);
};

/** Writes the files that the real CMake leaves, slowly, and counts its runs. */
const MAKES_FILES = `
if [ "$1" = --build ]; then
  echo run >> "$EARSHOT_CACHE_DIR/runs"
  echo "[ 50%] Building"
  echo "[100%] Linking CXX executable vulkan-shaders-gen"
  sleep 0.4
  mkdir -p "$2/bin"
  echo addon > "$2/bin/earshot_engine.node"
  echo cli > "$2/bin/whisper-cli"
  echo vulkan > "$2/bin/libearshot_vulkan.so"
fi`;

type Outcome = { code: number | null; stdout: string; stderr: string };

const start = (args: string[], path = `${tools}:/usr/bin:/bin`): ChildProcess =>
  spawn(process.execPath, [BUILD, ...args], {
    env: { PATH: path, HOME: folder, EARSHOT_CACHE_DIR: cache },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, so that a test can kill its descendants, too.
    detached: true,
  });

const finish = (child: ChildProcess): Promise<Outcome> =>
  new Promise((resolve) => {
    let stdout = '';
    let stderr = '';
    child.stdout?.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr?.on('data', (chunk) => {
      stderr += chunk;
    });
    child.once('close', (code) => resolve({ code, stdout: stdout.trim(), stderr }));
  });

const leftovers = (): string[] =>
  readdirSync(join(cache, 'native')).filter((name) => !/-(addon|cli|vulkan|tree)$/.test(name));
const runs = (): number => readFileSync(join(cache, 'runs'), 'utf8').trim().split('\n').length;

beforeAll(async () => {
  built = await testAddon();
});
beforeEach(() => {
  folder = temporaryFolder();
  cache = join(folder, 'cache');
  tools = join(folder, 'tools');
  mkdirSync(cache);
  mkdirSync(tools);
});

describe('building the engine', () => {
  it('finds a finished build without building again', async () => {
    const logged: string[] = [];
    expect(existsSync(built)).toBe(true);
    if (!process.env.EARSHOT_ADDON) {
      expect(addonPath()).toBe(built);
      expect(await buildAddon({ log: (line) => logged.push(line) })).toBe(built);
    }
    expect(logged).toEqual([]);
    expect(addonPath({ portable: true })).not.toBe(built);
  });

  it('prints the path to stdout and progress to stderr, and builds once', async () => {
    withCmake(MAKES_FILES);
    const first = await finish(start([]));
    expect(first.code).toBe(0);
    expect(first.stderr.match(/\d+ %/g)).toEqual(['50 %']);
    expect(first.stdout).toMatch(/-addon\/earshot_engine\.node$/);
    expect(readFileSync(first.stdout, 'utf8')).toBe('addon\n');
    expect(readdirSync(dirname(first.stdout))).toEqual(['earshot_engine.node']);
    const second = await finish(start([]));
    expect(second).toEqual({ code: 0, stdout: first.stdout, stderr: '' });
    const cli = await finish(start(['--cli']));
    expect(readFileSync(cli.stdout, 'utf8')).toBe('cli\n');
    expect(runs()).toBe(2);
    expect(leftovers()).toEqual([]);
  });

  it('puts the Vulkan library, which it builds by itself, beside a portable addon alone', async () => {
    withCmake(MAKES_FILES);
    const plain = await finish(start(['--portable']));
    expect(readdirSync(dirname(plain.stdout))).toEqual(['earshot_engine.node']);
    const both = await finish(start(['--portable', '--vulkan']));
    expect(readdirSync(dirname(both.stdout))).toEqual(['earshot_engine.node', 'libearshot_vulkan.so']);
    expect(runs()).toBe(3);
    rmSync(dirname(both.stdout), { recursive: true });
    expect((await finish(start(['--portable', '--vulkan']))).stdout).toBe(both.stdout);
    expect(runs()).toBe(4);
    const alone = await finish(start(['--vulkan']));
    expect(alone).toMatchObject({ code: 1, stdout: '' });
    expect(alone.stderr).toContain('--portable');
  });

  it('builds the benchmark for this machine and for AVX2 alone, each for itself', async () => {
    withCmake(`
if [ "$1" = --build ]; then
  mkdir -p "$2/bin"
  echo bench > "$2/bin/engine-bench"
else
  echo "$@" >> "$EARSHOT_CACHE_DIR/configured"
fi`);
    vi.stubEnv('EARSHOT_CACHE_DIR', cache);
    vi.stubEnv('PATH', `${tools}:/usr/bin:/bin`);
    try {
      const own = await buildEngineBench();
      const avx2 = await buildEngineBench({ avx2: true });
      expect(avx2).not.toBe(own);
      expect(await buildEngineBench({ avx2: true })).toBe(avx2);
      const configured = readFileSync(join(cache, 'configured'), 'utf8');
      expect(configured.match(/-DEARSHOT_NATIVE=\w+/g)).toEqual([
        '-DEARSHOT_NATIVE=ON',
        '-DEARSHOT_NATIVE=OFF',
      ]);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('builds once for two processes that start together', async () => {
    withCmake(MAKES_FILES);
    const [first, second] = await Promise.all([finish(start([])), finish(start([]))]);
    expect(first.code).toBe(0);
    expect(second).toMatchObject({ code: 0, stdout: first.stdout });
    expect(runs()).toBe(1);
    expect(leftovers()).toEqual([]);
  });

  it('goes on from a killed build, in the folder of which it compiled', async () => {
    withCmake(MAKES_FILES.replace('sleep 0.4', 'sleep 2'));
    const killed = start([]);
    while (!existsSync(join(cache, 'runs'))) await new Promise((resolve) => setTimeout(resolve, 20));
    process.kill(-(killed.pid ?? 0), 'SIGKILL');
    await finish(killed);
    const compiled = readdirSync(join(cache, 'native')).filter((name) => name.endsWith('-tree'));
    expect(compiled).toHaveLength(1);
    writeFileSync(join(cache, 'native', compiled[0] ?? '', 'object'), '');
    withCmake(`ls "$(dirname "$2")/object" >> "$EARSHOT_CACHE_DIR/found" 2>/dev/null\n${MAKES_FILES}`);
    expect(await finish(start([]))).toMatchObject({ code: 0 });
    expect(readFileSync(join(cache, 'found'), 'utf8')).toContain('object');
    expect(leftovers().filter((name) => !name.endsWith('.log'))).toEqual([]);
  });

  it('starts over if what an interrupted build left is damaged', async () => {
    withCmake('exit 2');
    expect((await finish(start([]))).code).toBe(1);
    const tree = readdirSync(join(cache, 'native')).find((name) => name.endsWith('-tree')) ?? '';
    writeFileSync(join(cache, 'native', tree, 'damaged'), '');
    withCmake(`[ -e "$(dirname "$2")/damaged" ] && exit 2\n${MAKES_FILES}`);
    expect(await finish(start([]))).toMatchObject({ code: 0 });
  });

  it('keeps the most recently used builds', async () => {
    withCmake(MAKES_FILES);
    mkdirSync(join(cache, 'native'));
    for (let old = 0; old < 9; old += 1) mkdirSync(join(cache, 'native', `${old}-addon`));
    const { stdout } = await finish(start([]));
    expect(existsSync(stdout)).toBe(true);
    const kept = readdirSync(join(cache, 'native')).filter((name) => !name.endsWith('-tree'));
    expect(kept).toHaveLength(6);
  });

  it('shows the first error of the compiler and the path of the whole log', async () => {
    withCmake('echo "transcribe.cc:7: error: no such thing"; echo "make: *** [all] Error 2" >&2; exit 2');
    const { code, stdout, stderr } = await finish(start([]));
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain('error: no such thing');
    const log = /The whole log: (.*)/.exec(stderr)?.[1] ?? '';
    expect(readFileSync(log, 'utf8')).toContain('Error 2');
    expect(leftovers().filter((name) => !name.endsWith('.log'))).toEqual([]);
  });

  it('names the packages to install without CMake, and refuses unknown options', async () => {
    const without = await finish(start([], tools));
    expect(without).toMatchObject({ code: 1, stdout: '' });
    expect(without.stderr).toContain('apt-get install cmake g++');
    const unknown = await finish(start(['--fast']));
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(unknown.stderr).toContain('--fast');
  });
});

describe('patching whisper.cpp', () => {
  const SOURCES = [
    'src/whisper.cpp',
    'src/parakeet.cpp',
    ...['ops.cpp', 'repack.cpp', 'simd-gemm.h', 'ggml-cpu.c', 'ggml-cpu.cpp'].map(
      (name) => `ggml/src/ggml-cpu/${name}`,
    ),
    'ggml/src/ggml-vulkan/ggml-vulkan.cpp',
  ];
  let sources: string;
  let target: string;

  /** Replaces text in a copy of whisper.cpp, as another version of it would. */
  const change = (file: string, before: string, after: string): void => {
    const path = join(sources, file);
    const text = readFileSync(path, 'utf8');
    expect(text).toContain(before);
    writeFileSync(path, text.replace(before, after));
  };

  beforeEach(() => {
    sources = join(folder, 'sources');
    target = join(folder, 'patched');
    for (const file of SOURCES) cpSync(join(WHISPER, file), join(sources, file));
  });

  it('applies every patch to a copy and leaves the sources as they are', () => {
    patchSources({ patches: PATCHES, sources, target });
    for (const file of SOURCES) {
      const source = readFileSync(join(WHISPER, file), 'utf8');
      expect(readFileSync(join(target, file), 'utf8')).not.toBe(source);
      expect(readFileSync(join(sources, file), 'utf8')).toBe(source);
    }
  });

  it('fails with the name of a patch that does not apply, and writes nothing', () => {
    change(
      'src/whisper.cpp',
      'whisper_batch_prep_legacy(state->batch, prompt.data(), prompt.size(), 0, 0);',
      '',
    );
    const patch = () => patchSources({ patches: PATCHES, sources, target });
    expect(patch).toThrow(/04-no-speech-probability\.patch does not apply to src\/whisper\.cpp: line \d+ is/);
    expect(existsSync(target)).toBe(false);
  });

  it('fails where the lines have moved, and where a patch or its file is damaged', () => {
    change('ggml/src/ggml-cpu/ops.cpp', '#include "vec.h"', '\n#include "vec.h"');
    expect(() => patchSources({ patches: PATCHES, sources, target })).toThrow(/01-\S+ does not apply/);
    const patches = join(folder, 'patches');
    mkdirSync(patches);
    const damaged = [
      ['--- a/none.cpp\n+++ b/none.cpp\n@@ -1 +1 @@\n-a\n+b\n', /none\.cpp/],
      ['--- a/src/whisper.cpp\n+++ b/src/whisper.cpp\n@@ -1,2 +1 @@\n-a\n', /does not belong to its hunk/],
      ['A description without a change.\n', /changes nothing/],
    ] as const;
    for (const [text, reason] of damaged) {
      writeFileSync(join(patches, 'damaged.patch'), text);
      expect(() => patchSources({ patches, sources, target })).toThrow(reason);
    }
  });
});
