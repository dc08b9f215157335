import { z } from 'zod';
import { idSchema, success, Timestamp } from './common.ts';
import { SpeakerName } from './recognition.ts';

export const VoiceId = idSchema('voice', 'Identifier of a remembered voice.');

/** A speaker whom a user asked to remember. The speaker embedding itself is never part of an answer. */
export const Voice = z
  .object({
    id: VoiceId,
    name: z.string(),
    model: z
      .string()
      .describe(
        'The speaker model of its embedding; recordings processed by another model are not compared.',
      ),
    comparable: z
      .boolean()
      .describe(
        'Whether recordings are compared with it now. If not, it is of another speaker model than the one in use: it is kept, and can be learned again by naming its speaker in a recording that is diarized anew.',
      ),
    recordings: z.int().describe('Number of recordings that contributed to it.'),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Voice' });
export type Voice = z.output<typeof Voice>;

export const VoiceList = success(z.array(Voice));
export const OneVoice = success(Voice);
export const PatchVoice = z.strictObject({ name: SpeakerName });
export const VoicesForgotten = z.object({ success: z.literal(true), message: z.string() });
