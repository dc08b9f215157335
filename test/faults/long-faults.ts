import { equal, ok } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { mean } from '../../electron/core/base/numbers.ts';
import { oneSentence, talk } from '../support/audio.ts';
import { descendants, residentMegabytes, WORKER } from '../support/processes.ts';
import type { TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { file } from '../support/url-server.ts';
import type { Fault, FaultContext } from './support/context.ts';

const RATE = 16_000;
const WAV_HEADER = 44;
const HOURS = Number(process.env.FAULT_HOURS ?? 10);
/** Seconds between two sentences. */
const MARKER_EVERY = 600;
const FIRST_MARKER = 30;
/** Silence at the start of the clip. */
const LEAD_SECONDS = 0.12;
const MAX_ERROR_SECONDS = 0.5;
const MAX_DRIFT_SECONDS = 0.1;

/** Bytes of all files below a folder. Skips files that are removed meanwhile. */
const folderBytes = async (folder: string): Promise<number> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) =>
        stat(join(entry.parentPath, entry.name)).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
};

/** Encodes hours of silence with one sentence at each marker, block by block, so that no PCM file is written. */
const makeHours = async (path: string, hours: number): Promise<number[]> => {
  const args = [
    '-v',
    'error',
    '-f',
    's16le',
    '-ar',
    String(RATE),
    '-ac',
    '1',
    '-i',
    'pipe:0',
    '-c:a',
    'flac',
  ];
  const ffmpeg = spawn('ffmpeg', [...args, '-y', path], { stdio: ['pipe', 'ignore', 'inherit'] });
  const clip = oneSentence().subarray(WAV_HEADER);
  const silence = Buffer.alloc(RATE * 2 * MARKER_EVERY);
  const markers: number[] = [];
  for (let at = 0; at < hours * 3600; at += MARKER_EVERY) {
    const block = Buffer.from(silence);
    clip.copy(block, FIRST_MARKER * RATE * 2);
    markers.push(at + FIRST_MARKER + LEAD_SECONDS);
    if (!ffmpeg.stdin.write(block)) await once(ffmpeg.stdin, 'drain');
  }
  ffmpeg.stdin.end();
  await once(ffmpeg, 'close');
  return markers;
};

type Sample = { readonly memory: number; readonly disk: number; readonly percent: number };

/** Samples memory and disk every second until the job ends; half way, kills the server and starts another. */
const watch = async (
  context: FaultContext,
  first: TestServer,
  id: string,
): Promise<{ server: TestServer; samples: Sample[]; killedAt: number }> => {
  const samples: Sample[] = [];
  let server = first;
  let killedAt = 0;
  for (;;) {
    const { status, progress } = await context.get(server, id);
    if (status !== 'processing') return { server, samples, killedAt };
    const percent = progress?.percent ?? 0;
    const workers = descendants(server.pid).filter(({ command }) => WORKER.test(command));
    samples.push({
      memory: residentMegabytes([server.pid, ...workers.map(({ pid }) => pid)]),
      disk: await folderBytes(server.dataDir),
      percent,
    });
    if (percent > 50 && killedAt === 0) {
      killedAt = percent;
      await context.kill(server);
      server = await context.start({ dataDir: server.dataDir });
    }
    await delay(1000);
  }
};

const maxMemory = (samples: readonly Sample[], from: number, to: number): number =>
  Math.max(
    0,
    ...samples.filter(({ percent }) => percent >= from && percent < to).map(({ memory }) => memory),
  );

export const longFaults: readonly Fault[] = [
  {
    name: 'a 30-minute recording with ten kills on the way',
    quick: false,
    run: async (context) => {
      let server = await context.start();
      const url = context.urls.set('/half-hour.wav', file(talk(1800, 15)));
      const whole = await context.ended(server, await context.submit(server, url), 900_000);
      const id = await context.submit(server, url);
      for (let kills = 0; kills < 10; kills++) {
        const { segments } = await context.get(server, id);
        await context.reached(server, id, 'transcribing', segments.length + 2);
        await delay(context.random.int(0, 499));
        equal((await context.get(server, id)).status, 'processing', `ended before kill number ${kills + 1}`);
        await context.kill(server);
        server = await context.start({ dataDir: server.dataDir });
      }
      const resumed = await context.ended(server, id, 900_000);
      equal(resumed.text, whole.text);
      equal(JSON.stringify(resumed.segments), JSON.stringify(whole.segments));
      await context.expectNoOrphans(server);
      return `${whole.segments.length} segments, identical in text and times`;
    },
  },
  {
    name: `${HOURS} hours of audio`,
    quick: false,
    run: async (context) => {
      const folder = temporaryFolder();
      const path = join(folder, 'long.flac');
      const markers = await makeHours(path, HOURS);
      const body = await readFile(path);
      const fresh = await context.start();
      const sentence = context.urls.set('/sentence.wav', file(oneSentence()));
      const alone = await context.ended(fresh, await context.submit(fresh, sentence));
      const started = performance.now();
      const id = await context.submit(fresh, context.urls.set('/long.flac', file(body)));
      const { server, samples, killedAt } = await watch(context, fresh, id);
      ok(killedAt > 0, 'killed half way');
      const took = (performance.now() - started) / 1000;
      const transcript = await context.ended(server, id);
      equal(transcript.status, 'completed', transcript.error?.message);
      equal(transcript.duration, HOURS * 3600);
      equal(transcript.segments.length, markers.length, 'one segment per marker');
      for (const { text } of transcript.segments) equal(text, alone.text, 'no word is missing or added');
      const errors = markers.map((at, index) => (transcript.segments[index]?.start ?? 0) - at);
      const largest = Math.max(...errors.map(Math.abs));
      ok(largest < MAX_ERROR_SECONDS, `a time is ${largest.toFixed(2)} s off`);
      const half = errors.length / 2;
      const drift = mean(errors.slice(half)) - mean(errors.slice(0, half));
      ok(Math.abs(drift) < MAX_DRIFT_SECONDS, `times drift by ${drift.toFixed(3)} s`);
      const [early, late] = [maxMemory(samples, 15, 40), maxMemory(samples, 60, 96)];
      ok(late < early * 1.25 + 30, `memory grew from ${early.toFixed(0)} to ${late.toFixed(0)} MB`);
      const disk = Math.max(...samples.map((sample) => sample.disk)) - body.length;
      ok(disk < 40e6, `${disk} bytes on the disk beside the recording`);
      const asked = performance.now();
      await server.client.call('getSentences', { params: { id } });
      const sentences = performance.now() - asked;
      ok(sentences < 1000, `the sentences took ${sentences.toFixed(0)} ms`);
      await context.expectNoOrphans(server);
      return `${took.toFixed(0)} s, killed at ${killedAt.toFixed(0)} %; largest error ${(largest * 1000).toFixed(0)} ms; memory at most ${early.toFixed(0)} MB early, ${late.toFixed(0)} MB late; ${(disk / 1e6).toFixed(1)} MB of disk beside the recording; drift between the halves ${(drift * 1000).toFixed(0)} ms; sentences in ${sentences.toFixed(0)} ms`;
    },
  },
];
