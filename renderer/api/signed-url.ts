import type { Client } from '../../electron/contract/client.ts';

export type SignedUrl = { readonly url: string; readonly expiresAt: number };

/** The same address on the origin that this window was loaded from: the page's policy lets in no other. */
export const toSameOrigin = (address: string, baseUrl: string): string => {
  const { pathname, search } = new URL(address, baseUrl);
  return `${baseUrl}${pathname}${search}`;
};

/** A signed address that an audio element can play and seek in, without a header. */
export const fetchAudioUrl = async (client: Client, baseUrl: string, id: string): Promise<SignedUrl> => {
  const { data } = await client.call('transcriptAudioUrl', { params: { id } });
  return { url: toSameOrigin(data.url, baseUrl), expiresAt: Date.parse(data.expires_at) };
};
