import { describe, expect, it } from 'vitest';
import { detectPrivateData } from '../../../electron/core/analysis/pii/redaction-spans.ts';

const hidden = async (text: string, language: string): Promise<string[]> => {
  const spans = detectPrivateData(text, language);
  return spans.map(({ from, to }) => text.slice(from, to));
};

const SEED = 'legal winner thank year wave sausage worth useful legal winner thank yellow';

describe('values that prove themselves', () => {
  it.each([
    ['en', 'SR 27 71 35 A', 'SR 27 71 35 B1'],
    ['es', '54362315K', '54362315A'],
    ['es', 'X2482300W', 'X2482300A'],
    ['it', 'RCCMNL83S18D969H', 'RCCMNL83S18D969A'],
    ['en', '00:1b:44:11:3a:b7', '00:1b:44:11:3a:zz'],
    ['en', '0x52908400098527886E0F7030069857D2E4169EE7', '0x5290840009852788'],
    ['en', SEED, SEED.replace('sausage', 'therefore')],
  ])('are hidden without a cue in %s: %s', async (language, value, other) => {
    expect(await hidden(`So ${value} it was.`, language)).toContain(value);
    expect(await hidden(`So ${other} it was.`, language)).not.toContain(other);
  });

  it('are a bank code where a bank is meant', async () => {
    expect(await hidden('the BIC is COBADEFF', 'en')).toContain('COBADEFF');
    expect(await hidden('GOODBYES AND COBADEFF', 'en')).toEqual([]);
  });
});
