import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { keyOf } from '../../electron/core/pipeline/recognition/custom-spelling.ts';
import { wav } from '../support/audio.ts';
import { filePcm } from '../support/pcm.ts';
import { createRandom } from '../support/random.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { plainWords, wordErrors } from '../support/word-error-rate.ts';
import { upload } from './measure.ts';

const run = promisify(execFile);

/** The espeak-ng voices of the recordings in `test/fixtures/audio`. */
const VOICES = ['en-us+f2', 'en-us+m3', 'en-us+adam', 'en-gb+m7'];
const WORDS_PER_MINUTE = '155';
/** Of white noise below the voice. */
const NOISE_DB = [4, 8, 12];

/** A sentence and the terms in it. */
type Spoken = { readonly text: string; readonly terms: readonly string[] };

const KNOWN_TERMS =
  'Northwind Initech Contoso Toronto Barcelona Seattle Oslo Laura Tokyo Munich Vienna Dallas Chicago Boston Clark Maria Lopez Walker Berlin Robert'.split(
    ' ',
  );
const UNSEEN_TERMS =
  'Okafor Szymanski Nguyen Abernathy Villanueva Kowalczyk Grafana Kubernetes Terraform Zolpidem Metoprolol Figma Reykjavik Ljubljana Adeyemi Papadopoulos Tremblay Hashimoto Ansible Postgres'.split(
    ' ',
  );
const FRAMES = [
  'We heard from {} this morning.',
  'The report about {} is almost ready.',
  'Please ask {} before the meeting.',
  'The team will talk about {} on Friday.',
  'She called {} after lunch.',
];
const PLAIN = [
  'We need more time for the report.',
  'The meeting starts after lunch.',
  'Please send the letter this morning.',
  'He will call the office on Friday.',
  'The team is almost ready for the review.',
  'She wants to talk about the budget.',
  'The train was late again today.',
  'I will see you at the station.',
  'They asked for a new plan.',
  'The weather was cold this week.',
];

const withTerms = (terms: readonly string[], count: number): Spoken[] =>
  Array.from({ length: count }, (_, index) => {
    const term = terms[index % terms.length] ?? '';
    // Every term is said in another frame each time.
    const frame = FRAMES[(index + Math.floor(index / terms.length)) % FRAMES.length] ?? '';
    return { text: frame.replace('{}', term), terms: [term] };
  });

const spoken = async (folder: string, index: number, text: string): Promise<Float32Array> => {
  const path = join(folder, `${index}-spoken.wav`);
  const voice = VOICES[index % VOICES.length] ?? '';
  await run('espeak-ng', ['-v', voice, '-s', WORDS_PER_MINUTE, '-w', path, text]);
  return filePcm(path);
};

const gaussian = (next: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());

/** Noise below the power of the voice, with the same seed for the same sentence. */
const inNoise = (pcm: Float32Array, db: number, seed: number): Float32Array => {
  const power = pcm.reduce((sum, sample) => sum + sample * sample, 0) / pcm.length;
  const level = Math.sqrt(power / 10 ** (db / 10));
  const { next } = createRandom(seed);
  return pcm.map((sample) => sample + level * gaussian(next));
};

const toWav = (pcm: Float32Array): Buffer =>
  wav(Int16Array.from(pcm, (sample) => Math.round(Math.max(-1, Math.min(1, sample)) * 32_767)));

/** Sentences that are recognized without and with a list. */
type SpokenSet = {
  readonly name: string;
  readonly sentences: readonly Spoken[];
  readonly vocabulary: readonly string[];
  readonly noisy: boolean;
};

const SETS: readonly SpokenSet[] = [
  {
    name: 'terms it knows, in noise',
    sentences: withTerms(KNOWN_TERMS, 40),
    vocabulary: KNOWN_TERMS,
    noisy: true,
  },
  {
    name: 'none of them, in noise',
    sentences: PLAIN.concat(PLAIN).map((text) => ({ text, terms: [] })),
    vocabulary: KNOWN_TERMS,
    noisy: true,
  },
  {
    name: 'terms it never learned, clear',
    sentences: withTerms(UNSEEN_TERMS, 20),
    vocabulary: UNSEEN_TERMS,
    noisy: false,
  },
  {
    name: 'none of them, clear',
    sentences: PLAIN.map((text) => ({ text, terms: [] })),
    vocabulary: UNSEEN_TERMS,
    noisy: false,
  },
];

