import { afterAll, describe, expect, it, vi } from 'vitest';
import type { Device, Devices } from '../../../../electron/core/engines/whisper/devices/types.ts';
import { createWhisperEngine, type WhisperEngine } from '../../../../electron/core/engines/whisper/engine.ts';
import type { WhisperResult } from '../../../../electron/core/engines/whisper/types.ts';
import { forkNodeWorker } from '../../../../electron/core/engines/worker/client.ts';
import { STARTER_PARAKEET, WORKER_ENTRY } from '../../../support/paths.ts';
import { cut, firstSentences, fixturePcm } from '../../../support/pcm.ts';
import { realVulkan } from '../../../support/vulkan.ts';
import { plainWords } from '../../../support/word-error-rate.ts';

// A software device takes minutes to compile the programs of a model.
vi.setConfig({ testTimeout: 1_800_000 });

const vulkan = await realVulkan();
const why = 'reason' in vulkan ? `not run: ${vulkan.reason}` : `on ${vulkan.device.name}`;

const textOf = ({ segments }: WhisperResult): string =>
  plainWords(segments.map(({ text }) => text).join('')).join(' ');

describe.skipIf('reason' in vulkan)(`a real Vulkan device (${why})`, () => {
  const engines: WhisperEngine[] = [];
  const failures: string[] = [];

  const engineOn = (device: Device): WhisperEngine => {
    if ('reason' in vulkan) throw new Error(vulkan.reason);
    const devices: Devices = {
      lease: async () => ({ device, release: () => {} }),
      failed: (_model, reason) => failures.push(reason),
    };
    const engine = createWhisperEngine({
      fork: forkNodeWorker(WORKER_ENTRY),
      addonPath: vulkan.addonPath,
      threads: 1,
      concurrency: 2,
      devices,
    });
    engines.push(engine);
    return engine;
  };

  afterAll(() => Promise.all(engines.map((engine) => engine.close())));

  it.each([['Parakeet', STARTER_PARAKEET]])(
    'hears the same with %s as the processor, two chunks at once',
    async (_family, modelPath) => {
      const { pcm, text } = firstSentences('01-short-note.wav', 2);
      const request = { modelPath, pcm, params: { language: 'en', beamSize: 5 } };
      const onCpu = textOf(await engineOn('cpu').transcribe(request));
      const engine = engineOn('vulkan');
      const both = await Promise.all([engine.transcribe(request), engine.transcribe(request)]);
      expect(failures).toEqual([]);
      expect(both.map(textOf)).toEqual([onCpu, onCpu]);
      expect(onCpu).toBe(plainWords(text).join(' '));
    },
  );

  // Parakeet's encoder takes its queries in blocks of 20.5 s.
  it('hears the same with Parakeet as the processor in more than one block of queries', async () => {
    const request = {
      modelPath: STARTER_PARAKEET,
      pcm: cut(fixturePcm('08-meeting-4min.mp3'), 0, 45),
      params: { language: 'en' },
    };
    const onCpu = textOf(await engineOn('cpu').transcribe(request));
    expect(textOf(await engineOn('vulkan').transcribe(request))).toBe(onCpu);
    expect(failures).toEqual([]);
  });
});
