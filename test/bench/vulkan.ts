// Beside each other: the demonstration models on the processor and on this machine's Vulkan device, which may be Mesa's software
// (apt-get install mesa-vulkan-drivers), with the trial's verdict.
//
//   node native/build.mjs --portable --vulkan
//   node test/bench/vulkan.ts [RECORDING …]

import { basename } from 'node:path';
import { DEADLINES, tryDevice } from '../../electron/core/engines/whisper/devices/trial.ts';
import { chooseDevice } from '../../electron/core/engines/whisper/devices/types.ts';
import { forkNodeWorker } from '../../electron/core/engines/worker/client.ts';
import { STARTER_MODEL, STARTER_PARAKEET, WORKER_ENTRY } from '../support/paths.ts';
import { fixturePcm } from '../support/pcm.ts';
import { realVulkan } from '../support/vulkan.ts';

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const vulkan = await realVulkan();
if ('reason' in vulkan) throw new Error(vulkan.reason);
const { addonPath, device } = vulkan;
const fork = () => forkNodeWorker(WORKER_ENTRY)(['whisper', addonPath]);
const recordings = process.argv.length > 2 ? process.argv.slice(2) : ['01-short-note.wav'];

say(`${device.name} (${device.kind}), ${device.driver}\n`);
say('| model | recording | text | processor | Vulkan | auto runs it on | because |');
say('|---|---|---|---|---|---|---|');
for (const recording of recordings) {
  const pcm = fixturePcm(recording);
  for (const modelPath of [STARTER_MODEL, STARTER_PARAKEET]) {
    const trial = await tryDevice(
      { fork, deadlines: { ...DEADLINES, deviceMs: 3_600_000 } },
      { modelPath, pcm, copies: 1, params: { language: 'auto', threads: 1, beamSize: 5 } },
      new AbortController().signal,
    );
    const chosen = chooseDevice({ setting: 'auto', hasLibrary: true, found: { device } }, trial, false);
    const [cpu, gpu] = [trial.cpuSeconds, trial.deviceSeconds].map((time) =>
      time === null ? '–' : `${time.toFixed(2)} s`,
    );
    const text = trial.deviceSeconds === null ? '–' : trial.outcome === 'different' ? 'differs' : 'equal';
    const because = [trial.outcome, trial.detail].filter((part) => part !== null).join(': ');
    say(`| ${basename(modelPath)} | ${recording} | ${text} | ${cpu} | ${gpu} | ${chosen} | ${because} |`);
  }
}
