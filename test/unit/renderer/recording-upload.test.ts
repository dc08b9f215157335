import { expect, it, onTestFinished, vi } from 'vitest';
import type { Client } from '../../../electron/contract/client.ts';
import { createRecordingUpload } from '../../../renderer/lib/recording-upload.ts';

/** An upload, and the operations that it asks of the service, with the bytes of each chunk. */
const upload = () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const asked: string[] = [];
  let stored = 0;
  const call = async (operation: string, { body }: { body?: unknown }) => {
    const bytes = body instanceof Blob ? body.size : 0;
    asked.push(bytes === 0 ? operation : `${operation} ${bytes}`);
    stored += bytes;
    return { data: { id: 'rec_1', offset: stored } };
  };
  // Only `call` is used.
  const client = { call } as unknown as Client;
  const options = { client, lastClient: client, fileName: 'recording.webm', onAttempt: () => {} };
  return { asked, ...createRecordingUpload(options) };
};
const seconds = (count: number) => new Blob([new Uint8Array(count * 1000)]);

it('sends the end of a recording that is left before it is offered as a recovered one', async () => {
  const { asked, add, leave } = upload();
  add(seconds(2));
  await vi.advanceTimersByTimeAsync(2000);
  add(seconds(1));
  await leave();
  expect(asked).toEqual([
    'startRecording',
    'appendRecording 2000',
    'appendRecording 1000',
    'finishRecording',
  ]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toHaveLength(4);
});

it('leaves what is stored at once when the page goes', async () => {
  const { asked, add, leaveNow } = upload();
  add(seconds(2));
  await vi.advanceTimersByTimeAsync(2000);
  add(seconds(1));
  await leaveNow();
  expect(asked).toEqual(['startRecording', 'appendRecording 2000', 'finishRecording']);
});
