import { existsSync, readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostileNames } from '../../support/hostile-names.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { bearer, form, freshStorage, newUser, objectsIn } from './support/client.ts';

describe('hostile folders, names and keys over HTTP', () => {
  it('stay inside the store, and the server goes on', async () => {
    const root = temporaryFolder();
    const storage = await freshStorage({ dataDir: join(root, 'data') });
    const user = newUser(storage);
    const objects = join(root, 'data', 'objects');
    const paths = ['file', 'download', 'download-url'];
    await fc.assert(
      fc.asyncProperty(hostileNames, hostileNames, async (folder, name) => {
        const sent = await fetch(`${storage.url}/v1/storage/upload`, {
          method: 'POST',
          headers: bearer(user),
          body: form(`${name}.txt`, 'x', { folder }),
        });
        expect([201, 400, 415]).toContain(sent.status);
        await sent.arrayBuffer();
        for (const path of paths) {
          for (const key of [
            encodeURIComponent(name.toWellFormed()),
            encodeURI(`/${folder.toWellFormed()}/${name.toWellFormed()}`),
          ]) {
            const response = await fetch(`${storage.url}/v1/storage/${path}/${key}`, {
              headers: bearer(user),
            });
            expect([400, 404, 405]).toContain(response.status);
            await response.arrayBuffer();
          }
        }
      }),
      { numRuns: 60 },
    );
    expect(readdirSync(root)).toEqual(['data']);
    for (const path of objectsIn(objects)) {
      expect(path.slice(objects.length)).toMatch(/^.[0-9a-f]{2}.[0-9a-f]{2}.[0-9a-f]{32}$/);
    }
    const { data } = await user.client.call('storageInfo');
    expect(objectsIn(objects)).toHaveLength(data.fileCount);
    expect(existsSync(join(objects, '..', sep, 'x'))).toBe(false);
  });
});
