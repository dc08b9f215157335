import { z } from 'zod';
import { createStore } from 'zustand/vanilla';
import type { CallInput, Client } from '../../electron/contract/client.ts';
import { putFile } from '../../electron/contract/put-file.ts';
import { UploadPurpose } from '../../electron/contract/storage.ts';
import { toSameOrigin } from '../api/session.ts';
import { keepFile, takeKeptFiles } from '../lib/kept-files.ts';
import { readStored, storedList } from '../lib/storage.ts';

export type Upload = {
  readonly id: number;
  readonly name: string;
  readonly size: number;
  readonly sent: number;
  /** `starting`: stored, or a link; its transcription is being created. */
  readonly state: 'waiting' | 'sending' | 'checking' | 'starting' | 'failed';
  readonly error: unknown;
};

/** The transcription that begins once the file is stored. */
export type FollowingRequest = Omit<NonNullable<CallInput<'createTranscript'>['body']>, 'audio_url'>;

/** What a loaded page knows of an upload that the page before did not end. */
const EarlierUpload = z.object({
  id: z.string(),
  name: z.string(),
  folder: z.string(),
  purpose: UploadPurpose,
  /** Written by the page before; the service checks it. */
  request: z.custom<FollowingRequest>((value) => typeof value === 'object').optional(),
});
type EarlierUpload = z.output<typeof EarlierUpload>;
const EarlierUploads = storedList(EarlierUpload);
type Destination = Pick<EarlierUpload, 'folder' | 'purpose' | 'request'>;
export type KeptUpload = Destination & { readonly file: File };

type Options = {
  readonly client: Client;
  readonly baseUrl: string;
  /** Keeps the names of files that are not uploaded yet: the tab's, so that no other window shows them. */
  readonly storage: Storage;
};
type PendingUpload = Destination & {
  readonly keptAs: string;
  readonly file: File;
  readonly resolve: (key: string) => void;
  readonly reject: (error: unknown) => void;
};

const MAX_PARALLEL_UPLOADS = 2;
const STORAGE_KEY = 'earshot.uploads';
/** What takes less is not listed, so that nothing flickers. */
const LIST_AFTER_MS = 80;

/** The user stopped the upload. */
export class UploadCancelledError extends Error {
  constructor() {
    super('The upload was cancelled.');
    this.name = 'UploadCancelledError';
  }
}

/** Uploads files to the object store, at most MAX_PARALLEL_UPLOADS at a time. */
export const createUploads = ({ client, baseUrl, storage }: Options) => {
  const store = createStore<readonly Upload[]>(() => []);
  /** Those of the page before, until it is known which files the browser has kept. */
  let earlier: readonly EarlierUpload[] = EarlierUploads.parse(readStored(storage, STORAGE_KEY));
  const lost = createStore<readonly EarlierUpload[]>(() => []);
  /** All that are listed. */
  const pending = new Map<number, PendingUpload>();
  const controllers = new Map<number, AbortController>();
  let nextId = 1;

  const update = (id: number, part: Partial<Upload>) =>
    store.setState(
      store.getState().map((upload) => (upload.id === id ? { ...upload, ...part } : upload)),
      true,
    );
  const persist = () => {
    const own = [...pending.values()].map(({ keptAs, file, folder, purpose, request }) => ({
      id: keptAs,
      name: file.name,
      folder,
      purpose,
      request,
    }));
    storage.setItem(STORAGE_KEY, JSON.stringify([...earlier, ...lost.getState(), ...own]));
  };
  const isSending = () => store.getState().some(({ state }) => state !== 'failed');
  // In the desktop program, which asks itself, the event would keep the window open silently.
  if (window.earshot === undefined) {
    window.addEventListener('beforeunload', (event) => {
      if (isSending()) event.preventDefault();
    });
  } else store.subscribe(() => window.earshot?.setUploading(isSending()));
  const remove = (id: number) => {
    pending.delete(id);
    controllers.delete(id);
    persist();
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
    /** Uploads that ended with the page before, whose files the browser has not kept. */
    lost,
    /** Takes a name off that list, or all of them; returns what is known of it. */
    takeLost: (name?: string): EarlierUpload | undefined => {
      const taken = lost.getState().find((each) => each.name === name);
      lost.setState(name === undefined ? [] : lost.getState().filter((each) => each !== taken), true);
      persist();
      return taken;
    },
    /** Takes the uploads of the page before whose files the browser has kept; the others are lost. */
    takeKept: async (): Promise<readonly KeptUpload[]> => {
      const files = await takeKeptFiles(earlier.map(({ id }) => id));
      const kept = earlier.flatMap((each) => {
        const file = files.get(each.id);
        return file === undefined ? [] : [{ ...each, file }];
      });
      lost.setState(
        earlier.filter(({ id }) => !files.has(id)),
        true,
      );
      earlier = [];
      persist();
      return kept;
    },
    /** Uploads a file and resolves with its storage key. Rejects with `UploadCancelledError` if it is stopped. */
    send: (file: File, { folder, purpose, request }: Destination): Promise<string> => {
      const id = nextId++;
      // Unlike any other page's.
      const keptAs = `${performance.timeOrigin}-${id}`;
      const stored = new Promise<string>((resolve, reject) => {
        pending.set(id, { keptAs, file, folder, purpose, request, resolve, reject });
      });
      void keepFile(keptAs, file, stored);
      persist();
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
      return stored;
    },
    /** Lists a transcription that is being created until `work` ends. */
    listWhile: async <T>(name: string, work: Promise<T>): Promise<T> => {
      const id = nextId++;
      const entry: Upload = { id, name, size: 0, sent: 0, state: 'starting', error: undefined };
      const timer = setTimeout(() => store.setState([...store.getState(), entry], true), LIST_AFTER_MS);
      try {
        return await work;
      } finally {
        clearTimeout(timer);
        remove(id);
      }
    },
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
