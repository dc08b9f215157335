import type { FastifyInstance } from 'fastify';
import { routes } from '../../../contract/routes.ts';
import type { VoiceService } from '../../services/voices.ts';
import { ok, success } from '../answers.ts';
import { implement } from '../implement.ts';

/** `/v1/voices`: what a user asked to be remembered. */
export const voiceResources = (server: FastifyInstance, voices: VoiceService): void => {
  implement(server, routes.listVoices, ({ caller }) => ok(success(voices.list(caller.user.id))));
  implement(server, routes.renameVoice, ({ caller, params, body }) =>
    ok(success(voices.rename(caller.user.id, params.id, body.name))),
  );
  implement(server, routes.forgetVoice, ({ caller, params }) => {
    voices.forget(caller.user.id, params.id);
    return ok({ success: true as const, message: 'The voice is forgotten.' });
  });
  implement(server, routes.forgetAllVoices, ({ caller }) => {
    voices.forgetAll(caller.user.id);
    return ok({ success: true as const, message: 'Every voice is forgotten.' });
  });
};
