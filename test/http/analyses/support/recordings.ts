import { CreateTranscript, type Transcription } from '../../../../electron/contract/transcript.ts';
import { fixture } from '../../../support/fixtures.ts';
import type { TestServer } from '../../../support/server.ts';
import { file, type UrlServer } from '../../../support/url-server.ts';

export type Extra = Omit<Partial<Parameters<typeof CreateTranscript.parse>[0] & object>, 'audio_url'>;

/** Transcribes a fixture by URL and waits for the result. */
export const transcribe = (
  server: TestServer,
  remote: UrlServer,
  name: string,
  extra: Extra = {},
): Promise<Transcription> => {
  const url = remote.set(`/${name}`, file(fixture(name)));
  return server.client.call('createTranscript', {
    body: CreateTranscript.parse({ audio_url: url, wait_until_complete: true, ...extra }),
  });
};
