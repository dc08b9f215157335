import type { vocabularyRoutes } from '../routes/vocabulary.ts';
import type { ExamplesOf } from './example.ts';
import { CREATED } from './values.ts';

const terms = ['Nguyen', { term: 'kubectl', sounds_like: ['cube control'] }];
const answers = { 200: { success: true as const, data: { terms, updated_at: CREATED } } };

export const vocabularyExamples: ExamplesOf<typeof vocabularyRoutes> = {
  getVocabulary: { answers },
  putVocabulary: { body: { terms }, answers },
};
