import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import type { TestServer } from './server.ts';

/** Uploads a recording, transcribes it with every analysis but diarization, and returns the id. */
export const transcribeFixture = async (
  server: TestServer,
  path: string,
  name?: string,
  more: Readonly<Record<'diarize', boolean>> = { diarize: false },
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
      ...more,
      ...(name === undefined ? {} : { name }),
    },
  });
  if (transcript.status !== 'completed') throw new Error(transcript.error?.message ?? transcript.status);
  return transcript.id;
};
