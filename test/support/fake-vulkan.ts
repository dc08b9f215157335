import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vulkanLibrary } from '../../electron/core/base/layout.ts';
import { temporaryFolder } from './temporary-folder.ts';

type Mishap = 'crash' | 'hang';

/** How the fake addon behaves; read anew by each process. */
export type Behavior = {
  /** What becomes of loading the Vulkan library. `missing`: the system has no Vulkan loader. */
  readonly library?: Mishap | 'missing';
  readonly driver?: string;
  /** What becomes of a model on the graphics processor; else it is heard in so many milliseconds, each measured as 60. */
  readonly device?: Mishap | 'refuses' | number;
  /** The words that it hears there. */
  readonly text?: string;
  /** Seconds of audio beyond which it hears other words there. */
  readonly rightUpTo?: number;
  /** Milliseconds on the processor, each measured as 60; without, the real addon works there. */
  readonly cpu?: number;
};

export type FakeVulkan = {
  readonly addonPath: string;
  become(behavior: Behavior): void;
  /** What the fake was asked to do, by all processes: `library`, `load cpu`, `load vulkan`. */
  calls(): string[];
};

/** An addon beside a Vulkan library: plain JavaScript in the place of native code, which crashes and hangs for real. */
const program = (real: string | undefined): string => `
const { appendFileSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const behavior = () => JSON.parse(readFileSync(join(__dirname, 'behavior.json'), 'utf8'));
const note = (line) => appendFileSync(join(__dirname, 'calls'), line + '\\n');
const real = ${real === undefined ? 'undefined' : `require(${JSON.stringify(real)})`};
const meet = (mishap) => {
  if (mishap === 'crash') process.abort();
  if (mishap === 'hang') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
};
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const facts = { family: 'whisper', type: 'fake', quantization: 'f16', multilingual: true, languages: ['en'],
  vocabulary: 1, audioLayers: 1, textLayers: 1, melBands: 80, fileSize: 1 };
// A pause of the process is short beside what is measured.
let skew = 0;
const now = performance.now.bind(performance);
performance.now = () => now() + skew;
const hear = async (ms, text) => {
  await wait(ms);
  skew += 59 * ms;
  const segment = { start: 0, end: 1, text, noSpeechProbability: 0, averageLogprob: 0, aligned: false, tokens: [] };
  return { segments: [segment], language: 'en', languageProbabilities: null };
};
const model = (ms, text, rightUpTo = Infinity) => ({
  facts: () => facts,
  transcribe: (pcm) => {
    const isRight = pcm.length <= 16_000 * rightUpTo;
    return { promise: hear(ms, isRight ? text : 'Something else.'), abort() {} };
  },
  detectLanguage: async () => ({ language: 'en', probabilities: { en: 1 } }),
  free: async () => {},
});
let hasVulkan = false;
module.exports = {
  loadBackends: (folder) => real?.loadBackends(${real === undefined ? 'folder' : `require('node:path').dirname(${JSON.stringify(real)})`}),
  systemInfo: () => real?.systemInfo() ?? { version: 'fake', features: '', devices: [] },
  inspectModel: (path) => real.inspectModel(path),
  loadVulkan: async () => {
    note('library');
    const { library, driver = 'fake 1.0' } = behavior();
    meet(library);
    if (library === 'missing') throw Object.assign(new Error('libvulkan.so.1: cannot open shared object file'), { code: 'engine_failed' });
    hasVulkan = true;
    return { name: 'Fake GPU', driver, kind: 'discrete' };
  },
  loadSpeechDetector: (path) => real.loadSpeechDetector(path),
  loadModel: async (path, { useGpu }) => {
    const isOnDevice = useGpu && hasVulkan;
    note('load ' + (isOnDevice ? 'vulkan' : 'cpu'));
    const { device = 1, cpu, text = 'Good morning.', rightUpTo } = behavior();
    if (!isOnDevice) return cpu === undefined ? real.loadModel(path, { useGpu: false }) : model(cpu, 'Good morning');
    meet(device);
    if (device === 'refuses') throw Object.assign(new Error('out of device memory'), { code: 'engine_failed' });
    return model(device, text, rightUpTo);
  },
};
`;

/** `real`: the addon that works on the processor. */
export const fakeVulkan = (behavior: Behavior, real?: string): FakeVulkan => {
  const folder = temporaryFolder();
  const addonPath = join(folder, 'addon.cjs');
  const calls = join(folder, 'calls');
  const become = (next: Behavior) => writeFileSync(join(folder, 'behavior.json'), JSON.stringify(next));
  writeFileSync(addonPath, program(real));
  writeFileSync(vulkanLibrary(addonPath), '');
  become(behavior);
  return {
    addonPath,
    become,
    calls: () => (existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : []),
  };
};
