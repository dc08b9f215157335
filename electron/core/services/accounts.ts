import type { ApiKey, KeyWithSecret, User } from '../../contract/account.ts';
import { type Clock, isoTime } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { isSameSecret, isWellFormedKey, newApiKey, newId, newToken, sha256Hex } from '../base/ids.ts';
import type { WritableDb } from '../stores/database.ts';
import type { KeyRow, UserRow } from '../stores/schema.ts';
import { markForScrub, runPendingScrub } from '../stores/scrub.ts';
import * as store from '../stores/users.ts';

/** Who asks: the user, and the first characters of the key for the request log. */
export type Caller = { readonly user: UserRow; readonly keyPrefix: string };

const PREFIX_LENGTH = 8;
const TOUCH_EVERY_MS = 60_000;

const presentKey = (row: KeyRow): ApiKey => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  created_at: isoTime(row.created_at),
  last_used_at: row.last_used_at === null ? null : isoTime(row.last_used_at),
});

export const presentUser = (row: UserRow): User => ({
  id: row.id,
  name: row.name,
  owner: row.owner === 1,
  created_at: isoTime(row.created_at),
  storage_limit: row.storage_limit,
  credit_budget: row.credit_budget,
});

const keyNotFound = () => new AppError('key_not_found', 'There is no such key.');
const userNotFound = () => new AppError('user_not_found', 'There is no such user.');

type Limits = { storage_limit?: number | null | undefined; credit_budget?: number | null | undefined };

/** Users, their API keys, and the session keys of windows. */
export class AccountService {
  readonly #db: WritableDb;
  readonly #clock: Clock;
  readonly #runKey: string | undefined;
  readonly #sessions = new Map<string, string>();
  readonly #loginTokens = new Set<string>();

  /** `runKey` is the owner's key for this run alone (`EARSHOT_API_KEY`). */
  constructor(db: WritableDb, clock: Clock, runKey: string | undefined) {
    this.#db = db;
    this.#clock = clock;
    this.#runKey = runKey;
  }

  /** The owner; made at the first start. */
  owner(): UserRow {
    const known = store.findOwner(this.#db);
    if (known !== undefined) return known;
    const owner = this.#userRow('owner', {}, 1);
    store.insertUser(this.#db, owner);
    return owner;
  }

  /** The caller that a bearer key stands for, or undefined when it is not valid. */
  authenticate(key: string): Caller | undefined {
    const keyPrefix = key.slice(0, PREFIX_LENGTH);
    if (this.#runKey !== undefined && isSameSecret(key, this.#runKey))
      return { user: this.owner(), keyPrefix };
    const hash = sha256Hex(key);
    const sessionUser = this.#sessions.get(hash);
    if (sessionUser !== undefined) return this.#callerOf(sessionUser, keyPrefix);
    if (!isWellFormedKey(key)) return undefined;
    const row = store.findKeyByHash(this.#db, hash);
    if (row === undefined) return undefined;
    const now = this.#clock.now();
    if (row.last_used_at === null || Math.abs(now - row.last_used_at) > TOUCH_EVERY_MS) {
      store.touchKey(this.#db, row.id, now);
    }
    return this.#callerOf(row.user_id, keyPrefix);
  }

  /** A one-time token that a window turns into a session key. */
  newLoginToken(): string {
    const token = newToken();
    this.#loginTokens.add(token);
    return token;
  }

  openSession(token: string): { key: string; user: User } {
    if (!this.#loginTokens.delete(token)) {
      throw new AppError(
        'unauthorized',
        'This link was used already, or is not valid. Start `earshot serve` again for a new one.',
      );
    }
    const owner = this.owner();
    const key = newApiKey();
    this.#sessions.set(sha256Hex(key), owner.id);
    return { key, user: presentUser(owner) };
  }

  listKeys(userId: string): ApiKey[] {
    return store.listKeys(this.#db, userId).map(presentKey);
  }

  createKey(userId: string, name: string): KeyWithSecret {
    const key = newApiKey();
    const row: KeyRow = {
      id: newId('key'),
      user_id: userId,
      name,
      prefix: key.slice(0, PREFIX_LENGTH),
      hash: sha256Hex(key),
      created_at: this.#clock.now(),
      last_used_at: null,
    };
    store.insertKey(this.#db, row);
    return { ...presentKey(row), key };
  }

  rotateKey(userId: string, id: string): KeyWithSecret {
    const row = store.findKey(this.#db, userId, id);
    if (row === undefined) throw keyNotFound();
    const key = newApiKey();
    const prefix = key.slice(0, PREFIX_LENGTH);
    store.replaceKeySecret(this.#db, id, prefix, sha256Hex(key));
    return { ...presentKey({ ...row, prefix, last_used_at: null }), key };
  }

  revokeKey(userId: string, id: string): void {
    if (!store.deleteKey(this.#db, userId, id)) throw keyNotFound();
  }

  listUsers(): User[] {
    return store.listUsers(this.#db).map(presentUser);
  }

  createUser(name: string, limits: Limits): { user: User; key: KeyWithSecret } {
    this.#refuseTaken(name);
    const row = this.#userRow(name, limits, 0);
    return this.#db.transaction(() => {
      store.insertUser(this.#db, row);
      return { user: presentUser(row), key: this.createKey(row.id, 'first') };
    });
  }

  changeUser(id: string, change: Limits & { name?: string | undefined }): User {
    const row = store.findUser(this.#db, id);
    if (row === undefined) throw userNotFound();
    if (change.name !== undefined && change.name !== row.name) this.#refuseTaken(change.name);
    const next: UserRow = {
      ...row,
      name: change.name ?? row.name,
      storage_limit: change.storage_limit === undefined ? row.storage_limit : change.storage_limit,
      credit_budget: change.credit_budget === undefined ? row.credit_budget : change.credit_budget,
    };
    store.updateUser(this.#db, id, next);
    return presentUser(next);
  }

  /** The user's row, for deletion by the service that also removes what the user kept. */
  deletableUser(id: string): UserRow {
    const row = store.findUser(this.#db, id);
    if (row === undefined) throw userNotFound();
    if (row.owner === 1) throw new AppError('conflict', 'The owner of this installation cannot be deleted.');
    return row;
  }

  removeUser(id: string): void {
    this.#db.transaction(() => {
      store.deleteUser(this.#db, id);
      markForScrub(this.#db, 'log');
    });
    runPendingScrub(this.#db);
    for (const [hash, userId] of this.#sessions) if (userId === id) this.#sessions.delete(hash);
  }

  #callerOf(userId: string, keyPrefix: string): Caller | undefined {
    const user = store.findUser(this.#db, userId);
    return user === undefined ? undefined : { user, keyPrefix };
  }

  #refuseTaken(name: string): void {
    if (store.findUserByName(this.#db, name) === undefined) return;
    throw new AppError('conflict', 'There is a user of that name already.');
  }

  #userRow(name: string, limits: Limits, owner: 0 | 1): UserRow {
    return {
      id: newId('usr'),
      name,
      owner,
      created_at: this.#clock.now(),
      storage_limit: limits.storage_limit ?? null,
      credit_budget: limits.credit_budget ?? null,
    };
  }
}
