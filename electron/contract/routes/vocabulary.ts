import { route } from '../route.ts';
import { OneVocabulary, PutVocabulary } from '../vocabulary.ts';

const tag = 'Account' as const;

export const vocabularyRoutes = {
  getVocabulary: route({
    method: 'GET',
    path: '/v1/vocabulary',
    tag,
    summary: 'Your names and terms',
    description:
      'A transcription that is created without `vocabulary` uses these. Those of a request replace them; an empty list uses none.',
    access: 'key',
    responses: { 200: OneVocabulary },
    errors: [],
  }),
  putVocabulary: route({
    method: 'PUT',
    path: '/v1/vocabulary',
    tag,
    summary: 'Replace your names and terms',
    description: 'Transcriptions that exist already keep those with which they were created.',
    access: 'key',
    body: PutVocabulary,
    responses: { 200: OneVocabulary },
    errors: [],
  }),
} as const;
