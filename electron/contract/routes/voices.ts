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
    summary: 'The voices that you asked to be remembered',
    description:
      'A voice is remembered when a speaker is named with `remember: true`. Later recordings propose its name as ' +
      '`suggested_name`, to you alone, and never apply it by themselves.',
    access: 'key',
    responses: { 200: v.VoiceList },
    errors: [],
  }),
  renameVoice: route({
    method: 'PATCH',
    path: '/v1/voices/{id}',
    tag,
    summary: 'Give a remembered voice another name',
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
      'Also removes how this voice sounds in your transcriptions, so that no vector of it stays on the disk.',
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
    description: 'Also removes how the speakers of your transcriptions sound.',
    access: 'key',
    responses: { 200: v.VoicesForgotten },
    errors: [],
  }),
} as const;
