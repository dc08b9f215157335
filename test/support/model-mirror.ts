import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Model } from '../../electron/contract/system.ts';
import { STARTER_MODEL } from './paths.ts';
import type { TestServer } from './server.ts';
import { until } from './until.ts';

/** The starter model, which tests serve under other names. */
export const starterBytes = (): Buffer => readFileSync(STARTER_MODEL);

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** A line of the setting `models.catalogue`. */
export const catalogueLine = (id: string, bytes: Buffer, hash = sha256(bytes)): string =>
  `${id} ${bytes.length} ${hash}`;

export const modelPath = (server: TestServer, id: string): string =>
  join(server.dataDir, 'models', `ggml-${id}.bin`);

export const find = async (server: TestServer, id: string): Promise<Model> => {
  const { data } = await server.client.call('listModels', { query: { catalog: true } });
  const model = data.find((known) => known.id === id);
  if (model === undefined) throw new Error(`${id} is not listed`);
  return model;
};

/** Waits until a model's download has ended. */
export const settled = (server: TestServer, id: string): Promise<Model> =>
  until(async () => {
    const model = await find(server, id);
    return model.download?.state === 'downloading' ? undefined : model;
  });

/** Installs a model and waits for the end of the download. */
export const install = async (server: TestServer, id: string): Promise<Model> => {
  await server.client.call('installModel', { params: { id } });
  return settled(server, id);
};

/** Removes an installed model, so that the next test starts without it. */
export const forget = (server: TestServer, id: string): void =>
  rmSync(modelPath(server, id), { force: true });
