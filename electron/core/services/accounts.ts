import type { ApiKey, KeyWithSecret, User } from '../../contract/account.ts';
import { type Clock, isoTime } from '../base/clock.ts';
import { Emitter } from '../base/emitter.ts';
import { AppError, hasDiskFullCode } from '../base/errors.ts';
import { isSameSecret, isWellFormedKey, newApiKey, newId, newToken, sha256Hex } from '../base/ids.ts';
import { round } from '../base/numbers.ts';
import { creditsBy, creditsUsed } from '../stores/credits.ts';
import type { ReadableDb, WritableDb } from '../stores/database.ts';
import type { SessionRow } from '../stores/schema.ts';
import { runPendingScrub } from '../stores/scrub.ts';
import { markForScrub } from '../stores/scrub-mark.ts';
import type { UserRecord } from '../stores/users.ts';
import * as store from '../stores/users.ts';

/** The credits that a user's transcripts cost so far. */
export class UsageService {
  readonly #db: ReadableDb;

  constructor(db: ReadableDb) {
    this.#db = db;
  }

  of(user: UserRecord) {
    const groups = (column: 'model' | 'month') =>
      creditsBy(this.#db, user.id, column).map(({ name, credits, seconds, transcripts }) => ({
        name,
        credits: round(credits, 2),
        seconds: round(seconds, 3),
        transcripts,
      }));
    return {
      credits_used: round(creditsUsed(this.#db, user.id), 2),
      credit_budget: user.creditBudget,
      by_model: groups('model').map(({ name, ...rest }) => ({ model: name, ...rest })),
      by_month: groups('month').map(({ name, ...rest }) => ({ month: name, ...rest })),
    };
  }
}

/** The user behind a request, with the key that it was sent with. */
export type Caller = {
  readonly user: store.UserRecord;
  readonly keyHash: string;
  /** The key's first characters, for the request log. */
  readonly keyPrefix: string;
};

type AccountEvents = {
  /** The keys with these hashes are not valid any more. */
  keysEnded: ReadonlySet<string>;
};

const PREFIX_LENGTH = 8;
const TOUCH_EVERY_MS = 60_000;
/** A session ends when it is not used for this long. */
const SESSION_LASTS_MS = 30 * 24 * 60 * 60_000;

const presentKey = (key: store.KeyRecord): ApiKey => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  created_at: isoTime(key.createdAt),
  last_used_at: key.lastUsedAt === null ? null : isoTime(key.lastUsedAt),
});

export const presentUser = (user: store.UserRecord): User => ({
  id: user.id,
  name: user.name,
  owner: user.isOwner,
  created_at: isoTime(user.createdAt),
  storage_limit: user.storageLimit,
  credit_budget: user.creditBudget,
});

const browserHash = (half: string, browser: string) => sha256Hex(`${half}.${browser}`);

/** With a full disk, one must still be able to sign in and delete something. */
const unlessDiskFull = (write: () => void): void => {
  try {
    write();
  } catch (error) {
    if (!hasDiskFullCode(error)) throw error;
  }
};

const keyNotFound = () => new AppError('key_not_found', 'There is no such key.');
const userNotFound = () => new AppError('user_not_found', 'There is no such user.');

type Limits = { storage_limit?: number | null | undefined; credit_budget?: number | null | undefined };

/** Manages users, their API keys, and the session keys of windows. */
export class AccountService {
  readonly #db: WritableDb;
  readonly #clock: Clock;
  readonly #runKey: string | undefined;
  /** Those of this run, which also a full disk lets a window open. */
  readonly #sessions = new Map<string, string>();
  readonly #loginTokens = new Set<string>();
  readonly #events = new Emitter<AccountEvents>();

  /** `runKey` is the owner's key for this run alone (`EARSHOT_API_KEY`). */
  constructor(db: WritableDb, clock: Clock, runKey: string | undefined) {
    this.#db = db;
    this.#clock = clock;
    this.#runKey = runKey;
  }

