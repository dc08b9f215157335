import type { Random } from '../../support/random.ts';
import type { TestServer } from '../../support/server.ts';
import type { UrlServer } from '../../support/url-server.ts';
import type { WebhookReceiver } from '../../support/webhook-receiver.ts';

export type Actor = 'owner' | 'maria';
export type Kind = 'transcript' | 'file' | 'key' | 'user' | 'voice' | 'upload-token' | 'read-token';

/** Something that the server keeps, as far as the requests that made it tell. */
export type Thing = {
  readonly kind: Kind;
  readonly id: string;
  readonly actor: Actor;
  /** For transcripts: completed, redacted, failed or queued; for upload tokens the declared type. */
  state: string;
  /** Not to be deleted or changed: what later requests need in order to succeed. */
  readonly kept: boolean;
  gone: boolean;
};

/** Nothing listens there: a job for it fails at once. */
export const REFUSED = 'http://127.0.0.1:1/talk.mp3';
/** A model that the mirror gives, and one whose download does not get on. */
export const WORKING_MODEL = 'copy-a';
export const SLOW_MODEL = 'slow';

type Costly = 'recognition' | 'benchmark' | 'install' | 'import';

/** How often in one run what takes seconds may really happen. */
const MOST: Readonly<Record<Costly, number>> = { recognition: 6, benchmark: 12, install: 6, import: 12 };

/** A real server with real objects of two users, and what is known of them. */
export class World {
  readonly server: TestServer;
  readonly remote: UrlServer;
  readonly receiver: WebhookReceiver;
  readonly folder: string;
  readonly mariasKey: string;
  readonly things: Thing[] = [];
  readonly loginToken: string;
  /** Whether the queue is held, so that nothing that waits for a transcription may be sent. */
  queueHeld = false;
  readonly #base: Readonly<Record<string, unknown>>;
  readonly #spent: Record<Costly, number> = { recognition: 0, benchmark: 0, install: 0, import: 0 };
  readonly #end: () => Promise<void>;

  constructor(
    parts: Pick<World, 'server' | 'remote' | 'receiver' | 'folder' | 'mariasKey'>,
    base: Readonly<Record<string, unknown>>,
    end: () => Promise<void>,
  ) {
    this.server = parts.server;
    this.remote = parts.remote;
    this.receiver = parts.receiver;
    this.folder = parts.folder;
    this.mariasKey = parts.mariasKey;
    this.loginToken = new URL(parts.server.loginUrl).hash.replace('#token=', '');
    this.#base = base;
    this.#end = end;
  }

  add(kind: Kind, id: string, actor: Actor, state = '', kept = false): Thing {
    const thing: Thing = { kind, id, actor, state, kept, gone: false };
    this.things.push(thing);
    return thing;
  }

  find(kind: Kind, fits: (thing: Thing) => boolean): Thing[] {
    return this.things.filter((thing) => thing.kind === kind && fits(thing));
  }

  byId(id: string): Thing | undefined {
    return this.things.find((thing) => thing.id === id);
  }

  /** Whether one more of what takes seconds may be done; counts it. */
  afford(what: Costly): boolean {
    if (this.#spent[what] >= MOST[what]) return false;
    this.#spent[what]++;
    return true;
  }

  keyOf(actor: Actor): string {
    return actor === 'owner' ? this.server.key : this.mariasKey;
  }

  /** The queue's state and the settings as the run needs them, whatever a request made of them. */
  async restore(): Promise<void> {
    const { data } = await this.server.client.call('getSettings');
    const stored = data.filter(({ source }) => source === 'stored').map(({ key }) => [key, null]);
    await this.server.client.call('patchSettings', {
      body: { ...Object.fromEntries(stored), ...this.#base },
    });
    await this.server.client.call(this.queueHeld ? 'pauseQueue' : 'resumeQueue');
  }

  audioUrl(random: Random): string {
    const real = this.find('file', ({ state, gone }) => state === 'speech' && !gone)[0];
    if (!this.queueHeld && real !== undefined && random.chance(0.05) && this.afford('recognition')) {
      return `storage:${real.id}`;
    }
    const cheap = [
      REFUSED,
      this.remote.url('/missing.mp3'),
      this.remote.url('/page.mp3'),
      'http://host.invalid/a',
    ];
    return random.chance(0.04) ? this.remote.url('/tiny.wav') : random.pick(cheap);
  }

  /** Nothing runs from here on, so that there is always something that waits. */
  async hold(): Promise<void> {
    this.queueHeld = true;
    await this.restore();
    const actors: readonly Actor[] = ['owner', 'owner', 'owner', 'owner', 'maria', 'maria'];
    for (const actor of actors) {
      const { id } = await this.server
        .as(this.keyOf(actor))
        .call('createTranscript', { body: { audio_url: REFUSED, webhook_url: this.receiver.url('/hook') } });
      this.add('transcript', id, actor, 'queued');
    }
  }

  /** Lets jobs run, without those that were made to wait. */
  async release(): Promise<void> {
    this.queueHeld = false;
    const waiting = this.find('transcript', ({ state, gone }) => state === 'queued' && !gone);
    for (const thing of waiting) {
      const key = this.keyOf(thing.actor);
      await this.server.fetch(`/v1/transcript/id/${thing.id}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${key}` },
      });
      thing.gone = true;
    }
    await this.restore();
  }

  close(): Promise<void> {
    return this.#end();
  }
}
