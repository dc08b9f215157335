import { createStore } from 'zustand/vanilla';
import type { Client } from '../../electron/contract/client.ts';
import { putFile } from '../../electron/contract/put-file.ts';
import type { UploadPurpose } from '../../electron/contract/storage.ts';
import { toSameOrigin } from '../api/signed-url.ts';

export type Upload = {
  readonly id: number;
  readonly name: string;
  readonly size: number;
  readonly sent: number;
  readonly state: 'waiting' | 'sending' | 'checking' | 'failed';
  readonly error: unknown;
};

type Options = { readonly client: Client; readonly baseUrl: string };
type PendingUpload = {
  readonly file: File;
  readonly folder: string;
  readonly purpose: UploadPurpose;
  readonly resolve: (key: string) => void;
  readonly reject: (error: unknown) => void;
};

const MAX_PARALLEL_UPLOADS = 2;

/** The user stopped the upload. */
export class UploadCancelledError extends Error {
  constructor() {
    super('The upload was cancelled.');
    this.name = 'UploadCancelledError';
  }
}

/** Uploads files to the object store, at most MAX_PARALLEL_UPLOADS at a time. */
export const createUploads = ({ client, baseUrl }: Options) => {
  const store = createStore<readonly Upload[]>(() => []);
  const pending = new Map<number, PendingUpload>();
  const controllers = new Map<number, AbortController>();
  let nextId = 1;

  const update = (id: number, part: Partial<Upload>) =>
    store.setState(
      store.getState().map((upload) => (upload.id === id ? { ...upload, ...part } : upload)),
      true,
    );
  const remove = (id: number) => {
    pending.delete(id);
    controllers.delete(id);
    store.setState(
      store.getState().filter((upload) => upload.id !== id),
      true,
    );
  };

  const send = async (
    id: number,
    { file, folder, purpose }: PendingUpload,
    signal: AbortSignal,
  ): Promise<string> => {
    const type = file.type.split(';')[0]?.trim() || 'application/octet-stream';
    const { data } = await client.call('presignUpload', {
      body: {
        filename: file.name,
        contentType: type,
        fileSize: file.size > 0 ? file.size : undefined,
        folder: folder === '' ? undefined : folder,
        purpose,
      },
      signal,
    });
    await putFile(toSameOrigin(data.uploadUrl, baseUrl), file, {
      type,
      signal,
      onSent: (sent) => update(id, { sent, ...(sent >= file.size ? { state: 'checking' } : {}) }),
    });
    return data.fileKey;
  };

  const run = async (id: number, job: PendingUpload) => {
    const controller = new AbortController();
    controllers.set(id, controller);
    update(id, { state: 'sending' });
    try {
      const key = await send(id, job, controller.signal);
      remove(id);
      job.resolve(key);
    } catch (error) {
      if (controller.signal.aborted) {
        remove(id);
        job.reject(new UploadCancelledError());
      } else {
        update(id, { state: 'failed', error });
        job.reject(error);
      }
    }
    startNext();
  };

  const startNext = () => {
    const all = store.getState();
    const running = all.filter((upload) => upload.state === 'sending' || upload.state === 'checking').length;
    const free = Math.max(0, MAX_PARALLEL_UPLOADS - running);
    for (const upload of all.filter((each) => each.state === 'waiting').slice(0, free)) {
      const job = pending.get(upload.id);
      if (job !== undefined) void run(upload.id, job);
    }
  };

  return {
    store,
    /** Uploads a file and resolves with its storage key. Rejects with `UploadCancelledError` if it is stopped. */
    send: (file: File, folder: string, purpose: UploadPurpose = 'storage'): Promise<string> =>
      new Promise((resolve, reject) => {
        const id = nextId++;
        pending.set(id, { file, folder, purpose, resolve, reject });
        const upload: Upload = {
          id,
          name: file.name,
          size: file.size,
          sent: 0,
          state: 'waiting',
          error: undefined,
        };
        store.setState([...store.getState(), upload], true);
        startNext();
      }),
    /** Stops an upload, or dismisses a failed one. */
    cancel: (id: number) => {
      const upload = store.getState().find((each) => each.id === id);
      if (upload?.state === 'sending' || upload?.state === 'checking') {
        controllers.get(id)?.abort();
        return;
      }
      if (upload?.state === 'waiting') pending.get(id)?.reject(new UploadCancelledError());
      remove(id);
    },
  };
};
export type Uploads = ReturnType<typeof createUploads>;
