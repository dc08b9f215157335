import type { Client } from '../../electron/contract/client.ts';

export type SignedUrl = { readonly url: string; readonly expiresAt: number };

/** Moves a URL to the origin of this window, the only one that the Content-Security-Policy allows. */
export const toSameOrigin = (address: string, baseUrl: string): string => {
  const { pathname, search } = new URL(address, baseUrl);
  return `${baseUrl}${pathname}${search}`;
};

/** Fetches a signed URL, which an audio element can play without an Authorization header. */
export const fetchAudioUrl = async (client: Client, baseUrl: string, id: string): Promise<SignedUrl> => {
  const { data } = await client.call('transcriptAudioUrl', { params: { id } });
  return { url: toSameOrigin(data.url, baseUrl), expiresAt: Date.parse(data.expires_at) };
};
