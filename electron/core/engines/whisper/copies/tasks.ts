import { z } from 'zod';
import type { TaskDefinition } from '../../worker/protocol.ts';

/** A quantized copy that was written. */
export const Quantized = z.object({
  /** SHA-256 of the model that was read, and of the copy. */
  sourceSha256: z.string(),
  sha256: z.string(),
  bytes: z.number(),
});
export type Quantized = z.output<typeof Quantized>;

/** Writes a q8_0 copy of a Whisper model. It cannot be aborted: kill the process. */
export const quantizeTask: TaskDefinition<
  'quantize',
  { readonly source: string; readonly target: string },
  Quantized
> = { kind: 'quantize', result: Quantized };