  /** The owner of the installation, created at the first start. */
  owner(): store.UserRecord {
    const known = store.findOwner(this.#db);
    if (known !== undefined) return known;
    const owner = this.#newUser('owner', {}, true);
    store.insertUser(this.#db, owner);
    return owner;
  }

  /** A program of this computer that needs no key: it acts as the owner. */
  keylessProgram(): Caller {
    return { user: this.owner(), keyHash: '', keyPrefix: 'keyless' };
  }

  /** Undefined if the bearer key is not valid. */
  authenticate(key: string): Caller | undefined {
    const keyPrefix = key.slice(0, PREFIX_LENGTH);
    const keyHash = sha256Hex(key);
    if (this.#runKey !== undefined && isSameSecret(key, this.#runKey))
      return { user: this.owner(), keyHash, keyPrefix };
    const sessionUser = this.#sessions.get(keyHash);
    if (sessionUser !== undefined) return this.#callerOf(sessionUser, keyHash, keyPrefix);
    if (!isWellFormedKey(key)) return undefined;
    const session = this.#storedSession(keyHash, 'tab');
    if (session !== undefined) return this.#callerOf(session.user_id, keyHash, keyPrefix);
    const known = store.findKeyByHash(this.#db, keyHash);
    if (known === undefined) return undefined;
    const now = this.#clock.now();
    if (known.lastUsedAt === null || Math.abs(now - known.lastUsedAt) > TOUCH_EVERY_MS) {
      this.#touch(known.id, now);
    }
    return this.#callerOf(known.userId, keyHash, keyPrefix);
  }

  /** Calls `action` once the caller's key is revoked or rotated, or its user deleted. Returns a function that cancels. */
  onKeyEnded({ keyHash }: Caller, action: () => void): () => void {
    return this.#events.on('keysEnded', (hashes) => {
      if (hashes.has(keyHash)) action();
    });
  }

  /** A link with a one-time token, which a window exchanges for a session key. `baseUrl`: where this server answers. */
  newLoginLink(baseUrl: string): string {
    const token = newToken();
    this.#loginTokens.add(token);
    return `${baseUrl}/#token=${token}`;
  }

  /** Exchanges the token of a link. `half` and `browser` are the halves of the secret with which further tabs open. */
  openSession(token: string): { key: string; browser: string; half: string; user: User } {
    if (!this.#loginTokens.delete(token)) {
      throw new AppError(
        'unauthorized',
        'This link was used already, or is not valid. `earshot open` makes a new one.',
      );
    }
    const owner = this.owner();
    const [half, browser] = [newToken(), newToken()];
    this.#storeSession(browserHash(half, browser), owner.id, 'browser');
    return { key: this.#newTabKey(owner.id), browser, half, user: presentUser(owner) };
  }

  /** The session of a further tab; undefined if the halves are not those of a browser with a session. */
  resumeSession(half: string, browser: string): { key: string; browser: string; user: User } | undefined {
    const session = this.#storedSession(browserHash(half, browser), 'browser');
    const user = session && store.findUser(this.#db, session.user_id);
    return user && { key: this.#newTabKey(user.id), browser, user: presentUser(user) };
  }

  #newTabKey(userId: string): string {
    const key = newApiKey();
    const hash = sha256Hex(key);
    this.#sessions.set(hash, userId);
    this.#storeSession(hash, userId, 'tab');
    return key;
  }

  #storedSession(hash: string, kind: SessionRow['kind']): SessionRow | undefined {
    const now = this.#clock.now();
    const session = store.findSession(this.#db, hash, kind, now - SESSION_LASTS_MS);
    if (session !== undefined && Math.abs(now - session.used_at) > TOUCH_EVERY_MS)
      unlessDiskFull(() => store.touchSession(this.#db, hash, now));
    return session;
  }

  #storeSession(hash: string, user_id: string, kind: SessionRow['kind']): void {
    const used_at = this.#clock.now();
    unlessDiskFull(() =>
      this.#db.transaction(() => {
        store.deleteSessionsBefore(this.#db, used_at - SESSION_LASTS_MS);
        store.insertSession(this.#db, { hash, user_id, kind, used_at });
      }),
    );
  }

  listKeys(userId: string): ApiKey[] {
    return store.listKeys(this.#db, userId).map(presentKey);
  }

  createKey(userId: string, name: string): KeyWithSecret {
    const key = newApiKey();
    const record: store.KeyRecord = {
      id: newId('key'),
      userId,
      name,
      prefix: key.slice(0, PREFIX_LENGTH),
      hash: sha256Hex(key),
      createdAt: this.#clock.now(),
      lastUsedAt: null,
    };
    store.insertKey(this.#db, record);
    return { ...presentKey(record), key };
  }

  rotateKey(userId: string, id: string): KeyWithSecret {
    const record = store.findKey(this.#db, userId, id);
    if (record === undefined) throw keyNotFound();
    const key = newApiKey();
    const prefix = key.slice(0, PREFIX_LENGTH);
    store.replaceKeySecret(this.#db, id, prefix, sha256Hex(key));
    this.#events.emit('keysEnded', new Set([record.hash]));
    return { ...presentKey({ ...record, prefix, lastUsedAt: null }), key };
  }

  revokeKey(userId: string, id: string): void {
    const record = store.findKey(this.#db, userId, id);
    if (record === undefined || !store.deleteKey(this.#db, userId, id)) throw keyNotFound();
    this.#events.emit('keysEnded', new Set([record.hash]));
  }

  listUsers(): User[] {
    return store.listUsers(this.#db).map(presentUser);
  }

  createUser(name: string, limits: Limits): { user: User; key: KeyWithSecret } {
    this.#checkNameIsFree(name);
    const user = this.#newUser(name, limits, false);
    return this.#db.transaction(() => {
      store.insertUser(this.#db, user);
      return { user: presentUser(user), key: this.createKey(user.id, 'first') };
    });
  }

  changeUser(id: string, change: Limits & { name?: string | undefined }): User {
    const user = store.findUser(this.#db, id);
    if (user === undefined) throw userNotFound();
    if (change.name !== undefined && change.name !== user.name) this.#checkNameIsFree(change.name);
    const next: store.UserRecord = {
      ...user,
      name: change.name ?? user.name,
      storageLimit: change.storage_limit === undefined ? user.storageLimit : change.storage_limit,
      creditBudget: change.credit_budget === undefined ? user.creditBudget : change.credit_budget,
    };
    store.updateUser(this.#db, next);
    return presentUser(next);
  }

  /** Throws `user_not_found`, and `conflict` for the owner. */
  deletableUser(id: string): store.UserRecord {
    const user = store.findUser(this.#db, id);
    if (user === undefined) throw userNotFound();
    if (user.isOwner) throw new AppError('conflict', 'The owner of this installation cannot be deleted.');
    return user;
  }

  removeUser(id: string): void {
    const ended = new Set([
      ...store.listKeys(this.#db, id).map(({ hash }) => hash),
      ...store.sessionsOf(this.#db, id),
    ]);
    this.#db.transaction(() => {
      store.deleteUser(this.#db, id);
      markForScrub(this.#db, 'log');
    }, 'deletion');
    for (const [hash, userId] of this.#sessions) {
      if (userId === id && this.#sessions.delete(hash)) ended.add(hash);
    }
    this.#events.emit('keysEnded', ended);
    runPendingScrub(this.#db, 0);
  }

  #touch(id: string, now: number): void {
    unlessDiskFull(() => store.touchKey(this.#db, id, now));
  }

  #callerOf(userId: string, keyHash: string, keyPrefix: string): Caller | undefined {
    const user = store.findUser(this.#db, userId);
    return user === undefined ? undefined : { user, keyHash, keyPrefix };
  }

  #checkNameIsFree(name: string): void {
    if (store.findUserByName(this.#db, name) === undefined) return;
    throw new AppError('conflict', 'There is a user of that name already.');
  }

  #newUser(name: string, limits: Limits, isOwner: boolean): store.UserRecord {
    return {
      id: newId('usr'),
      name,
      isOwner,
      createdAt: this.#clock.now(),
      storageLimit: limits.storage_limit ?? null,
      creditBudget: limits.credit_budget ?? null,
    };
  }
}
