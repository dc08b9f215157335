import type { vocabularyRoutes } from '../routes/vocabulary.ts';
import type { ExamplesOf } from './example.ts';
import { CREATED, PLACEHOLDERS } from './values.ts';

const ID = PLACEHOLDERS.suggestion;
const suggestions = {
  200: {
    success: true as const,
    data: { enabled: true, suggestions: [{ id: ID, term: 'Klarke', heard: 'Clark', count: 2 }] },
  },
};

const terms = ['Nguyen', { term: 'kubectl', sounds_like: ['cube control'] }];
const answers = { 200: { success: true as const, data: { terms, updated_at: CREATED } } };

export const vocabularyExamples: ExamplesOf<typeof vocabularyRoutes> = {
  getVocabulary: { answers },
  putVocabulary: { body: { terms }, answers },
  listTermSuggestions: { answers: suggestions },
  patchTermSuggestions: { body: { enabled: true }, answers: suggestions },
  acceptTermSuggestion: { params: { id: ID }, answers },
  dismissTermSuggestion: {
    params: { id: ID },
    answers: { 200: { success: true, message: 'The term is not suggested again.' } },
  },
};
