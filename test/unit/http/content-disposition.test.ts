import { parse } from 'content-disposition';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { contentDisposition } from '../../../electron/core/http/content-disposition.ts';
import { hostileNames } from '../../support/hostile-names.ts';

it('Content-Disposition is one line for any name', () => {
  fc.assert(
    fc.property(hostileNames, (name) => {
      const value = contentDisposition('attachment', name);
      expect(value).toMatch(
        /^attachment; filename=(?:"[ !#-[\]-~]*"|[\w.!#$&'*+^`|~-]+)(; filename\*=UTF-8''[\w.!#$&+^`|~%-]*)?$/,
      );
      const { filename } = parse(value).parameters;
      expect(filename).not.toMatch(/[/\\\p{Cc}]/u);
      expect(filename?.length).toBeGreaterThanOrEqual(name.replaceAll(/[^\w.]/g, '').length);
    }),
    { numRuns: 5000 },
  );
});
