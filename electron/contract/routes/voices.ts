import { z } from 'zod';
import { route } from '../route.ts';
import * as v from '../voices.ts';

const byId = z.strictObject({ id: z.string().max(100) });
const tag = 'Account' as const;

export const voiceRoutes = {
  listVoices: route({
    method: 'GET',
    path: '/v1/voices',
    tag,
    summary: 'List remembered voices',
    description:
      'Naming a speaker with `remember: true` remembers the voice. Your later recordings then carry its name as ' +
      '`suggested_name`, which is never applied automatically.',
    access: 'key',
    responses: { 200: v.VoiceList },
    errors: [],
  }),
  renameVoice: route({
    method: 'PATCH',
    path: '/v1/voices/{id}',
    tag,
    summary: 'Rename a remembered voice',
    access: 'key',
    params: byId,
    body: v.PatchVoice,
    responses: { 200: v.OneVoice },
    errors: ['voice_not_found', 'conflict'],
  }),
  forgetVoice: route({
    method: 'DELETE',
    path: '/v1/voices/{id}',
    tag,
    summary: 'Forget a voice',
    description:
      'Also deletes its speaker embeddings in your transcriptions, so that none stays on the disk.',
    access: 'key',
    params: byId,
    responses: { 200: v.VoicesForgotten },
    errors: ['voice_not_found'],
  }),
  forgetAllVoices: route({
    method: 'DELETE',
    path: '/v1/voices',
    tag,
    summary: 'Forget every voice',
    description: 'Also deletes all speaker embeddings of your transcriptions.',
    access: 'key',
    responses: { 200: v.VoicesForgotten },
    errors: [],
  }),
} as const;
