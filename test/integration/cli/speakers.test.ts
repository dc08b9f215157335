import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runEarshot, runHere } from '../../support/command-line.ts';
import { segmentOf, storeTranscript } from '../../support/long-transcript.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let server: TestServer;
/** Four segments, of A and B in turn. */
let id: string;
let undiarized: string;

beforeAll(async () => {
  const dataDir = temporaryFolder();
  const segments = ['Good morning.', 'Hello Maria.', 'How are you?', 'Very well.'].map((said, index) => {
    const speaker_id = index % 2 === 0 ? 'A' : 'B';
    const segment = segmentOf(index, 2 * index, said.split(' '));
    return { ...segment, speaker_id, words: segment.words.map((word) => ({ ...word, speaker_id })) };
  });
  const speakers = Object.fromEntries(
    ['A', 'B'].map((label) => [label, { name: `Speaker ${label}`, talk_seconds: 1, share: 0.5 }]),
  );
  id = storeTranscript(dataDir, segments, { diarize: true, name: '朝の会議' }, { analysis: { speakers } });
  undiarized = storeTranscript(dataDir, segments.slice(0, 1), {}, { createdAt: Date.now() - 60_000 });
  server = await startServer({ dataDir, quick: true });
});
afterAll(() => discard(server));

const earshot = (...args: string[]) => runHere(server.dataDir, ...args);

type Mistake = [args: string[], code: number, message: string];

const lines = (out: string) => out.trimEnd().split('\n');

/** Labels and names. */
const speakersOf = (out: string) =>
  lines(out)
    .slice(1)
    .map((line) => line.split(/ {2,}/).slice(0, 2));

const saidBy = async (): Promise<(string | null)[]> => {
  const { segments } = await server.client.call('getTranscript', { params: { id } });
  return segments.map(({ speaker_id }) => speaker_id);
};

describe('earshot transcripts', () => {
  it('lists the latest transcripts', async () => {
    const { code, out } = await runEarshot(server.dataDir, 'transcripts', 'list');
    const [head, first, second] = lines(out);
    expect([code, head?.split(/ {2,}/)]).toEqual([0, ['ID', 'CREATED', 'LENGTH', 'STATUS', 'NAME']]);
    expect([first, second].map((line) => line?.split(' ')[0])).toEqual([id, undiarized]);
    expect(first).toMatch(/completed\s+朝の会議$/);
    expect(lines((await earshot('transcripts', 'list', '--limit', '1')).out)).toHaveLength(2);
    expect((await earshot('transcripts', 'list', '--limit', '0')).code).toBe(2);
  });

  it('shows the segments with their numbers and speakers', async () => {
    const { out } = await earshot('transcripts', 'show', id);
    expect(lines(out)[1]).toMatch(/^1\s+\[00:00\.\d → 00:0\d\.\d\]\s+Speaker B\s+Hello Maria\.$/);
    expect(lines((await earshot('transcripts', 'show', undiarized)).out)[0]).toMatch(/\]\s+Good morning\.$/);
  });
});

describe('earshot speakers', () => {
  it('renames, moves, splits and merges, and takes each back', async () => {
    expect(speakersOf((await earshot('speakers', 'rename', id, 'A', 'Maria')).out)).toEqual([
      ['A', 'Maria'],
      ['B', 'Speaker B'],
    ]);
    await earshot('speakers', 'move', id, '0, 2-3', 'B');
    expect(await saidBy()).toEqual(['B', 'B', 'B', 'B']);
    const split = await earshot('speakers', 'split', id, 'B', '1,3', '--name', 'Ann');
    expect(speakersOf(split.out)).toContainEqual(['C', 'Ann']);
    expect(await saidBy()).toEqual(['B', 'C', 'B', 'C']);
    await earshot('speakers', 'merge', id, 'C', 'A');
    expect(await saidBy()).toEqual(['B', 'A', 'B', 'A']);
    expect(speakersOf((await earshot('speakers', 'add', id, 'Li')).out)).toContainEqual(['C', 'Li']);
    expect((await earshot('transcripts', 'undo', id)).code).toBe(0);
    for (let undone = 1; undone < 4; undone++) await server.client.call('undoEdit', { params: { id } });
    expect(await saidBy()).toEqual(['A', 'B', 'A', 'B']);
    expect((await earshot('transcripts', 'redo', id)).err).toContain('There are more edits to redo.');
    expect(await saidBy()).toEqual(['B', 'B', 'B', 'B']);
  });

  it.each<Mistake>([
    [['move', '3-z', 'A'], 2, '3-z: write numbers of segments as in 3,5-9.'],
    [['move', '99', 'A'], 2, 'There is no segment 99.'],
    [['merge', 'A', 'Z'], 2, 'There is no speaker Z.'],
  ])('says what is wrong with %j', async ([command = '', ...args], code, message) => {
    const result = await earshot('speakers', command, id, ...args);
    expect([result.code, result.out]).toEqual([code, '']);
    expect(result.err).toContain(message);
  });

  it('says where there are none', async () => {
    const { code, out, err } = await earshot('speakers', 'list', undiarized);
    expect([code, out]).toEqual([0, '']);
    expect(err).toContain('transcribe --speakers');
    expect((await earshot('speakers', 'list', 'tr_01JZZZZZZZZZZZZZZZZZZZZZZZ')).code).toBe(1);
  });
});
