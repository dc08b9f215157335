import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runEarshot } from '../../support/command-line.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

it('earshot vocabulary imports a file and exports the same', { timeout: 120_000 }, async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'terms.txt');
  const earshot = (...args: string[]) => runEarshot(join(folder, 'data'), 'vocabulary', ...args);
  expect(await earshot('export')).toMatchObject({ code: 0, out: '' });
  const terms = 'Nguyen ^2\nkubectl = cube control; cubectl\n山田太郎\n';
  writeFileSync(file, `# Names\n\n${terms}`);
  expect((await earshot('import', file)).err).toContain('3 terms from now on.');
  expect((await earshot('export')).out).toBe(terms);
  writeFileSync(file, 'Ana\n---\n');
  const refused = await earshot('import', file);
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('term 2: must contain a letter')]);
  expect((await earshot('import', join(folder, 'none.txt'))).code).toBe(2);
  expect((await earshot('export')).out).toBe(terms);
});
