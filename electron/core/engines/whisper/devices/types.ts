import { z } from 'zod';
import type { Trial } from './trial.ts';

/** What is known of the graphics processor: nothing yet, the device, or why there is none. */
export type Found = undefined | { readonly device: VulkanDevice } | { readonly failure: string };

export type Knowledge = {
  /** The setting `engine.device`. */
  readonly setting: 'auto' | 'cpu' | 'vulkan';
  /** Whether this build has the Vulkan library. */
  readonly hasLibrary: boolean;
  readonly found: Found;
};

/** Where a model runs. `trial` is undefined if there was none yet; `hasFailed` is of this run. */
export const chooseDevice = (
  { setting, hasLibrary, found }: Knowledge,
  trial: Pick<Trial, 'outcome'> | undefined,
  hasFailed: boolean,
): Device => {
  if (setting === 'cpu') return 'cpu';
  if (!hasLibrary) return 'built_in';
  if (hasFailed || found === undefined || !('device' in found)) return 'cpu';
  return setting === 'vulkan' || trial?.outcome === 'faster' ? 'vulkan' : 'cpu';
};

/** The use of graphics processors in one word; `builtIn` is the linked backend's device. */
type DeviceState =
  | 'off'
  | 'built_in'
  | 'not_built'
  | 'unavailable'
  | 'pending'
  | 'forced'
  | 'in_use'
  | 'not_used';

export const deviceState = (
  { setting, hasLibrary, found }: Knowledge,
  builtIn: string | null,
  trials: readonly (Pick<Trial, 'outcome'> | undefined)[],
): DeviceState => {
  if (setting === 'cpu') return 'off';
  if (!hasLibrary) return builtIn === null ? 'not_built' : 'built_in';
  if (found === undefined) return 'pending';
  if (!('device' in found)) return 'unavailable';
  if (setting === 'vulkan') return 'forced';
  if (trials.some((trial) => trial?.outcome === 'faster')) return 'in_use';
  return trials.includes(undefined) ? 'pending' : 'not_used';
};

/**
 * Where a model runs: on the processor; on the graphics backend that is linked into the addon, such as Metal, or on the
 * processor if there is none; or on a graphics processor through the Vulkan library.
 */
export type Device = 'cpu' | 'built_in' | 'vulkan';

/** A device that Vulkan offers. */
export const VulkanDevice = z.object({
  name: z.string(),
  /** The driver's name and version. */
  driver: z.string(),
  kind: z.enum(['discrete', 'integrated', 'virtual', 'other', 'software']),
});
export type VulkanDevice = z.output<typeof VulkanDevice>;

/** The use of a device by one job. */
export type DeviceLease = { readonly device: Device; release(): void };

/** Decides where each model runs. */
export type Devices = {
  lease(modelPath: string): Promise<DeviceLease>;
  /** Tells that the model could not be used on the graphics processor: it runs on the processor from now on. */
  failed(modelPath: string, reason: string): void;
};

/** What is linked into the addon. */
export const BUILT_IN: Devices = {
  lease: async () => ({ device: 'built_in', release: () => {} }),
  failed: () => {},
};
