import { isRecord, readStored } from '../../lib/storage.ts';

const keyOf = (id: string) => `earshot.accepted.${id}`;

/** The doubtful words that a person has accepted in this browser, by their start in seconds. */
export const readAccepted = (storage: Storage, id: string): ReadonlySet<number> => {
  const stored = readStored(storage, keyOf(id));
  const starts = isRecord(stored) && Array.isArray(stored.starts) ? stored.starts : [];
  return new Set(starts.filter((start) => typeof start === 'number'));
};

export const writeAccepted = (storage: Storage, id: string, accepted: ReadonlySet<number>): void =>
  storage.setItem(keyOf(id), JSON.stringify({ starts: [...accepted] }));
