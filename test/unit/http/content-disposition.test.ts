import fc from 'fast-check';
import { expect, it } from 'vitest';
import { contentDisposition } from '../../../electron/core/http/content-disposition.ts';
import { hostileNames } from '../../support/hostile-names.ts';

it('Content-Disposition is one line for any name', () => {
  fc.assert(
    fc.property(hostileNames, (name) => {
      const value = contentDisposition('attachment', name);
      expect(value).toMatch(/^attachment; filename="[\x20-\x7e]*"(; filename\*=UTF-8''[\w.!#$&+^`|~%-]*)?$/);
      expect(value.split('"')).toHaveLength(3);
    }),
    { numRuns: 5000 },
  );
});
