import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { CLI_ENTRY, ROOT } from '../../support/paths.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const earshot = async (...args: string[]): Promise<string> =>
  (await promisify(execFile)(process.execPath, [CLI_ENTRY, ...args])).stdout;

/** What bash offers after these words. */
const offered = (script: string, words: readonly string[]): string[] => {
  const program = `. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _earshot; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = spawnSync('bash', ['-c', program, script, ...words], { encoding: 'utf8' });
  return stdout.trim().split('\n');
};

it.runIf(process.platform === 'linux')('earshot completion offers commands, options and files', async () => {
  const script = join(temporaryFolder(), 'completion');
  writeFileSync(script, await earshot('completion', 'bash'));
  expect(offered(script, ['earshot', 'tr'])).toEqual(['transcribe', 'transcripts']);
  expect(offered(script, ['earshot', 'keys', ''])).toEqual(
    expect.arrayContaining(['list', 'create', 'rotate', 'revoke']),
  );
  expect(offered(script, ['earshot', 'transcribe', '--form'])).toEqual(['--format']);
  expect(offered(script, ['earshot', 'transcribe', script.slice(0, -4)])).toEqual([script]);
  expect(await earshot('completion', 'zsh')).toMatch(/^#compdef earshot\n/);
  expect(await earshot('completion', 'fish')).toContain(
    "complete -c earshot -n '__fish_seen_subcommand_from keys' -f -a create",
  );
});

it('earshot manual describes every command, with its hyphens', async () => {
  const page = await earshot('manual');
  for (const command of ['serve', 'open', 'transcribe', 'keys create', 'models install', 'doctor'])
    expect(page).toContain(`.SS earshot ${command}`);
  expect(page).toContain('.B \\-\\-data\\-dir <folder>');
});

it('under npm, paths are meant from where the person stands', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'talks'));
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, 'electron', 'cli', 'bootstrap', 'main.mjs'), 'earshot', 'transcribe', 'talks'],
    { env: { ...process.env, INIT_CWD: folder }, encoding: 'utf8' },
  );
  expect([status, stderr]).toEqual([2, expect.stringContaining('talks: this is not a file.')]);
});
