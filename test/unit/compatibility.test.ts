import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/paths.ts';

/** Of the tables that name tests. */
const COLUMNS = 3;

const rows = readFileSync(join(ROOT, 'docs', 'compatibility.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, subject = '', , proof = ''] = line.split('|').map((cell) => cell.trim());
    const isRow = line.startsWith('| ') && line.split('|').length === COLUMNS + 2;
    return isRow && proof !== 'test' ? [{ subject, proof }] : [];
  });

it('each row of the table of compatibility names a test that is there', () => {
  expect(rows.length).toBeGreaterThan(25);
  for (const { subject, proof } of rows) {
    const [, path = '', title = ''] = /^`([^`]+)` (.+)$/.exec(proof) ?? [];
    expect(readFileSync(join(ROOT, path), 'utf8'), subject).toContain(title);
  }
});
