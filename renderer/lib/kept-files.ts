const DATABASE = 'earshot-uploads';
const STORE = 'files';
/** Held by the page that sends the file; the copy of a page that is gone has none. */
const LOCK = 'earshot-upload:';
/** Copies take room on the disk; more files than this are asked for by name. */
const MAX_KEPT_BYTES = 1024 ** 3;

const settled = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

const openStore = async (): Promise<IDBDatabase> => {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => void request.result.createObjectStore(STORE);
  return settled(request);
};

let database: Promise<IDBDatabase> | undefined;
const withStore = async <T>(use: (store: IDBObjectStore) => Promise<T>): Promise<T> => {
  database ??= openStore();
  return use((await database).transaction(STORE, 'readwrite').objectStore(STORE));
};

const heldLocks = async (): Promise<ReadonlySet<string>> => {
  const { held = [] } = await navigator.locks.query();
  return new Set(held.flatMap(({ name }) => name ?? []));
};

/** Private windows of some browsers keep nothing, and pages that are not from this computer have no locks. */
const isAvailable = (): boolean => typeof indexedDB !== 'undefined' && navigator.locks !== undefined;
const note = (error: unknown): void =>
  console.info('The browser keeps no copy of a file.', error instanceof Error ? error.name : '');

let keptBytes = 0;

/** Keeps a copy of a file in the browser until `ended` is settled, so that the next page can send it if this one is reloaded. */
export const keepFile = async (id: string, file: File, ended: Promise<unknown>): Promise<void> => {
  if (!isAvailable() || keptBytes + file.size > MAX_KEPT_BYTES) return;
  keptBytes += file.size;
  try {
    await navigator.locks.request(`${LOCK}${id}`, async () => {
      await withStore((store) => settled(store.put(file, id)));
      await ended.catch(() => undefined);
      await withStore((store) => settled(store.delete(id)));
    });
  } catch (error) {
    note(error);
  } finally {
    keptBytes -= file.size;
  }
};

/** Takes the copies that an earlier page of this tab left, by their ids, and drops those that belong to no page any more. */
export const takeKeptFiles = async (ids: readonly string[]): Promise<ReadonlyMap<string, File>> => {
  const taken = new Map<string, File>();
  if (!isAvailable()) return taken;
  try {
    const held = await heldLocks();
    await withStore(async (store) => {
      for (const key of await settled(store.getAllKeys())) {
        const id = String(key);
        if (held.has(`${LOCK}${id}`)) continue;
        const file: unknown = ids.includes(id) ? await settled(store.get(key)) : undefined;
        if (file instanceof File) taken.set(id, file);
        store.delete(key);
      }
    });
  } catch (error) {
    note(error);
  }
  return taken;
};
