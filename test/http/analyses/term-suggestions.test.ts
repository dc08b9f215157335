import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AnalyzeTranscript } from '../../../electron/contract/transcript.ts';
import { filesHolding } from '../../support/secrets.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { storeTalk } from '../../support/written-talk.ts';

let server: TestServer;
const talks: string[] = [];
let id: string;

/** Twelve places at which the same was misheard, and one at which it was heard otherwise. */
const HEARD = 'My name’s Zebulon, and he said so.';
const TALK = [['A', ...Array.from({ length: 12 }, () => HEARD), 'Nobody met cube control here.']] as const;

beforeAll(async () => {
  const dataDir = temporaryFolder();
  for (let talk = 0; talk < 40; talk++) talks.push(storeTalk(dataDir, `Talk ${talk}`, TALK));
  server = await startServer({ dataDir, quick: true, model: 'starter-parakeet' });
});
afterAll(() => discard(server));

const allow = (enabled: boolean) => server.client.call('patchTermSuggestions', { body: { enabled } });
const list = async (client = server.client) => (await client.call('listTermSuggestions')).data;
const terms = async () => (await server.client.call('getVocabulary')).data.terms;
const write = (place: number, text: string, transcript = id) =>
  server.client.call('patchTranscript', {
    params: { id: transcript },
    body: { segments: [{ id: place, text }] },
  });
const undo = () => server.client.call('undoEdit', { params: { id }, body: {} });
const redo = () => server.client.call('redoEdit', { params: { id }, body: {} });
const forgetEdits = () => server.client.call('forgetEdits', { params: { id } });
const talk = (): string => talks.pop() ?? '';
/** `heard → term (count)` of each. */
const told = async () =>
  (await list()).suggestions.map(({ heard, term, count }) => `${heard} → ${term} (${count})`);
const first = async () => (await list()).suggestions[0]?.id ?? '';

beforeEach(async () => {
  id = talk();
  await server.client.call('putVocabulary', { body: { terms: [] } });
  await allow(false);
  await allow(true);
});

describe('a word that was corrected twice in the same way', () => {
  it('is not counted until that is asked for', async () => {
    await allow(false);
    await write(0, 'My name’s Sebulaun, and he said so.');
    await write(1, 'My name’s Sebulaun, and he said so.');
    expect(await list()).toEqual({ enabled: false, suggestions: [] });
    await allow(true);
    expect(await list()).toEqual({ enabled: true, suggestions: [] });
  });

  it('is suggested to the user who corrected it, and not added', async () => {
    await write(0, 'My name’s Sebulaun, and he said so.');
    expect(await told()).toEqual([]);
    await write(0, 'My name’s Sebulaun, and he said so.', talk());
    expect(await told()).toEqual(['Zebulon → Sebulaun (2)']);
    expect(await terms()).toEqual([]);
    const { data } = await server.client.call('createUser', { body: { name: 'Another' } });
    const other = server.as(data.key.key);
    expect(await list(other)).toEqual({ enabled: false, suggestions: [] });
    await expect(other.call('acceptTermSuggestion', { params: { id: await first() } })).rejects.toMatchObject(
      { status: 404, code: 'suggestion_not_found' },
    );
    const { dataDir } = server;
    await server.stop();
    server = await startServer({ dataDir, quick: true, model: 'starter-parakeet' });
    expect(await told()).toEqual(['Zebulon → Sebulaun (2)']);
  });

  it('counts each place once, however it is typed, and none that was undone', async () => {
    for (const word of ['Se', 'Sebul', 'Sebulaun']) await write(0, `My name’s ${word}, and he said so.`);
    await write(1, 'My name’s Sebulaun, and he said so.');
    expect(await told()).toEqual(['Zebulon → Sebulaun (2)']);
    await undo();
    expect(await told()).toEqual([]);
    await redo();
    expect(await told()).toEqual(['Zebulon → Sebulaun (2)']);
    await write(1, HEARD);
    expect(await told()).toEqual([]);
    await write(1, 'My name’s Sebulaun, and he said so.');
    await write(1, 'My name’s him, and he said so.');
    expect(await told()).toEqual([]);
  });

  it('goes with a word whose times were moved', async () => {
    for (const place of [0, 1]) await write(place, 'My name’s Sebulaun, and he said so.');
    await server.client.call('patchTranscript', {
      params: { id },
      body: { segments: [{ id: 1, times: [{ word: 2, start: 3.9 }] }] },
    });
    expect(await told()).toEqual(['Zebulon → Sebulaun (2)']);
    await write(1, 'My name’s Sibelius, and he said so.');
    expect(await told()).toEqual([]);
    await write(0, 'My name’s Sibelius, and he said so.');
    expect(await told()).toEqual(['Zebulon → Sibelius (2)']);
  });

  it('is not learned from an undo of what was corrected before that was allowed', async () => {
    await allow(false);
    for (const place of [0, 1]) await write(place, 'My name’s Sebulaun, and he said so.');
    await allow(true);
    await undo();
    await undo();
    expect(await told()).toEqual([]);
  });

  it('may have been heard as several words', async () => {
    const other = talk();
    for (const transcript of [id, other]) await write(12, 'Nobody met kubectl here.', transcript);
    expect(await told()).toEqual(['cube control → kubectl (2)']);
    const { data } = await server.client.call('acceptTermSuggestion', { params: { id: await first() } });
    expect(data.terms).toEqual([{ term: 'kubectl', sounds_like: ['cube control'] }]);
    expect(await told()).toEqual([]);
  });

  it.each<[string, string]>([
    ['the case alone', 'My name’s ZEBULON, and he said so.'],
    ['punctuation alone', 'My name’s “Zebu-lon”: and he said so.'],
    ['a number', 'My name’s 21st, and he said so.'],
    ['a mask', 'My name’s [PERSON_NAME], and he said so.'],
    ['asterisks', 'My name’s Z******, and he said so.'],
    ['a common word', 'My name’s somebody, and he said so.'],
    ['removed words', 'My name’s.'],
    ['another sentence', 'Perhaps Sebulaun knows what it was that Marmaduke told Ottoline yesterday.'],
  ])('is not learned from %s', async (_, text) => {
    for (const place of [0, 1, 2]) await write(place, text);
    expect(await told()).toEqual([]);
  });

  it('is not learned from words that a person wrote', async () => {
    for (const place of [0, 1]) {
      await write(place, 'My name’s Zebulon, and Ottoline, and he said so.');
      await write(place, 'My name’s Zebulon, and Otti, and he said so.');
    }
    expect(await told()).toEqual([]);
  });
});

