import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../electron/core/base/logger.ts';
import { createTagger } from '../../../electron/core/engines/tagger/tagger.ts';
import { forkNodeWorker } from '../../../electron/core/engines/worker/client.ts';
import { testAddon } from '../../support/addon.ts';
import { ROOT, WORKER_ENTRY } from '../../support/paths.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

type Case = {
  text: string;
  tokens: { start: number; end: number; word: number; label: string; score: number }[];
};

const folder = join(ROOT, 'resources/models');
const cases: Case[] = JSON.parse(
  readFileSync(join(ROOT, 'test/fixtures/models/rampart-expected.json'), 'utf8'),
);
const addon = await testAddon();
const fork = forkNodeWorker(WORKER_ENTRY);
const taggerOf = (models: string) =>
  createTagger({ fork, addonPath: addon, folder: models, log: silentLogger });

/** The words that the reference marks, as text. */
const marked = ({ text, tokens }: Case): string[] => {
  const points = Array.from(text);
  const numbers = new Set(
    tokens.filter(({ label, score }) => label !== 'O' && score >= 0.5).map(({ word }) => word),
  );
  return [...numbers].map((number) => {
    const own = tokens.filter(({ word }) => word === number);
    const label = own
      .find(({ label, score }) => label !== 'O' && score >= 0.5)
      ?.label.slice(2)
      .toLowerCase();
    return `${label}: ${points.slice(own[0]?.start, own.at(-1)?.end).join('')}`;
  });
};

describe('the tagger of private data', () => {
  const tagger = taggerOf(folder);
  afterAll(() => tagger.close());

  it('comes with the files that its README names', () => {
    const readme = readFileSync(join(folder, 'README.md'), 'utf8');
    for (const name of ['rampart-q4.onnx', 'rampart-vocab.txt']) {
      expect(readme).toContain(
        createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex'),
      );
    }
  });

  it('marks the words that the reference marks', async () => {
    const found = await tagger.tag(cases.map(({ text }) => text));
    for (const [index, one] of cases.entries()) {
      const words = (found[index] ?? []).filter(({ kind }) => kind !== null);
      expect(words.map(({ from, to, kind }) => `${kind}: ${one.text.slice(from, to)}`)).toEqual(marked(one));
    }
  });

  it('takes a sentence longer than the model does', async () => {
    const text = cases
      .map((one) => one.text)
      .join(' ')
      .repeat(3);
    const [words = []] = await tagger.tag([text]);
    const late = words.filter(({ from, kind }) => kind !== null && from > text.length / 2);
    const known = new Set(cases.flatMap(marked).map((word) => word.replace(/^.*?: /, '')));
    // With so many neighbors the model finds less, but what it finds lies where it says.
    expect(late.some(({ from, to }) => known.has(text.slice(from, to)))).toBe(true);
  });

  it('goes on in another process after a crash', async () => {
    const sentences = Array.from({ length: 2000 }, (_, at) => `Ask for Maria Lopez in room ${at}.`);
    const [alone] = await tagger.tag(sentences.slice(0, 1));
    const pid = tagger.workerPid ?? 0;
    const all = tagger.tag(sentences);
    process.kill(pid, 'SIGKILL');
    expect((await all)[0]).toEqual(alone);
    expect(tagger.workerPid).not.toBe(pid);
  });

  it('rejects a damaged model, and says so to the doctor', async () => {
    const copy = temporaryFolder();
    for (const name of ['rampart-q4.onnx', 'rampart-vocab.txt'])
      copyFileSync(join(folder, name), join(copy, name));
    const whole = readFileSync(join(copy, 'rampart-q4.onnx'));
    whole[9_000_000] = (whole[9_000_000] ?? 0) ^ 1;
    writeFileSync(join(copy, 'rampart-q4.onnx'), whole);
    const damaged = taggerOf(copy);
    expect(() => damaged.check()).toThrow('damaged');
    await expect(damaged.tag(['Ask for Maria Lopez.'])).rejects.toThrow('damaged');
    await damaged.close();
  });

  it('rejects without its model', async () => {
    const broken = taggerOf('/none');
    await expect(broken.tag(['Ask for Maria Lopez.'])).rejects.toMatchObject({ name: 'AppError' });
    await broken.close();
  });
});
