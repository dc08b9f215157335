import type { TestServer } from './server.ts';
import { stall, startUrlServer, status, type UrlServer } from './url-server.ts';

/** Adds a failed transcript, and one that stays in progress until `remote` is closed. */
export const addUnfinished = async (
  server: TestServer,
): Promise<{ failed: string; running: string; remote: UrlServer }> => {
  const remote = await startUrlServer();
  await server.client.call('patchSettings', { body: { 'network.stallSeconds': 3600 } });
  const gone = await server.client.call('createTranscript', {
    body: {
      audio_url: remote.set('/gone.mp3', status(404)),
      name: 'Customer call, Northwind',
      webhook_url: remote.url('/hook'),
      wait_until_complete: true,
    },
  });
  if (gone.status !== 'failed') throw new Error('The transcription of a missing recording did not fail.');
  const url = remote.set('/board.mp3', stall(Buffer.alloc(9_000_000, 1), 100_000));
  const running = await server.client.call('createTranscript', {
    body: { audio_url: url, name: 'Board meeting' },
  });
  return { failed: gone.id, running: running.id, remote };
};
