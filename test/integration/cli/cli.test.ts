import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UsageError } from '../../../electron/cli/environment.ts';
import { addTranscribe } from '../../../electron/cli/transcribe.ts';
import { readVocabulary } from '../../../electron/cli/transcript-commands.ts';
import { runKeyOf } from '../../../electron/core/base/url-login.ts';
import { slow } from '../../faults/support/behaviors.ts';
import { voiceChannels } from '../../generators/voice-channels.ts';
import { talk } from '../../support/audio.ts';
import { resultOf, runEarshot, runHere } from '../../support/command-line.ts';
import { fixture, fixturePath, ONE_SENTENCE } from '../../support/fixtures.ts';
import { RESOURCES } from '../../support/paths.ts';
import { spawnEarshot, startServer, type TestServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { file, stall, startUrlServer, type UrlServer } from '../../support/url-server.ts';
import { wordErrorRate } from '../../support/word-error-rate.ts';

let folder: string;
let remote: UrlServer;

beforeAll(async () => {
  [folder, remote] = await Promise.all([temporaryFolder(), startUrlServer()]);
});
afterAll(async () => {
  await remote.close();
});

const start = (...args: string[]) => spawnEarshot(args, { EARSHOT_DATA_DIR: folder });

const earshot = (...args: string[]) => runEarshot(folder, ...args);

// The service of `folder` must run.
const ask = (...args: string[]) => runHere(folder, ...args);

/** Resolves to the output on stderr once it contains `wanted`. Keeps reading afterwards, so that the pipe never fills. */
const outputUntil = (child: ChildProcess, wanted: string): Promise<string> =>
  new Promise((resolve) => {
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes(wanted)) resolve(said);
    });
  });

const SAMPLE = fixturePath(ONE_SENTENCE);
/** What is said in the bundled sample. */
const TWO_READERS = join(RESOURCES, 'samples', 'two-readers.txt');

/** What `earshot transcribe` refuses by its command line alone. */
const MISTAKES: readonly (readonly [what: string, args: readonly string[], message: RegExp])[] = [
  ['a missing file', ['transcribe', '/no/such.wav'], /there is no such file/],
  ['an unknown format', ['transcribe', SAMPLE, '-f', 'pdf'], /--format pdf/],
  ['a folder', ['transcribe', '/'], /not a file/],
  ['an invalid time', ['transcribe', SAMPLE, '--from', 'soon'], /not a time/],
  ['a vocabulary that is none', ['transcribe', SAMPLE, '--vocabulary', 'Ana,--'], /term 2: must contain/],
  ['unknown word times', ['transcribe', SAMPLE, '--word-times', 'exact'], /choose fast or aligned/],
  ['an unknown form of redaction', ['transcribe', SAMPLE, '--redact', 'blur'], /--redact blur/],
  [
    'an unknown fate of the source',
    ['transcribe', SAMPLE, '--redact', '--redact-source', 'burn'],
    /keep or delete/,
  ],
  ['a fate without redaction', ['transcribe', SAMPLE, '--redact-source', 'delete'], /with --redact/],
];

/** Expects that a command fails with one line, and nothing on stdout. */
const expectExplained = async (args: readonly string[], code: number, message: RegExp): Promise<void> => {
  const result = await earshot(...args);
  expect(result.code).toBe(code);
  expect(result.err).toMatch(message);
  expect(result.err).not.toMatch(/\n\s+at /);
  expect(result.out).toBe('');
};

