import { z } from 'zod';
import { Bytes, Metadata, queryInt, success, Timestamp } from './common.ts';
import { FileId } from './storage.ts';

/** Most bytes of one chunk. */
export const MAX_RECORDING_CHUNK = 8 * 1024 * 1024;

export const StartRecording = z
  .strictObject({
    filename: z.string().min(1).max(1024),
    contentType: z.string().min(3).max(255),
    folder: z.string().max(1024).optional(),
    metadata: Metadata.optional(),
    timeoutSeconds: z
      .int()
      .min(2)
      .max(86_400)
      .default(120)
      .describe('Without a chunk for so long, the recording is stored as far as it goes.'),
  })
  .meta({ id: 'StartRecording' });

export const OpenRecording = success(
  z.object({
    id: FileId.describe('The id of the file that it becomes.'),
    filename: z.string(),
    startedAt: Timestamp,
    offset: Bytes.describe('The stored bytes; the next chunk begins here.'),
    timeoutSeconds: z.int(),
  }),
).meta({ id: 'OpenRecording' });

export const RecordingParams = z.strictObject({ id: FileId });
export const RecordingOffset = z.strictObject({
  offset: queryInt(0, 1024 ** 3, 0).describe('Where the chunk begins: the bytes sent before it.'),
});
export const FinishRecording = z.strictObject({
  interrupted: z
    .boolean()
    .default(false)
    .describe('Stores it as after the time-out: as “Recovered …”, with `recovered` in its metadata.'),
});
export const RecordingDiscarded = success(z.object({ id: FileId }));
