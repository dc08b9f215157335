import { SETTINGS } from '../../../electron/contract/settings.ts';
import { AnalyzeTranscript } from '../../../electron/contract/transcript.ts';
import type { Random } from '../../support/random.ts';
import type { TestServer } from '../../support/server.ts';
import {
  type KnownFile,
  type Library,
  NOTE_SENTENCE,
  newWord,
  SETTING_NAMES,
  sha256,
  Uncertain,
} from './library.ts';

type Action = (server: TestServer, library: Library, random: Random) => Promise<void>;

/** What stays busy after its request until the next check, such as a transcript with a job. */
const STAYS_BUSY = 'stays busy';

/** Picks something that no request is in flight for, and keeps it busy meanwhile. */
const withFree = async <T extends { isBusy: boolean; readonly isThere: Uncertain<boolean> }>(
  items: readonly T[],
  random: Random,
  act: (item: T) => Promise<typeof STAYS_BUSY | undefined>,
): Promise<void> => {
  const free = items.filter(({ isBusy, isThere }) => !isBusy && isThere.known);
  if (free.length === 0) return;
  const item = random.pick(free);
  item.isBusy = true;
  item.isBusy = (await act(item)) === STAYS_BUSY;
};

const upload: Action = async (server, library, random) => {
  const word = newWord(random);
  const bytes = Buffer.from(`${word}\n`.repeat(random.int(1, 20_000)));
  const file: KnownFile = { word, sha256: sha256(bytes), isThere: new Uncertain(false), isBusy: true };
  library.files.push(file);
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(bytes)]), `${word}.txt`);
  await file.isThere.set(true, () => server.client.call('uploadFile', { body: form }));
  file.isBusy = false;
};

/** The keys of all stored files by name. */
export const storedFiles = async (server: TestServer): Promise<Map<string, string>> => {
  const keys = new Map<string, string>();
  for (let page = 1, pages = 1; page <= pages; page++) {
    const { data } = await server.client.call('listFiles', { query: { limit: 100, page } });
    for (const { original_name, key } of data.files) keys.set(original_name, key);
    pages = data.pagination.pages;
  }
  return keys;
};

const removeFile: Action = (server, library, random) =>
  withFree(library.files, random, async ({ word, isThere }) => {
    const fileKey = (await storedFiles(server)).get(`${word}.txt`);
    if (fileKey === undefined) throw new Error(`The file ${word} is not listed.`);
    await isThere.set(false, () => server.client.call('deleteFile', { params: { fileKey } }));
  });

const edit: Action = (server, library, random) =>
  withFree(library.transcripts, random, async ({ id, notes }) => {
    const place = random.int(0, notes.length - 1);
    const word = newWord(random);
    const segments = [{ id: place + 1, text: NOTE_SENTENCE(word) }];
    await notes[place]?.set(word, () =>
      server.client.call('patchTranscript', { params: { id }, body: { segments } }),
    );
  });

const rename: Action = (server, library, random) =>
  withFree(library.transcripts, random, async ({ id, name }) => {
    const word = newWord(random);
    await name.set(word, () =>
      server.client.call('patchTranscript', { params: { id }, body: { name: word } }),
    );
  });

const redact: Action = async (server, library, random) => {
  const body = AnalyzeTranscript.parse({ redact_pii: true, redact_pii_policies: ['email_address'] });
  const open = library.transcripts.filter(({ isRedacted }) => !isRedacted.known);
  await withFree(open, random, async ({ id, isRedacted }) => {
    await isRedacted.set(true, () => server.client.call('analyzeTranscript', { params: { id }, body }));
    // Edits are refused until the job has ended, which the next check waits for.
    return STAYS_BUSY;
  });
};

const removeTranscript: Action = (server, library, random) =>
  withFree(library.transcripts, random, async ({ id, isThere }) => {
    await isThere.set(false, () => server.client.call('deleteTranscript', { params: { id } }));
  });

const DEFAULTS: Readonly<Record<(typeof SETTING_NAMES)[number], number>> = {
  'network.stallSeconds': SETTINGS['network.stallSeconds'].default,
  'credits.perMinute.pro': SETTINGS['credits.perMinute.pro'].default,
};

const setting: Action = async (server, library, random) => {
  const name = random.pick(SETTING_NAMES);
  const value = random.int(20, 60);
  const known = library.settings.get(name) ?? { value: new Uncertain(DEFAULTS[name]), isBusy: false };
  library.settings.set(name, known);
  if (known.isBusy) return;
  known.isBusy = true;
  await known.value.set(value, () => server.client.call('patchSettings', { body: { [name]: value } }));
  known.isBusy = false;
};

/** By how often they are chosen. */
const ACTIONS: readonly (readonly [number, string, Action])[] = [
  [6, 'edit', edit],
  [3, 'upload', upload],
  [2, 'rename', rename],
  [2, 'delete a file', removeFile],
  [2, 'redact', redact],
  [1, 'delete a transcript', removeTranscript],
  [1, 'setting', setting],
];

const pickAction = (random: Random) => {
  let left = random.int(
    1,
    ACTIONS.reduce((sum, [weight]) => sum + weight, 0),
  );
  for (const [weight, name, action] of ACTIONS) {
    left -= weight;
    if (left <= 0) return { name, action };
  }
  throw new Error('The weights are counted wrong.');
};

/** Sends requests one after the other until the server is gone; counts those that were acknowledged. */
export const actUntilKilled = async (
  server: TestServer,
  library: Library,
  random: Random,
  counts: Map<string, number>,
  isKilled: () => boolean,
): Promise<void> => {
  while (!isKilled()) {
    const { name, action } = pickAction(random);
    try {
      await action(server, library, random);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    } catch (error) {
      // `fetch` rejects with a TypeError where the connection breaks; an answer with an error is a finding.
      if (!(isKilled() || error instanceof TypeError)) throw error;
      return;
    }
  }
};
