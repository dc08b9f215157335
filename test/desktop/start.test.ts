import { expect, it } from 'vitest';
import { describe, withProgram } from './drive.ts';

describe('the desktop program', () => {
  it('opens its own window on the library, which has functions of the program and nothing of Node', () =>
    withProgram(async (run) => {
      const page = await run.window();
      await page.getByRole('heading', { name: 'Library', exact: true }).waitFor({ state: 'attached' });
      expect(page.url()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\//);
      const seen = await page.evaluate(() => ({
        node: 'require' in window || 'process' in window,
        earshot: 'earshot' in window,
      }));
      expect(seen).toEqual({ node: false, earshot: true });
    }));
});
