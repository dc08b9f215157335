import { type Client, createClient } from '../../../../electron/contract/client.ts';
import type { ErrorBody } from '../../../../electron/contract/errors.ts';
import type { UploadResult } from '../../../../electron/contract/storage.ts';
import { afterFile } from '../../../support/after-file.ts';
import { type InProcessOptions, type InProcessServer, startInProcess } from '../../../support/server.ts';

export { objectsIn } from './objects.ts';

export type User = { readonly id: string; readonly key: string; readonly client: Client };

/** Starts a server in this process; it is closed after the test file. */
export const freshStorage = async (options: InProcessOptions = {}): Promise<InProcessServer> => {
  const storage = await startInProcess(options);
  afterFile(() => storage.close());
  return storage;
};

let users = 0;

export const newUser = (
  { accounts, url }: InProcessServer,
  limits: { storage_limit?: number } = {},
): User => {
  const { user, key } = accounts.createUser(`user ${++users}`, limits);
  return { id: user.id, key: key.key, client: createClient({ baseUrl: url, key: key.key }) };
};

export const bearer = (user: User): Record<string, string> => ({ authorization: `Bearer ${user.key}` });

export type FormFields = Record<string, string>;

export const form = (
  name: string,
  bytes: Uint8Array<ArrayBuffer> | string,
  fields: FormFields = {},
  type = '',
): FormData => {
  const body = new FormData();
  for (const [field, value] of Object.entries(fields)) body.set(field, value);
  body.set('file', new File([bytes], name, { type }));
  return body;
};

/** Uploads a file; throws unless that succeeds. */
export const upload = async (
  user: User,
  name: string,
  bytes: Uint8Array<ArrayBuffer> | string,
  fields: FormFields = {},
  type = '',
): Promise<UploadResult['data']> =>
  (await user.client.call('uploadFile', { body: form(name, bytes, fields, type) })).data;

/** Status and error of an answer that must be an error. */
export const errorOf = async (
  response: Response,
): Promise<{ status: number; code: string; error: string; details: string[] }> => {
  // Every error has this shape; the tests compare its parts.
  const body = (await response.json()) as ErrorBody;
  return {
    status: response.status,
    code: body.code,
    error: body.error,
    details: (body.details ?? []).map((detail) => detail.path),
  };
};
