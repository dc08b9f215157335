import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { analyze } from '../../../electron/core/analysis/analyze.ts';
import { silentLogger } from '../../../electron/core/base/logger.ts';
import { createTagger } from '../../../electron/core/engines/tagger/tagger.ts';
import { forkNodeWorker } from '../../../electron/core/engines/worker/client.ts';
import { countAlarms, measureRecall } from '../../bench/private-data.ts';
import { testAddon } from '../../support/addon.ts';
import { ROOT, WORKER_ENTRY } from '../../support/paths.ts';
import { sentencesOf } from '../../support/sentences-of.ts';
import { transcriptOf } from '../../unit/analysis/support/transcripts.ts';

const addonPath = await testAddon();
const taggerIn = (folder: string) =>
  createTagger({ fork: forkNodeWorker(WORKER_ENTRY), addonPath, folder, log: silentLogger });

const MEASURING_MS = 120_000;

describe('private data by rules and model', () => {
  const tagger = taggerIn(join(ROOT, 'resources/models'));
  afterAll(() => tagger.close());

  const redact = async (text: string, language = 'en') => {
    const options = { entity_detection: true, redact_pii: true, redact_pii_sub: 'mask' } as const;
    return analyze(transcriptOf([text], language), options, { secret: 'secret', tagger });
  };

  it.each([
    ['as written', 0.92],
    ['lower case without punctuation', 0.89],
  ] as const)(
    'hides the values of the sentences %s',
    async (form, least) => {
      for (const set of ['first', 'second'] as const) {
        const misses: string[] = [];
        const { all, hidden } = (await measureRecall(set, form, tagger, (miss) => misses.push(miss))).get(
          'all all',
        ) ?? { all: 0, hidden: 0 };
        expect(hidden / all, `${set} set\n${misses.join('\n')}`).toBeGreaterThanOrEqual(least);
      }
    },
    MEASURING_MS,
  );

  it(
    'leaves harmless sentences, but for twelve of 150, dates and amounts among them',
    async () => {
      const { sentences, all } = await countAlarms('harmless', tagger);
      expect(all).toBeLessThanOrEqual((12 / 150) * sentences);
    },
    MEASURING_MS,
  );

  it('reports as organization what the rules know to be one', async () => {
    const { entities } = await redact('Good morning, my name is David Clark and I work at Northwind.');
    expect(entities?.map(({ type }) => type)).toEqual(['person', 'organization']);
  });

  it.each([
    ['en', 'The flight leaves at six forty five from gate twenty two.'],
    ['de', 'Nimm drei Tropfen täglich nach dem Essen.'],
    ['fr', 'Il court deux cents mètres tous les matins.'],
    ['it', "C'erano quindicimila persone in piazza."],
  ])('leaves what is no private data in %s: %s', async (language, text) => {
    expect((await redact(text, language)).redacted?.text).toBe(text);
  });

  it('says that it went by rules alone where the model is missing, and redacts by them', async () => {
    const broken = taggerIn('/none');
    const { redacted, warnings } = await analyze(
      transcriptOf(['Call me at 555-014-2367.']),
      { redact_pii: true },
      { secret: 'secret', tagger: broken },
    );
    await broken.close();
    expect(redacted?.text).not.toContain('2367');
    expect(sentencesOf(warnings).join(' ')).toContain('rules');
  });
});
