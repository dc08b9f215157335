import { z } from 'zod';
import type { TaskDefinition } from '../worker/protocol.ts';

/** The kinds of private data that the model knows, in the order of its labels: each has two, of a first and a later piece. */
export const TAG_KINDS = [
  'given_name',
  'surname',
  'email',
  'phone',
  'url',
  'tax_id',
  'bank_account',
  'routing_number',
  'government_id',
  'passport',
  'drivers_license',
  'building_number',
  'street_name',
  'secondary_address',
  'city',
  'state',
  'zip_code',
] as const;

/**
 * A word that may be private, in UTF-16 units of its sentence: the likeliest kind of its pieces with its probability, or null if none
 * is likely. Words that are surely none of any kind are left out.
 */
const TaggedWord = z.object({
  from: z.int(),
  to: z.int(),
  kind: z.enum(TAG_KINDS).nullable(),
  score: z.number(),
});
export type TaggedWord = z.infer<typeof TaggedWord>;

export type TagInput = { readonly folder: string; readonly sentences: readonly string[] };

export const tagTask: TaskDefinition<'tag', TagInput, TaggedWord[][]> = {
  kind: 'tag',
  result: z.array(z.array(TaggedWord)),
};