describe('earshot transcribe', () => {
  it('without arguments prints the bundled sample with times, and nothing else, on stdout', async () => {
    const { code, out, err } = await earshot('transcribe');
    expect(code).toBe(0);
    const lines = out.trimEnd().split('\n');
    const spoken = lines.map((line) => /^\[\d\d:\d\d\.\d → \d\d:\d\d\.\d\] {2}([AB]): (.+)$/.exec(line));
    expect(spoken).not.toContain(null);
    // One reads of printing, the other from a novel, the first again.
    expect(spoken.map((line) => line?.[1]).join('')).toMatch(/^A+B+A+$/);
    const said = spoken.map((line) => line?.[2]).join(' ');
    expect(wordErrorRate(await readFile(TWO_READERS, 'utf8'), said)).toBeLessThan(0.1);
    expect(err).toContain('transcribing the sample');
  });

  it.each(MISTAKES)('refuses %s before it does anything', async (_, args, message) => {
    const program = new Command().exitOverride();
    addTranscribe(program);
    const refused = await program.parseAsync([...args], { from: 'user' }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UsageError);
    expect(refused).toHaveProperty('message', expect.stringMatching(message));
  });

  it.each<readonly [string, readonly string[], number, RegExp]>([
    // One that the action refuses and one that the parser does.
    ...MISTAKES.slice(0, 2).map(([what, args, message]) => [what, args, 2, message] as const),
    ['an unknown command', ['fly'], 2, /unknown command/],
    ['no command', [], 2, /Usage: earshot/],
    ['a missing argument', ['transcripts', 'show'], 2, /missing required argument 'id'/],
  ])('explains %s in one line', async (_, args, code, message) => {
    await expectExplained(args, code, message);
  });

  it('exits with 130 on Ctrl-C during a download, which is cancelled for every later service', async () => {
    const dataDir = temporaryFolder();
    const url = remote.set('/stall.wav', stall(fixture('01-short-note.wav'), 1000));
    const line = ['transcribe', url, '-m', 'starter', '--allow-private-addresses', '--data-dir', dataDir];
    const child = await spawnEarshot(line);
    const closed = once(child, 'close');
    await outputUntil(child, 'Downloading');
    const told = outputUntil(child, 'Interrupted');
    child.kill('SIGINT');
    const [code] = await closed;
    expect(code).toBe(130);
    expect(await told).toContain('Interrupted: ');
    expect(await told).toContain('was canceled. No text of it is kept.');
    const database = new BetterSqlite3(join(dataDir, 'earshot.db'), { readonly: true });
    const jobs = database.prepare('SELECT status, error_code FROM transcripts').all();
    database.close();
    expect(jobs).toEqual([{ status: 'failed', error_code: 'cancelled' }]);
  });

  it('says on Ctrl-C up to where the text is kept, and how to have it', async () => {
    const dataDir = temporaryFolder();
    // A range is recognized while it arrives; its last bytes come one by one.
    const url = remote.set('/talk.wav', slow(talk(66), 4_000_000, new Promise(() => {})));
    const line = ['transcribe', url, '--to', '200', '-m', 'starter-parakeet', '--allow-private-addresses'];
    const child = await spawnEarshot([...line, '--data-dir', dataDir]);
    const closed = once(child, 'close');
    const told = outputUntil(child, 'Interrupted');
    await outputUntil(child, 'Transcribing');
    const database = new BetterSqlite3(join(dataDir, 'earshot.db'), { readonly: true });
    await until(() => database.prepare('SELECT 1 FROM segments').get() !== undefined, 120_000);
    database.close();
    child.kill('SIGINT');
    const [code] = await closed;
    const [, id] =
      /Its text up to \d:\d\d is kept: `earshot transcripts export (tr_\w+)` writes it\./.exec(await told) ??
      [];
    expect([code, await told]).toEqual([130, expect.stringContaining('was canceled.')]);
    const { out } = await runEarshot(dataDir, 'transcripts', 'export', id ?? '');
    expect(out).toContain('Good morning');
  });
});

