import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/paths.ts';

const rows = readFileSync(join(ROOT, 'docs', 'compatibility.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, subject = '', , proof = ''] = line.split('|').map((cell) => cell.trim());
    return line.startsWith('| ') && proof !== '' && proof !== 'test' ? [{ subject, proof }] : [];
  });

/** What does not hold yet has no test. */
const WITHOUT = [
  'chained Ogg Vorbis whose sample rate rises',
  'ALAC in Matroska whose laces have drifting times',
];

it('each row of the table of compatibility names a test that is there', () => {
  expect(rows.length).toBeGreaterThan(25);
  for (const { subject, proof } of rows) {
    const [, path = '', title = ''] = /^`([^`]+)` (.+)$/.exec(proof) ?? [];
    if (WITHOUT.includes(subject)) expect(proof).toBe('–');
    else expect(readFileSync(join(ROOT, path), 'utf8'), subject).toContain(title);
  }
});
