import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { licenceProblems, notices } from '../notices/notices.ts';
import { ROOT } from '../support/paths.ts';

it('every package has a licence that is allowed', () => {
  expect(licenceProblems()).toEqual([]);
});

it('THIRD-PARTY-NOTICES.md is what `npm run notices` writes', () => {
  expect(readFileSync(join(ROOT, 'THIRD-PARTY-NOTICES.md'), 'utf8')).toBe(notices());
});
