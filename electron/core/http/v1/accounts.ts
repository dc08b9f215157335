import type { FastifyInstance } from 'fastify';
import { routes } from '../../../contract/routes.ts';
import type { AccountService } from '../../services/accounts.ts';
import type { SettingsService } from '../../services/settings.ts';
import type { UsageService } from '../../services/usage.ts';
import { created, ok, success } from '../answers.ts';
import { implement } from '../implement.ts';

export type AccountResources = {
  readonly accounts: AccountService;
  readonly settings: SettingsService;
  readonly usage: UsageService;
  /** Deletes a user with everything that is kept for the user. */
  readonly deleteUser: (id: string) => Promise<void>;
};

const keyRoutes = (server: FastifyInstance, { accounts }: AccountResources): void => {
  implement(server, routes.listKeys, ({ caller }) => ok(success(accounts.listKeys(caller.user.id))));
  implement(server, routes.createKey, ({ caller, body }) =>
    created(success(accounts.createKey(caller.user.id, body.name))),
  );
  implement(server, routes.rotateKey, ({ caller, params }) =>
    ok(success(accounts.rotateKey(caller.user.id, params.id))),
  );
  implement(server, routes.revokeKey, ({ caller, params }) => {
    accounts.revokeKey(caller.user.id, params.id);
    return ok({ success: true as const, message: 'The key is revoked.' });
  });
};

const userRoutes = (server: FastifyInstance, { accounts, deleteUser }: AccountResources): void => {
  implement(server, routes.listUsers, () => ok(success(accounts.listUsers())));
  implement(server, routes.createUser, ({ body }) => created(success(accounts.createUser(body.name, body))));
  implement(server, routes.patchUser, ({ params, body }) =>
    ok(success(accounts.changeUser(params.id, body))),
  );
  implement(server, routes.deleteUser, async ({ params }) => {
    await deleteUser(params.id);
    return ok({ success: true as const, message: 'The user is deleted, with everything kept for the user.' });
  });
};

/** Keys, users, sessions, usage and settings. */
export const accountResources = (server: FastifyInstance, resources: AccountResources): void => {
  const { accounts, settings, usage } = resources;
  keyRoutes(server, resources);
  userRoutes(server, resources);
  implement(server, routes.createSession, ({ body }) => ok(success(accounts.openSession(body.token))));
  implement(server, routes.getUsage, ({ caller }) => ok(success(usage.of(caller.user))));
  implement(server, routes.getSettings, () => ok(settings.list()));
  implement(server, routes.patchSettings, ({ body }) => {
    settings.change(body);
    return ok(settings.list());
  });
};
