import type { z } from 'zod';
import type { voiceRoutes } from '../routes/voices.ts';
import type { Voice } from '../voices.ts';
import type { ExamplesOf } from './example.ts';
import { CREATED, PLACEHOLDERS } from './example.ts';

const voice: z.input<typeof Voice> = {
  id: PLACEHOLDERS.voice,
  name: 'María',
  model: 'embedding-campplus-zh-en-small',
  comparable: true,
  recordings: 3,
  created_at: CREATED,
  updated_at: CREATED,
};
const params = { id: PLACEHOLDERS.voice };

export const voiceExamples: ExamplesOf<typeof voiceRoutes> = {
  listVoices: { answers: { 200: { success: true, data: [voice] } } },
  renameVoice: {
    params,
    body: { name: 'María López' },
    answers: { 200: { success: true, data: { ...voice, name: 'María López' } } },
  },
  forgetVoice: { params, answers: { 200: { success: true, message: 'The voice is forgotten.' } } },
  forgetAllVoices: { answers: { 200: { success: true, message: 'All voices are forgotten.' } } },
};
