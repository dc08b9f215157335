import { deepEqual } from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { segmentOf, storeTranscript } from '../support/long-transcript.ts';
import type { Random } from '../support/random.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { actUntilKilled } from './kills/actions.ts';
import { checkLibrary } from './kills/check.ts';
import { Library, NOTE_SENTENCE, newWord, SECRET_SENTENCE, Uncertain } from './kills/library.ts';
import type { Fault, FaultContext } from './support/context.ts';

const LANES = 3;
const MAX_DELAY_MS = 500;
const NOTES = 3;
/** Of every so many transcripts one is so long that its analyses follow its edits. */
const LONG_EVERY = 12;
const LONG_NOTES = 400;

/** Adds a transcript to a data folder that no server has open. */
const addTranscript = (dataDir: string, library: Library, random: Random): void => {
  const isLong = library.transcripts.length % LONG_EVERY === 0;
  const secret = newWord(random);
  const name = newWord(random);
  const notes = Array.from({ length: isLong ? LONG_NOTES : NOTES }, () => newWord(random));
  let at = 0;
  const segments = [SECRET_SENTENCE(secret), ...notes.map(NOTE_SENTENCE)].map((text, id) => {
    const words = text.split(' ');
    at += words.length;
    return segmentOf(id, at - words.length, words);
  });
  const options = { timestamp_style: 'word', entity_detection: isLong } as const;
  const id = storeTranscript(dataDir, segments, { ...options, name });
  library.transcripts.push({
    id,
    secret,
    isThere: new Uncertain(true),
    isRedacted: new Uncertain(false),
    name: new Uncertain(name),
    notes: notes.map((note) => new Uncertain(note)),
    isBusy: false,
  });
};

/** Kills a server again and again while requests change its library, and checks all of it after each start. */
const killWhileChanging = async (context: FaultContext, kills: number): Promise<string> => {
  const { random } = context;
  const library = new Library();
  const dataDir = temporaryFolder();
  for (let n = 0; n < 11 + kills / 3; n++) addTranscript(dataDir, library, random);
  let server = await context.start({ dataDir });
  await server.client.call('patchSettings', {
    body: { 'limits.uploadsPer15Minutes': 0, 'limits.deletionsPer15Minutes': 0 },
  });
  const counts = new Map<string, number>();
  const everLive = new Set<string>();
  for (let n = 1; n <= kills; n++) {
    for (const word of library.liveWords()) everLive.add(word);
    let isKilled = false;
    // Two generations, or a kill in the middle of a copy.
    const backup = server.client.call('createBackup').catch((error: unknown) => {
      if (!isKilled) throw error;
    });
    if (n % 3 !== 0) await backup;
    const lanes = Array.from({ length: LANES }, () =>
      actUntilKilled(server, library, random, counts, () => isKilled),
    );
    await delay(random.int(5, MAX_DELAY_MS));
    isKilled = true;
    await context.kill(server);
    await Promise.all([backup, ...lanes]);
    server = await context.start({ dataDir });
    const live = library.liveWords();
    const gone = [...everLive].filter((word) => !live.has(word));
    const problems = await checkLibrary(server, library, gone, random);
    deepEqual(problems, [], `after kill ${n}`);
  }
  const acknowledged = [...counts].map(([name, count]) => `${name} ${count}`).join(', ');
  return `${kills} kills, nothing lost, nothing left; acknowledged: ${acknowledged}`;
};

export const killFaults: readonly Fault[] = [
  {
    name: 'kill -9 at a few random moments of uploads, edits, redactions, deletions and settings',
    quick: true,
    run: (context) => killWhileChanging(context, 2),
  },
  {
    name: 'kill -9 at random moments of uploads, edits, redactions, deletions and settings, --kills times',
    quick: false,
    run: (context) => killWhileChanging(context, Number(process.env.FAULT_KILLS ?? 100)),
  },
];
