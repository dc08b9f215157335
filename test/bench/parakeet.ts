import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testAddon } from '../support/addon.ts';
import { wav } from '../support/audio.ts';
import { ENGLISH_RECORDINGS, fixturePath, truth } from '../support/fixtures.ts';
import { CLI_ENTRY } from '../support/paths.ts';
import { fixturePcm } from '../support/pcm.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { plainWords, wordErrors } from '../support/word-error-rate.ts';
import { cpuOf, cpuSeconds, median, parakeetCli, transcribe, upload } from './measure.ts';

const MODEL = 'starter-parakeet';
const ENGLISH = { model: MODEL, language: 'en' };

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

type Runs = { readonly engine: number[]; readonly whole: number[]; readonly program: number[] };

type Heard = {
  readonly said: readonly string[];
  readonly ours: readonly string[];
  readonly theirs: readonly string[];
};

const row = (name: string, { said, ours, theirs }: Heard, { engine, whole, program }: Runs): void => {
  const cells = [engine, whole, program].map((times) =>
    times.length === 0 ? '–' : `${median(times).toFixed(2)} s`,
  );
  const wrong = `${wordErrors(said, ours)}, ${wordErrors(said, theirs)}`;
  say(`| ${name} | ${theirs.length} | ${wordErrors(theirs, ours)} | ${wrong} | ${cells.join(' | ')} |`);
};

/** A recording as parakeet-cli reads it. */
const asWav = (folder: string, name: string): string => {
  const path = join(folder, `${name}.wav`);
  writeFileSync(path, wav(Int16Array.from(fixturePcm(name), (sample) => Math.round(sample * 32_767))));
  return path;
};

const warmRuns = async (server: TestServer, sample: string, file: string, runs: number) => {
  const url = await upload(server, fixturePath(sample));
  const times: Runs = { engine: [], whole: [], program: [] };
  let [text, expected] = ['', ''];
  for (let i = 0; i < runs; i++) {
    const before = cpuSeconds(server.pid);
    text = await transcribe(server, url, ENGLISH);
    const after = cpuSeconds(server.pid);
    times.engine.push(after.children - before.children);
    times.whole.push(after.all - before.all);
    const program = await parakeetCli(file);
    times.program.push(program.cpu);
    expected = program.text;
  }
  return { times, text, expected };
};

/** The command, from its start to its end, with a data folder of its own. */
const coldCommand = async (paths: readonly string[]): Promise<{ cpu: number; text: string }> =>
  cpuOf(process.execPath, [CLI_ENTRY, 'transcribe', ...paths, '-m', MODEL, '-f', 'txt'], {
    EARSHOT_ADDON: await testAddon(),
    EARSHOT_DATA_DIR: temporaryFolder(),
  });

/**
 * Every English sample with the demonstration model of the Parakeet family, beside whole runs of parakeet-cli with one thread:
 * the words on which they differ, those that each hears wrong, and processor time. First with a warm service, then as one command for all of them.
 */
export const compareParakeet = async (runs: number): Promise<void> => {
  const folder = temporaryFolder();
  const files = ENGLISH_RECORDINGS.map((sample) => asWav(folder, sample));
  const server = await startServer();
  await transcribe(server, await upload(server, fixturePath('01-short-note.wav')), ENGLISH);
  say('| recording | words | that differ | wrong, of each | its engine | the whole service | parakeet-cli |');
  say('|---|---|---|---|---|---|---|');
  const said: string[] = [];
  const theirs: string[] = [];
  for (const [index, sample] of ENGLISH_RECORDINGS.entries()) {
    const { times, text, expected } = await warmRuns(server, sample, files[index] ?? '', runs);
    const heard = {
      said: truth(sample).sentences.flatMap((sentence) => plainWords(sentence.text)),
      ours: plainWords(text),
      theirs: plainWords(expected),
    };
    said.push(...heard.said);
    theirs.push(...heard.theirs);
    row(sample, heard, times);
  }
  await discard(server);
  const times: Runs = { engine: [], whole: [], program: [] };
  let heard = '';
  for (let i = 0; i < runs; i++) {
    const command = await coldCommand(ENGLISH_RECORDINGS.map(fixturePath));
    times.whole.push(command.cpu);
    heard = command.text;
    let cpu = 0;
    for (const file of files) cpu += (await parakeetCli(file)).cpu;
    times.program.push(cpu);
  }
  row('all of them, one command', { said, ours: plainWords(heard), theirs }, times);
};
