// `node test/bench/long-text.ts [--hours 10]`: how long the service takes to answer with a very long text.

import { parseArgs } from 'node:util';
import { spokenFor, storeTranscript } from '../support/long-transcript.ts';
import { discard, startServer } from '../support/server.ts';
import { median } from './measure.ts';

const RUNS = 5;

const { values } = parseArgs({ options: { hours: { type: 'string', default: '10' } } });
const hours = Number(values.hours);
const first = await startServer();
await first.stop();
const segments = spokenFor(hours);
const ALL = { entity_detection: true, topics: true, summarization: true, content_safety: true };
const id = storeTranscript(first.dataDir, segments, { timestamp_style: 'word', ...ALL });
const server = await startServer({ dataDir: first.dataDir });
const base = `/v1/transcript/id/${id}`;
const PATHS = [
  ['sentences', `${base}/sentences`],
  ['the transcript with words', base],
  ...['srt', 'vtt', 'txt', 'json', 'docx'].map((format) => [
    `export as ${format}`,
    `${base}/export?format=${format}`,
  ]),
] as const;
process.stdout.write(
  `${hours} hours, ${segments.reduce((sum, { words }) => sum + words.length, 0)} words, ${segments.length} segments\n\n`,
);

/** Prints a row: the first time and the median of the following ones, in milliseconds. */
const measure = async (name: string, send: (run: number) => Promise<Response>): Promise<void> => {
  const times: number[] = [];
  let bytes = 0;
  for (let run = 0; run <= RUNS; run++) {
    const started = performance.now();
    const response = await send(run);
    bytes = (await response.arrayBuffer()).byteLength;
    times.push(performance.now() - started);
    if (response.status !== 200) throw new Error(`${name}: ${response.status}`);
  }
  const [first = 0, ...later] = times;
  process.stdout.write(
    `| ${name} | ${(bytes / 1e6).toFixed(1)} MB | ${first.toFixed(0)} ms | ${median(later).toFixed(0)} ms |\n`,
  );
};

process.stdout.write(`| answer | size | first | median of ${RUNS} |\n|---|---|---|---|\n`);
for (const [name = '', path = ''] of PATHS) await measure(name, () => server.fetch(path));
await measure('one edit', (run) =>
  server.fetch(base, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ segments: [{ id: 7, text: `We met Anna Bell in room ${run}.` }] }),
  }),
);
await measure('one name', (run) =>
  server.fetch(base, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: `Meeting ${run}` }),
  }),
);
await discard(server);
