import { DEADLINES, findDevice } from '../../electron/core/engines/whisper/devices/trial.ts';
import type { VulkanDevice } from '../../electron/core/engines/whisper/devices/types.ts';
import { forkNodeWorker } from '../../electron/core/engines/worker/client.ts';
import { addonPath } from '../../native/build.mjs';
import { WORKER_ENTRY } from './paths.ts';

export type RealVulkan = { readonly addonPath: string; readonly device: VulkanDevice };

/** The portable addon with its Vulkan library and this machine's device, or why there is none. Builds nothing. */
export const realVulkan = async (): Promise<RealVulkan | { readonly reason: string }> => {
  const addon = addonPath({ portable: true, vulkan: true });
  if (addon === undefined)
    return { reason: 'the Vulkan library is not built: node native/build.mjs --portable --vulkan' };
  const fork = () => forkNodeWorker(WORKER_ENTRY)(['whisper', addon]);
  const found = await findDevice({ fork, deadlines: DEADLINES }, new AbortController().signal);
  return 'outcome' in found ? { reason: found.detail } : { addonPath: addon, device: found };
};
