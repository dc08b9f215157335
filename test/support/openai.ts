import { createReadStream, type ReadStream } from 'node:fs';
import { copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import OpenAI from 'openai';
import { ffmpeg } from './ffmpeg.ts';
import { fixturePath } from './fixtures.ts';
import { SYNTHETIC, startServer, type TestServer } from './server.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A server with OpenAI's own client. */
export type OpenAiServer = {
  readonly server: TestServer;
  readonly openai: OpenAI;
  /** The folder of the samples. */
  readonly clips: string;
  /** The beginning of a recording, since each call recognizes its recording again. */
  readonly sample: (name?: string) => ReadStream;
  /** How many objects the store holds. */
  readonly storedFiles: () => Promise<number>;
};

export const startOpenAi = async (): Promise<OpenAiServer> => {
  const clips = temporaryFolder();
  for (const name of ['01-short-note.wav', '02-two-speakers.mp3', '06-german.webm']) {
    await ffmpeg('-i', fixturePath(name), '-t', '6.7', '-map', '0:a', join(clips, name));
  }
  await copyFile(fixturePath('08-meeting-4min.mp3'), join(clips, '08-meeting-4min.mp3'));
  // whisper-1 is `mini`, the newer models are `pro`: languages and prompts need Whisper.
  const args = [...SYNTHETIC, '--allow-private-addresses', '--model-alias', 'mini=starter-parakeet'];
  const server = await startServer({ args, quick: true });
  return {
    server,
    openai: new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.key, maxRetries: 0 }),
    clips,
    sample: (name = '01-short-note.wav') => createReadStream(join(clips, name)),
    storedFiles: async () => {
      const folder = join(server.dataDir, 'objects');
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      // The store's marker lies beside the objects.
      return entries.filter((entry) => entry.isFile() && !entry.name.endsWith('.json')).length;
    },
  };
};
