import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runEarshot, runHere } from '../../support/command-line.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { storeTalk } from '../../support/written-talk.ts';

let server: TestServer;
let id: string;

// One service for all of these commands, each of which would start its own.
beforeAll(async () => {
  const dataDir = temporaryFolder();
  id = storeTalk(dataDir, 'Talk', [['A', 'Ask Clark.', 'Ask Clark.', 'Ask Ortiga.', 'Ask Ortiga.']]);
  server = await startServer({ dataDir });
});
afterAll(() => discard(server));

const earshot = (...args: string[]) => runHere(server.dataDir, 'vocabulary', ...args);

const stored = async () => (await server.client.call('getVocabulary')).data.terms;

it('earshot vocabulary imports a file and exports the same', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'terms.txt');
  const empty = await runEarshot(server.dataDir, 'vocabulary', 'export');
  expect(empty).toMatchObject({ code: 0, out: '' });
  const terms = 'Nguyen ^2\nkubectl = cube control; cubectl\n山田太郎\n';
  writeFileSync(file, `# Names\n\n${terms}`);
  expect((await earshot('import', file)).err).toContain('3 terms from now on.');
  expect((await earshot('export')).out).toBe(terms);
  const imported = await stored();
  writeFileSync(file, 'Ana\n---\n');
  const refused = await earshot('import', file);
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('term 2: must contain a letter')]);
  expect((await earshot('import', join(folder, 'none.txt'))).code).toBe(2);
  expect(await stored()).toEqual(imported);
});

it('earshot vocabulary lists, adds and dismisses suggested terms', async () => {
  await server.client.call('putVocabulary', { body: { terms: [] } });
  expect((await earshot('suggestions')).err).toContain('Suggestions are off');
  expect((await earshot('suggestions', '--on')).err).toContain('No suggestions yet.');
  const texts = ['Ask Klarke.', 'Ask Klarke.', 'Ask Ortega.', 'Ask Ortega.'];
  const segments = texts.map((text, place) => ({ id: place, text }));
  await server.client.call('patchTranscript', { params: { id }, body: { segments } });
  const { data } = await server.client.call('listTermSuggestions');
  const idOf = (wanted: string) => data.suggestions.find(({ term }) => term === wanted)?.id ?? '';
  expect((await earshot('suggestions')).out).toMatch(
    /^ID +HEARD +TERM +PLACES\n(cor_\w+ +\w+ +\w+ +2\n){2}$/,
  );
  expect((await earshot('accept', idOf('Klarke'))).err).toContain('1 term from now on.');
  expect((await earshot('dismiss', idOf('Ortega'))).err).toContain('not suggested again');
  expect(await stored()).toMatchObject([{ term: 'Klarke', sounds_like: ['Clark'] }]);
  expect((await server.client.call('listTermSuggestions')).data.suggestions).toEqual([]);
  const unknown = await earshot('accept', idOf('Ortega'));
  expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('no such suggestion')]);
  expect((await earshot('suggestions', '--off')).err).toContain('Suggestions are off');
  expect((await earshot('suggestions', '--on', '--off')).code).toBe(2);
});
