import type { FastifyInstance } from 'fastify';
import { routes } from '../../../contract/routes.ts';
import type { SpeakerService } from '../../services/speakers.ts';
import { addRoute } from '../add-route.ts';
import { ok, success } from '../responses.ts';

/** `/v1/voices`: the user's remembered speakers. */
export const addVoiceRoutes = (server: FastifyInstance, speakers: SpeakerService): void => {
  addRoute(server, routes.listVoices, ({ caller }) => ok(success(speakers.list(caller.user.id))));
  addRoute(server, routes.renameVoice, ({ caller, params, body }) =>
    ok(success(speakers.rename(caller.user.id, params.id, body.name))),
  );
  addRoute(server, routes.forgetVoice, ({ caller, params }) => {
    speakers.forget(caller.user.id, params.id);
    return ok({ success: true as const, message: 'The voice is forgotten.' });
  });
  addRoute(server, routes.forgetAllVoices, ({ caller }) => {
    speakers.forgetAll(caller.user.id);
    return ok({ success: true as const, message: 'Every voice is forgotten.' });
  });
};
