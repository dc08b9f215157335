import { z } from 'zod';

/** A recording that was written while it was made. */
export type StoredRecording = {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly file: Blob;
};

const DATABASE = 'earshot.recordings';
const CHUNKS = 'chunks';

const Chunk = z.object({
  id: z.string(),
  /** The chunk's place in its recording. */
  index: z.int().min(0),
  startedAt: z.number(),
  data: z.instanceof(Blob),
});
type Chunk = z.output<typeof Chunk>;

const settled = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

const openDatabase = (): Promise<IDBDatabase> => {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(CHUNKS, { keyPath: ['id', 'index'] });
  return settled(request);
};

const committed = (transaction: IDBTransaction): Promise<void> =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });

const lockName = (id: string) => `earshot.recording.${id}`;

/**
 * Keeps microphone recordings in this browser while they are made, so that a crash loses at most the last chunk. A
 * window that works on a recording holds its lock, which ends with the window: what has no holder was left behind.
 */
export const createRecordingStorage = () => {
  let opened: Promise<IDBDatabase> | undefined;
  const database = () => {
    opened ??= openDatabase();
    return opened;
  };
  const releases = new Map<string, () => void>();

  /** Marks a recording as this window's. False if another window works on it. */
  const claim = (id: string): Promise<boolean> =>
    new Promise((answer, fail) => {
      navigator.locks
        .request(lockName(id), { ifAvailable: true }, (lock) => {
          answer(lock !== null);
          if (lock === null) return undefined;
          return new Promise<void>((release) => releases.set(id, release));
        })
        .catch(fail);
    });
  const release = (id: string) => {
    releases.get(id)?.();
    releases.delete(id);
  };

  const readAll = async (): Promise<StoredRecording[]> => {
    const store = (await database()).transaction(CHUNKS).objectStore(CHUNKS);
    const chunks = z.array(Chunk).parse(await settled(store.getAll()));
    const recordings = Map.groupBy(chunks, ({ id }) => id);
    return [...recordings].map(([id, parts]) => ({
      id,
      startedAt: parts[0]?.startedAt ?? 0,
      file: new Blob(
        parts.map(({ data }) => data),
        { type: parts[0]?.data.type },
      ),
    }));
  };

  return {
    claim,
    release,
    append: async (chunk: Chunk): Promise<void> => {
      const transaction = (await database()).transaction(CHUNKS, 'readwrite', { durability: 'strict' });
      transaction.objectStore(CHUNKS).put(chunk);
      await committed(transaction);
    },
    /** Removes a recording that is stored elsewhere now, or that nobody wants. */
    remove: async (id: string): Promise<void> => {
      const transaction = (await database()).transaction(CHUNKS, 'readwrite');
      transaction.objectStore(CHUNKS).delete(IDBKeyRange.bound([id], [id, []]));
      await committed(transaction);
      release(id);
    },
    /** The recordings that no window works on, newest first, and the ids of those that other windows work on. */
    list: async (): Promise<{ left: StoredRecording[]; others: string[] }> => {
      const { held = [] } = await navigator.locks.query();
      const claimed = new Set(held.map(({ name }) => name));
      const all = (await readAll()).sort((a, b) => b.startedAt - a.startedAt);
      return {
        left: all.filter(({ id }) => !claimed.has(lockName(id))),
        others: all.flatMap(({ id }) => (claimed.has(lockName(id)) && !releases.has(id) ? [id] : [])),
      };
    },
    /** Waits until no window works on a recording. */
    whenLeft: (id: string): Promise<void> => navigator.locks.request(lockName(id), () => undefined),
  };
};
export type RecordingStorage = ReturnType<typeof createRecordingStorage>;
