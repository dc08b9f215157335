import type { FastifyInstance, FastifyRequest } from 'fastify';
import { routes } from '../../../contract/routes.ts';
import { AppError } from '../../base/errors.ts';
import type { ServerAddress } from '../../base/server-file.ts';
import type { AccountService, UsageService } from '../../services/accounts.ts';
import type { SettingsService } from '../../services/settings.ts';
import type { SpeakerService } from '../../services/speakers.ts';
import type { VocabularyService } from '../../services/vocabulary.ts';
import { addRoute } from '../add-route.ts';
import { isLoopbackHost, type WrongKeys } from '../guards.ts';
import { created, ok, success } from '../responses.ts';

const PATH = '/v1/session/resume';
const MAX_AGE_SECONDS = 30 * 24 * 60 * 60;

/** Cookies do not know ports: each service of a machine has a name of its own. */
const nameOf = ({ headers }: FastifyRequest): string =>
  `earshot_session_${/:(\d+)$/.exec(headers.host ?? '')?.[1] ?? '80'}`;

/** Whether a browser on this machine sent it: the cookie is for no other one, because it travels unencrypted. */
const isLocal = ({ headers, ip }: FastifyRequest): boolean =>
  isLoopbackHost(headers.host ?? '') && /^(?:127\.|::1$|::ffff:127\.)/.test(ip);

/**
 * The header that keeps one half of a browser's secret where no script reads it. The other half is in storage that only the
 * window's own origin has: the cookie also goes to other ports of this machine.
 */
const setSessionCookie = (request: FastifyRequest, half: string): Record<string, string> =>
  isLocal(request)
    ? {
        'set-cookie': `${nameOf(request)}=${half}; Path=${PATH}; Max-Age=${MAX_AGE_SECONDS}; HttpOnly; SameSite=Strict`,
      }
    : {};

/** Undefined if a request has none, or does not come from a page of this machine. */
const readSessionCookie = (request: FastifyRequest): string | undefined => {
  const { origin, cookie = '' } = request.headers;
  if (origin === undefined || !isLocal(request)) return undefined;
  const prefix = `${nameOf(request)}=`;
  return cookie
    .split(/; */)
    .find((pair) => pair.startsWith(prefix))
    ?.slice(prefix.length);
};

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

export type AccountDeps = {
  readonly accounts: AccountService;
  readonly wrongKeys: WrongKeys;
  readonly settings: SettingsService;
  readonly usage: UsageService;
  readonly address: ServerAddress;
  /** Deletes a user with all of the user's data. */
  readonly deleteUser: (id: string) => Promise<void>;
};

const addKeyRoutes = (server: FastifyInstance, { accounts }: AccountDeps): void => {
  addRoute(server, routes.listKeys, ({ caller }) => ok(success(accounts.listKeys(caller.user.id))));
  addRoute(server, routes.createKey, ({ caller, body }) =>
    created(success(accounts.createKey(caller.user.id, body.name))),
  );
  addRoute(server, routes.rotateKey, ({ caller, params }) =>
    ok(success(accounts.rotateKey(caller.user.id, params.id))),
  );
  addRoute(server, routes.revokeKey, ({ caller, params }) => {
    accounts.revokeKey(caller.user.id, params.id);
    return ok({ success: true as const, message: 'The key is revoked.' });
  });
};

const addUserRoutes = (server: FastifyInstance, { accounts, deleteUser }: AccountDeps): void => {
  addRoute(server, routes.listUsers, () => ok(success(accounts.listUsers())));
  addRoute(server, routes.createUser, ({ body }) => created(success(accounts.createUser(body.name, body))));
  addRoute(server, routes.patchUser, ({ params, body }) => ok(success(accounts.changeUser(params.id, body))));
  addRoute(server, routes.deleteUser, async ({ params }) => {
    await deleteUser(params.id);
    return ok({ success: true as const, message: 'The user is deleted, with everything kept for the user.' });
  });
};

/** Keys, users, sessions, usage and settings. */
export const addAccountRoutes = (server: FastifyInstance, deps: AccountDeps): void => {
  const { accounts, wrongKeys, settings, usage, address } = deps;
  addKeyRoutes(server, deps);
  addUserRoutes(server, deps);
  addRoute(server, routes.createSession, ({ body, request }) => {
    const { half, ...session } = accounts.openSession(body.token);
    return { ...ok(success(session)), headers: setSessionCookie(request, half) };
  });
  addRoute(server, routes.resumeSession, ({ body, request }) => {
    const half = readSessionCookie(request);
    const session = half === undefined ? undefined : accounts.resumeSession(half, body.browser);
    if (session === undefined) {
      wrongKeys.count(request.ip, `${half} ${body.browser}`);
      throw new AppError('unauthorized', 'This browser has no session. `earshot open` makes a link for it.');
    }
    // Again for as long.
    return { ...ok(success(session)), headers: setSessionCookie(request, half ?? '') };
  });
  addRoute(server, routes.createLoginLink, () =>
    created(success({ url: accounts.newLoginLink(address.url()) })),
  );
  addRoute(server, routes.getUsage, ({ caller }) => ok(success(usage.of(caller.user))));
  addRoute(server, routes.getSettings, () => ok(settings.list()));
  addRoute(server, routes.patchSettings, ({ body }) => {
    settings.change(body);
    return ok(settings.list());
  });
};
