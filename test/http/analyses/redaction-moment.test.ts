import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AnalyzeTranscript } from '../../../electron/contract/transcript.ts';
import { EventReader } from '../../support/event-reader.ts';
import { fillTranscripts } from '../../support/fill-transcripts.ts';
import { secretsInFolder, turnOffBackups } from '../../support/secrets.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { transcribe } from '../../support/transcribe.ts';
import { startUrlServer, type UrlServer } from '../../support/url-server.ts';
import { storeTalk } from '../../support/written-talk.ts';

/** Many enough that merging the search index takes longer than a request waits for it. */
const TRANSCRIPTS = 2000;
/** Names without their beginnings, which the index shares between neighboring words. */
const TRACES = ['uetzalcoatl', 'ylophonist'];
/** A first name and a last name that `starter-parakeet` hears in the recording. */
const HEARD = ['maria', 'lopez'];

let server: TestServer;
let remote: UrlServer;
let id: string;

beforeAll(async () => {
  const dataDir = temporaryFolder();
  // The private words are in the oldest part of the index and, once edited, in the newest.
  id = storeTalk(dataDir, 'A talk', [['A', 'My name is Xylophonist Quetzalcoatl.']]);
  fillTranscripts(dataDir, TRANSCRIPTS);
  [server, remote] = await Promise.all([
    startServer({ dataDir, quick: true, model: 'starter-parakeet' }),
    startUrlServer(),
  ]);
  await turnOffBackups(server);
  const segments = [{ id: 0, text: 'My name is Xylophonist Quetzalcoatl, as I said.' }];
  await server.client.call('patchTranscript', { params: { id }, body: { segments } });
});
afterAll(async () => {
  await Promise.all([discard(server), remote.close()]);
});

/** Which of the words are in which file at the moment in which the transcript is announced as completed. */
const heldAtTheEnd = async (words: readonly string[], act: () => Promise<string>): Promise<string[]> => {
  const events = await EventReader.open(server.url, server.key);
  try {
    const made = await act();
    for (;;) {
      const { type, data } = await events.next();
      if (type === 'transcript.failed') throw new Error(data.transcript.error?.message);
      if (type === 'transcript.completed' && data.transcript.id === made) {
        return secretsInFolder(server.dataDir, words);
      }
    }
  } finally {
    events.close();
  }
};

describe(`in a library of ${TRANSCRIPTS} transcripts, no file holds a private word once`, () => {
  it('a recording is completed that was redacted', async () => {
    const asked = {
      redact_pii: true,
      redact_pii_sub: 'mask',
      // Both names are said by then.
      audio_end_at: 4,
      wait_until_complete: false,
    } as const;
    let made = '';
    const held = await heldAtTheEnd(HEARD, async () => {
      ({ id: made } = await transcribe(server, remote, '04-personal-data.m4a', asked));
      return made;
    });
    expect(held).toEqual([]);
    const t = await server.client.call('getTranscript', { params: { id: made } });
    expect(t.text).toMatch(/my name is \*{5} \*{5}/);
  });

  it('a stored transcript is redacted', async () => {
    expect(secretsInFolder(server.dataDir, TRACES)).not.toEqual([]);
    const body = AnalyzeTranscript.parse({ redact_pii: true, redact_pii_sub: 'remove' });
    const held = await heldAtTheEnd(TRACES, async () => {
      await server.client.call('analyzeTranscript', { params: { id }, body });
      return id;
    });
    expect(held).toEqual([]);
    const t = await server.client.call('getTranscript', { params: { id } });
    expect(t.text).not.toContain('Quetzalcoatl');
  });
});
