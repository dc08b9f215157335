import { z } from 'zod';
import type { TaskDefinition } from '../../worker/protocol.ts';
import type { TranscribeParams } from '../types.ts';
import { type Device, VulkanDevice } from './types.ts';

/** Loads the Vulkan library into the worker. */
export const findDeviceTask: TaskDefinition<'findDevice', null, VulkanDevice> = {
  kind: 'findDevice',
  result: VulkanDevice,
};

export type MeasureInput = {
  readonly modelPath: string;
  readonly device: Device;
  readonly pcm: Float32Array;
  /** How often the audio is transcribed at once, as chunks of a long recording are. */
  readonly copies: number;
  readonly params: TranscribeParams;
};

export const Measurement = z.object({
  /** What each copy recognized. */
  texts: z.array(z.string()),
  /** Without loading the model and without the first use of the device, which compiles its programs. */
  seconds: z.number(),
  /** Processor time of all threads meanwhile. */
  cpuSeconds: z.number(),
});
export type Measurement = z.output<typeof Measurement>;

export const measureTask: TaskDefinition<'measure', MeasureInput, Measurement> = {
  kind: 'measure',
  result: Measurement,
};
