import { z } from 'zod';
import { idSchema, success, Timestamp } from './common.ts';
import { SpeakerName } from './transcript.ts';

export const VoiceId = idSchema('voice', 'Identifier of a remembered voice.');

/** A voice that a user asked to be remembered. What it sounds like never leaves the server. */
export const Voice = z
  .object({
    id: VoiceId,
    name: z.string(),
    model: z
      .string()
      .describe('The speaker model that knows it; recordings heard by another are not compared.'),
    recordings: z.int().describe('From how many recordings it was learned.'),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Voice' });
export type Voice = z.output<typeof Voice>;

export const VoiceList = success(z.array(Voice));
export const OneVoice = success(Voice);
export const PatchVoice = z.strictObject({ name: SpeakerName });
export const VoicesForgotten = z.object({ success: z.literal(true), message: z.string() });
