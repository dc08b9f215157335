import type { FastifyInstance } from 'fastify';
import { routes } from '../../../contract/routes.ts';
import type { VocabularyService } from '../../services/vocabulary.ts';
import { addRoute } from '../add-route.ts';
import { ok, success } from '../responses.ts';

/** `/v1/vocabulary`: the user's names and terms. */
export const addVocabularyRoutes = (server: FastifyInstance, vocabulary: VocabularyService): void => {
  addRoute(server, routes.getVocabulary, ({ caller }) => ok(success(vocabulary.get(caller.user.id))));
  addRoute(server, routes.putVocabulary, ({ caller, body }) =>
    ok(success(vocabulary.set(caller.user.id, body.terms))),
  );
  addRoute(server, routes.listTermSuggestions, ({ caller }) =>
    ok(success(vocabulary.suggestions(caller.user.id))),
  );
  addRoute(server, routes.patchTermSuggestions, ({ caller, body }) =>
    ok(success(vocabulary.allowSuggestions(caller.user.id, body.enabled))),
  );
  addRoute(server, routes.acceptTermSuggestion, ({ caller, params }) =>
    ok(success(vocabulary.accept(caller.user.id, params.id))),
  );
  addRoute(server, routes.dismissTermSuggestion, ({ caller, params }) => {
    vocabulary.dismiss(caller.user.id, params.id);
    return ok({ success: true as const, message: 'The term is not suggested again.' });
  });
};
