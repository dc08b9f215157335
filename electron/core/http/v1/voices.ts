import type { FastifyInstance } from 'fastify';
import { routes } from '../../../contract/routes.ts';
import type { VoiceService } from '../../services/voices.ts';
import { addRoute } from '../add-route.ts';
import { ok, success } from '../responses.ts';

/** `/v1/voices`: the user's remembered speakers. */
export const addVoiceRoutes = (server: FastifyInstance, voices: VoiceService): void => {
  addRoute(server, routes.listVoices, ({ caller }) => ok(success(voices.list(caller.user.id))));
  addRoute(server, routes.renameVoice, ({ caller, params, body }) =>
    ok(success(voices.rename(caller.user.id, params.id, body.name))),
  );
  addRoute(server, routes.forgetVoice, ({ caller, params }) => {
    voices.forget(caller.user.id, params.id);
    return ok({ success: true as const, message: 'The voice is forgotten.' });
  });
  addRoute(server, routes.forgetAllVoices, ({ caller }) => {
    voices.forgetAll(caller.user.id);
    return ok({ success: true as const, message: 'Every voice is forgotten.' });
  });
};
