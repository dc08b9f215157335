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
};
