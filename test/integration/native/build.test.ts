import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { addonPath, buildAddon } from '../../../native/build.mjs';
import { testAddon } from '../../support/addon.ts';
import { ROOT } from '../../support/paths.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 120_000 });

const BUILD = join(ROOT, 'native', 'build.mjs');

let built: string;
let folder: string;
let cache: string;
let tools: string;

/** Puts a program named cmake first on the PATH: the real one takes minutes, and these tests are about the rest. */
const withCmake = (script: string): void => {
  writeFileSync(join(tools, 'cmake'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(tools, 'cmake'), 0o755);
};

/** Makes the files that the real CMake would leave, slowly, and notes that it ran. */
const MAKES_FILES = `
if [ "$1" = --build ]; then
  echo run >> "$EARSHOT_CACHE_DIR/runs"
  echo "[ 50%] Building"
  sleep 0.4
  mkdir -p "$2/bin"
  echo addon > "$2/bin/earshot_engine.node"
  echo cli > "$2/bin/whisper-cli"
fi`;

type Outcome = { code: number | null; stdout: string; stderr: string };

const start = (args: string[], path = `${tools}:/usr/bin:/bin`): ChildProcess =>
  spawn(process.execPath, [BUILD, ...args], {
    env: { PATH: path, HOME: folder, EARSHOT_CACHE_DIR: cache },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that a test can kill it with all that it started.
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
  readdirSync(join(cache, 'native')).filter((name) => !/-(addon|cli)$/.test(name));
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
  it('finds what is built without building again', async () => {
    const said: string[] = [];
    expect(existsSync(built)).toBe(true);
    if (!process.env.EARSHOT_ADDON) {
      expect(addonPath()).toBe(built);
      expect(await buildAddon({ log: (line) => said.push(line) })).toBe(built);
    }
    expect(said).toEqual([]);
    expect(addonPath({ portable: true })).not.toBe(built);
  });

  it('prints the path on stdout and what it does on stderr, once', async () => {
    withCmake(MAKES_FILES);
    const first = await finish(start([]));
    expect(first.code).toBe(0);
    expect(first.stderr).toContain('50 %');
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

  it('is done once by two that start together', async () => {
    withCmake(MAKES_FILES);
    const [first, second] = await Promise.all([finish(start([])), finish(start([]))]);
    expect(first.code).toBe(0);
    expect(second).toMatchObject({ code: 0, stdout: first.stdout });
    expect(runs()).toBe(1);
    expect(leftovers()).toEqual([]);
  });

  it('begins again after one that was killed, and clears up behind it', async () => {
    withCmake(MAKES_FILES.replace('sleep 0.4', 'sleep 2'));
    const killed = start([]);
    while (!existsSync(join(cache, 'runs'))) await new Promise((resolve) => setTimeout(resolve, 20));
    process.kill(-(killed.pid ?? 0), 'SIGKILL');
    await finish(killed);
    expect(leftovers().length).toBeGreaterThan(0);
    withCmake(MAKES_FILES);
    expect(await finish(start([]))).toMatchObject({ code: 0 });
    expect(leftovers().filter((name) => !name.endsWith('.log'))).toEqual([]);
  });

  it('keeps the builds used last', async () => {
    withCmake(MAKES_FILES);
    mkdirSync(join(cache, 'native'));
    for (let old = 0; old < 9; old += 1) mkdirSync(join(cache, 'native', `${old}-addon`));
    const { stdout } = await finish(start([]));
    expect(existsSync(stdout)).toBe(true);
    expect(readdirSync(join(cache, 'native'))).toHaveLength(6);
  });

  it('shows the compiler own words and where all of them are when it fails', async () => {
    withCmake('echo "transcribe.cc:7: error: no such thing"; echo "make: *** [all] Error 2" >&2; exit 2');
    const { code, stdout, stderr } = await finish(start([]));
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain('error: no such thing');
    const log = /The whole log: (.*)/.exec(stderr)?.[1] ?? '';
    expect(readFileSync(log, 'utf8')).toContain('Error 2');
    expect(leftovers().filter((name) => !name.endsWith('.log'))).toEqual([]);
  });

  it('says what to install without CMake, and refuses unknown options', async () => {
    const without = await finish(start([], tools));
    expect(without).toMatchObject({ code: 1, stdout: '' });
    expect(without.stderr).toContain('apt-get install cmake g++');
    const unknown = await finish(start(['--fast']));
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(unknown.stderr).toContain('--fast');
  });
});
