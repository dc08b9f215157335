import { expect, it } from 'vitest';
import { describe, memoryOf, withProgram } from './drive.ts';

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

  it('takes less than 450 MB while it is idle, and says how long it took to start', () =>
    withProgram(async (run) => {
      const page = await run.window();
      await page.getByRole('heading', { name: 'Library', exact: true }).waitFor({ state: 'attached' });
      const milliseconds = Math.round(performance.now() - run.startedAt);
      await page.waitForTimeout(5000);
      const memory = [...memoryOf(run)];
      const total = memory.reduce((sum, [, each]) => sum + each, 0);
      const parts = memory.map(([name, each]) => `${name} ${Math.round(each)}`).join(', ');
      process.stderr.write(
        `· desktop    the library after ${milliseconds} ms; idle, ${Math.round(total)} MB (PSS): ${parts}\n`,
      );
      expect(total).toBeLessThan(450);
    }));
});
