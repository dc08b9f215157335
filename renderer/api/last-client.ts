import { type Client, createClient } from '../../electron/contract/client.ts';

/** A client whose requests outlive the page; each has at most 64 KB. */
export const createLastClient = (options: { readonly baseUrl: string; readonly key: string }): Client =>
  createClient({ ...options, fetch: (input, init) => fetch(input, { ...init, keepalive: true }) });
