import type { Client } from '../../electron/contract/client.ts';

export type AudioSource = { readonly url: string; readonly release: () => void };

/** An address that an audio element can play for a transcript's audio. */
export const audioSource = async (client: Client, id: string): Promise<AudioSource> => {
  const response = await client.send('transcriptAudio', { params: { id } });
  const url = URL.createObjectURL(await response.blob());
  return { url, release: () => URL.revokeObjectURL(url) };
};
