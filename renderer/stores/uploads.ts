import { createStore } from 'zustand/vanilla';
import type { Client } from '../../electron/contract/client.ts';

export type Upload = {
  readonly id: number;
  readonly name: string;
  readonly size: number;
  readonly sent: number;
  readonly state: 'waiting' | 'sending' | 'checking' | 'failed';
  readonly error: unknown;
};

type Parts = { readonly client: Client; readonly baseUrl: string };
type Job = {
  readonly file: File;
  readonly settle: (key: string) => void;
  readonly fail: (e: unknown) => void;
};

const SIDE_BY_SIDE = 2;

/** Thrown by an upload that a person stopped. */
export class UploadCancelled extends Error {
  constructor() {
    super('The upload was cancelled.');
    this.name = 'UploadCancelled';
  }
}

/** Files on their way into the store, two at a time, each with its progress and a way to stop it. */
export const createUploads = ({ client }: Parts) => {
  const store = createStore<readonly Upload[]>(() => []);
  const jobs = new Map<number, Job>();
  const stops = new Map<number, AbortController>();
  let next = 1;

  const change = (id: number, part: Partial<Upload>) =>
    store.setState(
      store.getState().map((upload) => (upload.id === id ? { ...upload, ...part } : upload)),
      true,
    );
  const remove = (id: number) => {
    jobs.delete(id);
    stops.delete(id);
    store.setState(
      store.getState().filter((upload) => upload.id !== id),
      true,
    );
  };

  const run = async (id: number, job: Job) => {
    const stop = new AbortController();
    stops.set(id, stop);
    change(id, { state: 'sending' });
    try {
      const form = new FormData();
      form.append('folder', 'recordings');
      form.append('file', job.file);
      const { data } = await client.call('uploadFile', { body: form, signal: stop.signal });
      remove(id);
      job.settle(data.file.key);
    } catch (error) {
      if (stop.signal.aborted) {
        remove(id);
        job.fail(new UploadCancelled());
      } else {
        change(id, { state: 'failed', error });
        job.fail(error);
      }
    }
    startNext();
  };

  const startNext = () => {
    const all = store.getState();
    const busy = all.filter((upload) => upload.state === 'sending' || upload.state === 'checking').length;
    for (const upload of all.filter((each) => each.state === 'waiting').slice(0, SIDE_BY_SIDE - busy)) {
      const job = jobs.get(upload.id);
      if (job !== undefined) void run(upload.id, job);
    }
  };

  return {
    store,
    /** Sends a file; resolves with its storage key. Rejects with `UploadCancelled` when it was stopped. */
    send: (file: File): Promise<string> =>
      new Promise((settle, fail) => {
        const id = next++;
        jobs.set(id, { file, settle, fail });
        store.setState(
          [
            ...store.getState(),
            { id, name: file.name, size: file.size, sent: 0, state: 'waiting', error: undefined },
          ],
          true,
        );
        startNext();
      }),
    /** Stops an upload on its way, or puts away a failed one. */
    cancel: (id: number) => {
      const stop = stops.get(id);
      const job = jobs.get(id);
      if (stop !== undefined && !stop.signal.aborted) stop.abort();
      const upload = store.getState().find((each) => each.id === id);
      if (upload?.state === 'waiting') job?.fail(new UploadCancelled());
      if (upload?.state === 'waiting' || upload?.state === 'failed') remove(id);
    },
  };
};
export type Uploads = ReturnType<typeof createUploads>;
