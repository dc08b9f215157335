import { availableParallelism, loadavg } from 'node:os';
import { discard, startServer } from '../support/server.ts';
import { onBusyCores } from './busy-cores.ts';
import { type Cost, costTo, medianCost, transcribe, upload } from './measure.ts';
import { spokenWav } from './recordings.ts';

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const costOf = async (wav: string, threads: number, parallel: number, runs: number): Promise<Cost> => {
  const server = await startServer();
  await server.client.call('patchSettings', {
    body: { 'engine.threads': threads, 'engine.parallel': parallel },
  });
  await server.stop();
  const tuned = await startServer({ dataDir: server.dataDir });
  const url = await upload(tuned, wav);
  await transcribe(tuned, url);
  const costs: Cost[] = [];
  for (let i = 0; i < runs; i++) costs.push(await costTo(tuned.pid, () => transcribe(tuned, url)));
  await discard(tuned);
  return medianCost(costs);
};

/** Threads by chunks in parallel, over one file of two minutes, warm, beside `busy` programs that each keep a core busy. */
export const sweepParallelism = async (folder: string, runs: number, busy: number): Promise<void> => {
  const wav = await spokenWav(folder, 'two', 120);
  const cores = availableParallelism();
  const load = loadavg()[0]?.toFixed(1);
  say(
    `\nthreads × chunks in parallel, one file of two minutes, warm; ${busy} busy programs beside it, load ${load}:`,
  );
  const sweep = async (): Promise<void> => {
    for (const threads of [1, 2].filter((t) => t <= cores)) {
      for (const parallel of [1, 2, 4].filter((p) => p <= cores)) {
        const { wall, cpu } = await costOf(wav, threads, parallel, runs);
        say(
          `  ${threads} × ${parallel}: ${wall.toFixed(1)} s, processor time of the service ${cpu.toFixed(1)} s`,
        );
      }
    }
  };
  await onBusyCores(sweep, busy);
};
