// How much memory the server and its engine need while a recording of 8 channels is transcribed, over its length.
//
//   node test/bench/channel-memory.ts [minutes]

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { discard, startServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { memory, upload } from './measure.ts';
import { spokenWav } from './recordings.ts';

const run = promisify(execFile);
const LAYOUT = ['FL', 'FR', 'FC', 'LFE', 'BL', 'BR', 'SL', 'SR'];
const CHANNELS = LAYOUT.length;
/** Each channel speaks for so long in turn. */
const TURN_SECONDS = 10;
const SAMPLE_MS = 1000;
const PARTS = 10;

const minutes = Number(process.argv[2] ?? 20);
const folder = temporaryFolder();

const eightChannels = async (): Promise<string> => {
  const mono = await spokenWav(folder, 'mono', minutes * 60);
  const path = join(folder, 'channels.wav');
  const round = CHANNELS * TURN_SECONDS;
  const names = Array.from({ length: CHANNELS }, (_, channel) => `c${channel}`);
  const map = LAYOUT.map((name, channel) => `${channel}.0-${name}`).join('|');
  const graph = [
    `[0:a]aformat=channel_layouts=mono,asplit=${CHANNELS}${names.map((name) => `[${name}]`).join('')}`,
    ...names.map((name, channel) => {
      const from = channel * TURN_SECONDS;
      return `[${name}]volume=0:enable='not(between(mod(t,${round}),${from},${from + TURN_SECONDS}))'[v${name}]`;
    }),
    `${names.map((name) => `[v${name}]`).join('')}join=inputs=${CHANNELS}:channel_layout=7.1:map=${map}[all]`,
  ].join(';');
  await run('ffmpeg', ['-v', 'error', '-y', '-i', mono, '-filter_complex', graph, '-map', '[all]', path]);
  return path;
};

const path = await eightChannels();
const server = await startServer();
const audioUrl = await upload(server, path);
const body = { audio_url: audioUrl, model: 'starter-parakeet', language: 'en', multichannel: true };
const { id } = await server.client.call('createTranscript', { body });
const samples: { readonly percent: number; readonly server: number; readonly worker: number }[] = [];
for (;;) {
  // Without the text, whose answers would need memory of their own.
  const { data } = await server.client.call('listTranscripts', { query: {} });
  const { status, progress } = data.transcriptions.find((each) => each.id === id) ?? {};
  if (status !== 'processing') break;
  samples.push({ percent: progress?.percent ?? 0, ...memory(server) });
  await delay(SAMPLE_MS);
}
const { segments = [], warnings } = await server.client.call('getTranscript', { params: { id } });
process.stdout.write(
  `${minutes} minutes, ${CHANNELS} channels, ${segments.length} segments ${warnings.join(' ')}\n`,
);
process.stdout.write('progress   server   engine (MB, the most)\n');
for (let part = 0; part < PARTS; part++) {
  const [from, to] = [(100 * part) / PARTS, (100 * (part + 1)) / PARTS];
  const own = samples.filter(({ percent }) => percent >= from && (percent < to || to === 100));
  const most = (key: 'server' | 'worker') => Math.max(0, ...own.map((sample) => sample[key]));
  process.stdout.write(
    `${`${from} %`.padStart(8)} ${String(most('server')).padStart(8)} ${String(most('worker')).padStart(8)}\n`,
  );
}
await discard(server);
