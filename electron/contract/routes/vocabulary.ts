import { z } from 'zod';
import { route } from '../route.ts';
import * as v from '../vocabulary.ts';

const byId = z.strictObject({ id: z.string().max(100) });
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
    responses: { 200: v.OneVocabulary },
    errors: [],
  }),
  putVocabulary: route({
    method: 'PUT',
    path: '/v1/vocabulary',
    tag,
    summary: 'Replace your names and terms',
    description: 'Transcriptions that exist already keep those with which they were created.',
    access: 'key',
    body: v.PutVocabulary,
    responses: { 200: v.OneVocabulary },
    errors: [],
  }),
  listTermSuggestions: route({
    method: 'GET',
    path: '/v1/vocabulary/suggestions',
    tag,
    summary: 'Terms that you corrected twice',
    description:
      'While you allow it, words that you correct in the same way in two places are suggested for your vocabulary. ' +
      'Nothing is added by itself. What was learned from a transcription goes with it, and with its edits.',
    access: 'key',
    responses: { 200: v.OneTermSuggestions },
    errors: [],
  }),
  patchTermSuggestions: route({
    method: 'PATCH',
    path: '/v1/vocabulary/suggestions',
    tag,
    summary: 'Allow suggestions, or forget them',
    description: 'Off until you allow them. Corrections are counted from then on.',
    access: 'key',
    body: v.PatchTermSuggestions,
    responses: { 200: v.OneTermSuggestions },
    errors: [],
  }),
  acceptTermSuggestion: route({
    method: 'POST',
    path: '/v1/vocabulary/suggestions/{id}/accept',
    tag,
    summary: 'Add a suggested term',
    description:
      'Adds the term with what it was misheard as, unless that is a common word, and answers with your names and terms.',
    access: 'key',
    params: byId,
    responses: { 200: v.OneVocabulary },
    errors: ['suggestion_not_found', 'conflict'],
  }),
  dismissTermSuggestion: route({
    method: 'DELETE',
    path: '/v1/vocabulary/suggestions/{id}',
    tag,
    summary: 'Dismiss a suggested term',
    description: 'It is not suggested again while one of its corrections is kept.',
    access: 'key',
    params: byId,
    responses: { 200: v.SuggestionDismissed },
    errors: ['suggestion_not_found'],
  }),
} as const;
