import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { CreateTranscript, type Transcription } from '../../electron/contract/transcript.ts';
import { fixture } from './fixtures.ts';
import type { TestServer } from './server.ts';
import { file, type UrlServer } from './url-server.ts';

type Extra = Omit<Partial<Parameters<typeof CreateTranscript.parse>[0] & object>, 'audio_url'>;

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

/** Uploads a recording, transcribes it with every analysis but diarization, and returns the id. */
export const transcribeFixture = async (
  server: TestServer,
  path: string,
  name?: string,
  more: Readonly<{ diarize?: boolean; model?: 'starter-parakeet' }> = {},
): Promise<string> => {
  const form = new FormData();
  form.append('file', await openAsBlob(path), basename(path));
  const { data } = await server.client.call('uploadFile', { body: form });
  const transcript = await server.client.call('createTranscript', {
    body: {
      audio_url: `storage:${data.file.key}`,
      timestamp_style: 'word',
      entity_detection: true,
      topics: true,
      summarization: true,
      content_safety: true,
      wait_until_complete: true,
      diarize: false,
      ...more,
      ...(name === undefined ? {} : { name }),
    },
  });
  if (transcript.status !== 'completed') throw new Error(transcript.error?.message ?? transcript.status);
  return transcript.id;
};
