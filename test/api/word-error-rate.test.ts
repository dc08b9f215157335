import { afterAll, beforeAll, expect, it } from 'vitest';
import { fixture, fixturePath, RECORDINGS, truth } from '../support/fixtures.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { file, startUrlServer, type UrlServer } from '../support/url-server.ts';
import { whisperCliText } from '../support/whisper-cli.ts';
import { plainWords, wordErrors } from '../support/word-error-rate.ts';

let server: TestServer;
let remote: UrlServer;

beforeAll(async () => {
  [server, remote] = await Promise.all([startServer(), startUrlServer()]);
});
afterAll(async () => {
  await Promise.all([discard(server), remote.close()]);
});

const heardByEarshot = async (name: string): Promise<string> => {
  const audio_url = remote.set(`/${name}`, file(fixture(name)));
  const { text } = await server.client.call('createTranscript', {
    body: { audio_url, wait_until_complete: true },
  });
  return text;
};

it('from HTTP to text, the word error rate is that of whisper.cpp’s own program to within a point', async () => {
  const sums = { words: 0, earshot: 0, whisper: 0 };
  const rows: string[] = [];
  for (const name of RECORDINGS) {
    const said = plainWords(truth(name).text);
    const earshot = wordErrors(said, plainWords(await heardByEarshot(name)));
    const whisper = wordErrors(said, plainWords(await whisperCliText(fixturePath(name))));
    sums.words += said.length;
    sums.earshot += earshot;
    sums.whisper += whisper;
    rows.push(
      `${name.padEnd(28)} ${String(said.length).padStart(5)} words  Earshot ${earshot}  whisper.cpp ${whisper}`,
    );
  }
  const rate = (errors: number) => (100 * errors) / sums.words;
  rows.push(
    `word error rate: Earshot ${rate(sums.earshot).toFixed(2)} %, whisper.cpp ${rate(sums.whisper).toFixed(2)} %`,
  );
  console.log(rows.join('\n'));
  expect(rate(sums.earshot)).toBeLessThanOrEqual(rate(sums.whisper) + 1);
}, 900_000);