describe('with a service that runs', () => {
  let server: TestServer;

  beforeAll(async () => {
    // A setting does not change what an alias means for a run.
    const args = ['--allow-private-addresses', '--model-alias', 'nano=starter'];
    server = await startServer({ dataDir: folder, quick: true, args });
  });
  afterAll(async () => {
    await server.stop();
  });

  it.each([
    ['an unknown model', 'gigantic', 2, /no model called gigantic/],
    ['a model that is not installed', 'base', 2, /earshot models install base/],
  ])('explains %s in one line', async (_, model, code, message) => {
    await expectExplained(['transcribe', SAMPLE, '-m', model], code, message);
  });

  it('accepts a range and a URL', async () => {
    const url = remote.set('/a.wav', file(fixture('01-short-note.wav')));
    const range = ['--from', '0:06.8', '--to', '11.4'];
    const { code, out } = await ask('transcribe', url, '-m', 'starter-parakeet', ...range, '-f', 'txt');
    expect(code).toBe(0);
    expect(out).toContain('The deadline for the contract');
    expect(out).not.toContain('Good morning');
  });

  it('refuses options that the service which runs does not have', async () => {
    await expectExplained(['transcripts', '--model-alias', 'nano=base'], 2, /another models\.aliases\.nano/);
    await expectExplained(['serve', '--port', '1'], 2, /runs on this data folder already, at http/);
    expect((await ask('transcripts', '--allow-private-addresses')).code).toBe(0);
  });

  it('goes on after a recording that is none, says which, and writes the text of the next', async () => {
    const broken = join(temporaryFolder(), 'broken.mp3');
    writeFileSync(broken, 'no sound');
    const line = ['transcribe', broken, SAMPLE, '-m', 'starter-parakeet', '-f', 'txt'];
    const { code, out, err } = await earshot(...line);
    expect([code, out]).toEqual([1, expect.stringMatching(/^==> .*\.wav <==\nGood morning/)]);
    expect(err).toMatch(/^error {2}broken\.mp3: This is not a recording/m);
  });

  it('hears a recording twice', async () => {
    const models = ['-m', 'starter-parakeet', '--verify-with', 'starter', '-f', 'txt'];
    const { code, out, err } = await ask('transcribe', SAMPLE, ...models);
    expect(code).toBe(0);
    expect(out).toMatch(/^Good morning/);
    expect(err).toContain('Checking with the second model');
    expect(err).toMatch(/model starter-parakeet · \d+ places differ from starter/);
    const same = await ask('transcribe', SAMPLE, '-m', 'starter', '--verify-with', 'starter');
    expect(same.code).toBe(2);
    expect(same.err).toContain('starter is the model that transcribes; name another one');
  });

  it('aligns words with the sound unless estimated times are wanted', async () => {
    const starts = async (...how: string[]): Promise<unknown> => {
      const { out } = await ask('transcribe', SAMPLE, '-m', 'starter', '-f', 'json', ...how);
      expect(out).toMatch(/^\{/);
      return [...out.matchAll(/"start": [\d.]+/g)].map(([start]) => start);
    };
    const aligned = await starts();
    expect(aligned).toHaveLength(13);
    expect(await starts('--word-times', 'fast')).not.toEqual(aligned);
  });

  it('keeps the channels apart', async () => {
    const talk = await voiceChannels('02-two-speakers.mp3');
    const line = ['transcribe', talk, '-m', 'starter-parakeet', '--multichannel', '--to', '12'];
    const { code, out } = await ask(...line);
    expect(code).toBe(0);
    expect(out).toMatch(/^\[.*\] {2}A: Good morning/);
    expect(out).toMatch(/\] {2}B: Good morning/);
  });

  it('takes a vocabulary from the line or a file', async () => {
    const list = join(temporaryFolder(), 'terms.txt');
    writeFileSync(list, '# people\nKlarke = Clark\n');
    expect(readVocabulary('Klarke, Kubernetes')).toEqual(['Klarke', 'Kubernetes']);
    const { out } = await ask('transcribe', SAMPLE, '-m', 'starter', '-f', 'txt', '--vocabulary', list);
    expect(out).toContain('David Klarke');
  });

  it('lists, creates and revokes keys and users', async () => {
    const made = await earshot('keys', 'create', 'script');
    expect(made.out).toMatch(/^ek_[0-9A-Za-z]{38}\n$/);
    const listed = await ask('keys', 'list');
    expect(listed.out).toContain('script');
    expect(listed.out).not.toContain(made.out.trim());
    const id = /key_\w+(?= +script)/.exec(listed.out)?.[0] ?? '';
    expect((await ask('keys', 'revoke', id)).code).toBe(0);
    expect((await ask('keys', 'revoke', id)).code).toBe(1);
    expect((await ask('users', 'create', '山田')).out).toMatch(/^ek_/);
    expect((await ask('users', 'list')).out).toContain('山田');
  });

  it('points an alias to another model with a setting', async () => {
    expect((await earshot('settings', 'set', 'models.aliases.mini', 'starter-parakeet')).code).toBe(0);
    expect((await ask('transcribe', SAMPLE, '-f', 'txt')).out).toContain('Good morning');
    expect((await ask('settings', 'set', 'engine.beamSize', 'many')).code).toBe(2);
    expect((await ask('settings', 'unset', 'models.aliases.mini')).code).toBe(0);
    expect((await ask('settings', 'get', 'models.aliases.mini')).out).toBe('base-q8_0\n');
  });

  it('says that a setting which the service was started with counts', async () => {
    expect(await ask('settings', 'set', 'models.aliases.nano', 'base')).toMatchObject({
      code: 0,
      err: expect.stringContaining('is set, but the service was started with "starter"'),
    });
  });
});

describe('earshot serve', () => {
  const WRONG_KEYS = ['a', 'nineteen-characters', 'twenty characters, but spaces'];

  it.each(WRONG_KEYS)('takes %j for no key', (key) => {
    expect(() => runKeyOf({ EARSHOT_API_KEY: key })).toThrow('EARSHOT_API_KEY needs at least 20');
  });

  it('refuses a wrong key, with one line', async () => {
    const child = await spawnEarshot(['serve', '--port', '0', '--data-dir', folder], {
      EARSHOT_API_KEY: 'twenty characters, but spaces',
    });
    const { code, out, err } = await resultOf(child);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err.trim().split('\n')).toEqual([expect.stringContaining('EARSHOT_API_KEY needs at least 20')]);
  });

  it('prints a banner, and stops on SIGTERM', async () => {
    const child = await start('serve', '--port', '0');
    const closed = once(child, 'close');
    const banner = await outputUntil(child, 'Ctrl-C');
    expect(banner).toMatch(/Window +http:\/\/127\.0\.0\.1:\d+\/#token=/);
    const link = /http:\S+#token=\S+/;
    const second = await earshot('serve', '--port', '0');
    expect([second.code, second.err]).toEqual([0, expect.stringContaining('is running already')]);
    expect(second.err).toContain(`process ${child.pid}`);
    const url = new URL(link.exec(banner)?.[0] ?? '');
    expect(new URL(link.exec(second.err)?.[0] ?? '').origin).toBe(url.origin);
    expect(second.err).not.toContain(url.hash);
    const third = await earshot('serve', '--json');
    expect([third.code, JSON.parse(third.out)]).toMatchObject([0, { url: url.origin, pid: child.pid }]);
    child.kill('SIGTERM');
    expect((await closed)[0]).toBe(0);
  });
});

it('earshot doctor finds everything it needs', async () => {
  const { code, out } = await earshot('doctor');
  expect(code).toBe(0);
  for (const name of ['ffmpeg', 'Engine', 'Models', 'Virus scan', 'Disk']) expect(out).toContain(name);
});