type Score = { said: number; written: number; invented: number; errors: number; words: number };

const scoreOf = ({ text, terms }: Spoken, heard: string, vocabulary: readonly string[]): Score => {
  const words = heard.split(/\s+/).map(keyOf);
  const isWritten = (term: string) => words.includes(keyOf(term));
  return {
    said: terms.length,
    written: terms.filter(isWritten).length,
    invented: vocabulary.filter((term) => !terms.includes(term) && isWritten(term)).length,
    errors: wordErrors(plainWords(text), plainWords(heard)),
    words: plainWords(text).length,
  };
};

const sum = (scores: readonly Score[], key: keyof Score): number =>
  scores.reduce((total, score) => total + score[key], 0);

const recognize = async (
  server: TestServer,
  audioUrl: string,
  model: string,
  vocabulary: readonly string[],
): Promise<string> => {
  const { text } = await server.client.call('createTranscript', {
    body: {
      audio_url: audioUrl,
      model,
      language: 'en',
      vocabulary: [...vocabulary],
      wait_until_complete: true,
    },
  });
  return text;
};

const percent = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`;

type Scores = Readonly<Record<'without' | 'with', Score[]>>;

const print = (model: string, set: string, scores: Scores): void => {
  for (const name of ['without', 'with'] as const) {
    const all = scores[name];
    const said = sum(all, 'said');
    const cells = [
      percent(said - sum(all, 'written'), said),
      `${sum(all, 'written')} of ${said}`,
      percent(sum(all, 'errors'), sum(all, 'words')),
      String(sum(all, 'invented')),
    ];
    process.stdout.write(
      `${model.padEnd(17)} ${set.padEnd(30)} ${name.padEnd(8)} ${cells.map((cell) => cell.padStart(12)).join(' ')}\n`,
    );
  }
};

const measure = async (server: TestServer, model: string, set: SpokenSet): Promise<Scores> => {
  const folder = temporaryFolder();
  const scores: Scores = { without: [], with: [] };
  for (const [index, sentence] of set.sentences.entries()) {
    const clear = await spoken(folder, index, sentence.text);
    const pcm = set.noisy ? inNoise(clear, NOISE_DB[index % NOISE_DB.length] ?? 0, index + 1) : clear;
    const path = join(folder, `${index}.wav`);
    writeFileSync(path, toWav(pcm));
    const url = await upload(server, path);
    for (const [name, vocabulary] of [
      ['without', []],
      ['with', set.vocabulary],
    ] as const) {
      const heard = await recognize(server, url, model, vocabulary);
      scores[name].push(scoreOf(sentence, heard, set.vocabulary));
    }
  }
  return scores;
};

/**
 * What a vocabulary does for names and terms: how many are written that are said, the word error rate of all sentences, and
 * terms that are written where no one says them. Sentences are spoken by espeak-ng, which must be installed.
 */
export const measureVocabulary = async (): Promise<void> => {
  const { stdout } = await run('espeak-ng', ['--version']);
  process.stdout.write(`${stdout.trim().split('  ')[0]}\n`);
  const columns = ['term errors', 'written', 'word errors', 'invented'].map((name) => name.padStart(12));
  process.stdout.write(
    `${'model'.padEnd(17)} ${'sentences'.padEnd(30)} ${'list'.padEnd(8)} ${columns.join(' ')}\n`,
  );
  const server = await startServer();
  // Every sentence is an upload.
  await server.client.call('patchSettings', {
    body: { 'limits.uploadsPer15Minutes': 0, 'limits.requestsPerMinute': 0 },
  });
  try {
    for (const model of ['starter', 'starter-parakeet']) {
      const all: Scores = { without: [], with: [] };
      for (const set of SETS) {
        const scores = await measure(server, model, set);
        print(model, set.name, scores);
        for (const name of ['without', 'with'] as const) all[name].push(...scores[name]);
      }
      print(model, 'all', all);
    }
  } finally {
    await discard(server);
  }
};