describe('a suggested term', () => {
  beforeEach(async () => {
    for (const place of [0, 1]) await write(place, 'My name’s Sebulaun, and he said so.');
  });

  it('is added when it is accepted, and not suggested again', async () => {
    await server.client.call('putVocabulary', {
      body: { terms: ['Nguyen', { term: 'Sebulaun', weight: 2 }] },
    });
    const params = { id: await first() };
    const { data } = await server.client.call('acceptTermSuggestion', { params });
    const accepted = ['Nguyen', { term: 'Sebulaun', weight: 2, sounds_like: ['Zebulon'] }];
    expect(data.terms).toEqual(accepted);
    expect(await terms()).toEqual(accepted);
    await expect(server.client.call('acceptTermSuggestion', { params })).rejects.toMatchObject({
      code: 'suggestion_not_found',
    });
    await server.client.call('putVocabulary', { body: { terms: [] } });
    await write(2, 'My name’s Sebulaun, and he said so.');
    expect(await told()).toEqual([]);
  });

  it('does not say of a common word that it is a mishearing', async () => {
    const other = talk();
    for (const transcript of [id, other]) await write(12, 'Nobody met cube control Herrera.', transcript);
    const { suggestions } = await list();
    const { id: found = '' } = suggestions.find(({ term }) => term === 'Herrera') ?? {};
    const { data } = await server.client.call('acceptTermSuggestion', { params: { id: found } });
    expect(data.terms).toEqual(['Herrera']);
    expect(await told()).toEqual(['Zebulon → Sebulaun (2)']);
  });

  it('does not fit a full list', async () => {
    const full = Array.from({ length: 1000 }, (_, index) => `Term ${index}`);
    await server.client.call('putVocabulary', { body: { terms: full } });
    await expect(
      server.client.call('acceptTermSuggestion', { params: { id: await first() } }),
    ).rejects.toMatchObject({ status: 409, code: 'conflict' });
    expect(await told()).toEqual(['Zebulon → Sebulaun (2)']);
  });

  it('is not suggested again once it was dismissed', async () => {
    await server.client.call('dismissTermSuggestion', { params: { id: await first() } });
    expect(await told()).toEqual([]);
    await write(2, 'My name’s Sebulaun, and he said so.');
    await write(3, 'My name’s Sebulaun, and he said so.');
    expect(await told()).toEqual([]);
    expect(await terms()).toEqual([]);
  });
});

describe('what was learned', () => {
  /** A word of which one transcript, its edits and what is learned from them are all that there is. */
  const teach = async (name: string) => {
    for (const place of [0, 1]) await write(place, `My name’s ${name}, and he said so.`);
    expect(await told()).toEqual([`Zebulon → ${name} (2)`]);
  };
  const goneFromDisk = (name: string) =>
    until(() => filesHolding(server.dataDir, Buffer.from(name.slice(1))).length === 0);

  it('is forgotten with the transcription, in every file', async () => {
    await teach('Xylophonist');
    await server.client.call('deleteTranscript', { params: { id } });
    expect(await told()).toEqual([]);
    await goneFromDisk('Xylophonist');
  });

  it('is forgotten with the edits, in every file', async () => {
    await teach('Quetzalcoatl');
    for (const place of [0, 1]) await write(place, 'My name’s nobody, and he said so.');
    await write(2, 'My name’s Quetzalcoatl, and he said so.');
    await write(2, 'My name’s nobody, and he said so.');
    await forgetEdits();
    expect(await told()).toEqual([]);
    await goneFromDisk('Quetzalcoatl');
  });

  it('is forgotten when the text is redacted, and nothing is learned from it then', async () => {
    await teach('Zenobia');
    const redacted = await server.client.call('analyzeTranscript', {
      params: { id },
      body: AnalyzeTranscript.parse({ redact_pii: true, wait_until_complete: true }),
    });
    expect(JSON.stringify(redacted)).not.toContain('Zenobia');
    expect(await told()).toEqual([]);
    await goneFromDisk('Zenobia');
    const [kept = ''] = redacted.segments.map(({ text }) => text);
    for (const place of [0, 1, 2]) await write(place, kept.replace('said', 'Yggdrasil'));
    expect(await told()).toEqual([]);
  });

  it('is forgotten when suggestions are turned off, in every file', async () => {
    await teach('Popocatepetl');
    for (const place of [0, 1]) await write(place, 'My name’s nobody, and he said so.');
    await forgetEdits();
    id = talk();
    await teach('Huitzilopochtli');
    expect((await allow(false)).data).toEqual({ enabled: false, suggestions: [] });
    expect((await allow(true)).data.suggestions).toEqual([]);
    await server.client.call('deleteTranscript', { params: { id } });
    await Promise.all(['Popocatepetl', 'Huitzilopochtli'].map(goneFromDisk));
  });
});
