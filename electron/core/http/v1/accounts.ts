import type { FastifyInstance } from 'fastify';
import { routes } from '../../../contract/routes.ts';
import { AppError } from '../../base/errors.ts';
import type { ServerAddress } from '../../base/server-address.ts';
import type { AccountService } from '../../services/accounts.ts';
import type { SettingsService } from '../../services/settings.ts';
import type { UsageService } from '../../services/usage.ts';
import { addRoute } from '../add-route.ts';
import { created, ok, success } from '../responses.ts';
import { readSessionCookie, setSessionCookie } from '../session-cookie.ts';
import type { WrongKeys } from '../wrong-keys.ts';

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
