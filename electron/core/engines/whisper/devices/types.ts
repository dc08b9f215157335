import { z } from 'zod';

/**
 * Where a model runs: on the processor; on the graphics backend that is linked into the addon, such as Metal, or on the
 * processor where there is none; or on a graphics processor through the Vulkan library.
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
