import { isRecord, readStored } from '../../lib/storage.ts';

const storageKey = (id: string) => `earshot.accepted.${id}`;

/** The doubtful words that a person has accepted in this browser, by their start in seconds. */
export const readAcceptedWords = (storage: Storage, id: string): ReadonlySet<number> => {
  const stored = readStored(storage, storageKey(id));
  const starts = isRecord(stored) && Array.isArray(stored.starts) ? stored.starts : [];
  return new Set(starts.filter((start) => typeof start === 'number'));
};

export const writeAcceptedWords = (storage: Storage, id: string, accepted: ReadonlySet<number>): void =>
  storage.setItem(storageKey(id), JSON.stringify({ starts: [...accepted] }));
