import type { ExportedFile } from '../../../electron/contract/storage.ts';
import { tinyWav } from '../../support/audio.ts';
import type { TestServer } from '../../support/server.ts';
import type { UrlServer } from '../../support/url-server.ts';
import type { WebhookReceiver } from '../../support/webhook-receiver.ts';
import type { Random } from './choices.ts';

export type Actor = 'owner' | 'maria';
export type Kind =
  | 'transcript'
  | 'file'
  | 'key'
  | 'user'
  | 'voice'
  | 'suggestion'
  | 'recording'
  | 'upload-token'
  | 'read-token';

/** An object on the server, as far as known from the requests. */
export type Thing = {
  readonly kind: Kind;
  readonly id: string;
  readonly actor: Actor;
  /** For transcripts: completed, redacted, failed or queued; for recordings empty, begun or whole; for upload tokens the declared type. */
  state: string;
  /** Must not be deleted or changed, since later requests need it. */
  readonly kept: boolean;
  deleted: boolean;
};

/** Nothing listens there, so a job for it fails at once. */
export const REFUSED = 'http://127.0.0.1:1/talk.mp3';
/** A model that the mirror serves, and one whose download stalls. */
export const WORKING_MODEL = 'copy-a';
export const SLOW_MODEL = 'slow';

/** What is heard in each segment of a transcript, and what a person makes of the name. */
export const MISHEARD = 'My name’s Zebulon, and he said so.';
export const CORRECTED = ['Sebulaun', 'Sibelius', 'Ottoline', 'Marmaduke', 'Xylophonist', 'Quetzalcoatl'];

type Costly = 'recognition' | 'benchmark' | 'install' | 'import';

/** Most uses per run of what takes seconds. */
const MAX_USES: Readonly<Record<Costly, number>> = { recognition: 6, benchmark: 12, install: 6, import: 12 };

/** A real server with objects of two users, and what is known about them. */
export class World {
  readonly server: TestServer;
  readonly remote: UrlServer;
  readonly receiver: WebhookReceiver;
  readonly folder: string;
  readonly mariasKey: string;
  /** A transcript that no request knows, with a misheard name in every segment. */
  readonly misheard: string;
  readonly things: Thing[] = [];
  readonly loginToken: string;
  /** What `importFile` accepts: a file of an export, and where its bytes lie. */
  exported: { readonly path: string; readonly file: ExportedFile } | undefined;
  /** While the queue is paused, no request may wait for a transcription. */
  isQueuePaused = false;
  readonly #base: Readonly<Record<string, unknown>>;
  readonly #spent: Record<Costly, number> = { recognition: 0, benchmark: 0, install: 0, import: 0 };
  readonly #end: () => Promise<void>;

  constructor(
    parts: Pick<World, 'server' | 'remote' | 'receiver' | 'folder' | 'mariasKey' | 'misheard'>,
    base: Readonly<Record<string, unknown>>,
    end: () => Promise<void>,
  ) {
    this.server = parts.server;
    this.remote = parts.remote;
    this.receiver = parts.receiver;
    this.folder = parts.folder;
    this.mariasKey = parts.mariasKey;
    this.misheard = parts.misheard;
    this.loginToken = new URL(parts.server.loginUrl).hash.replace('#token=', '');
    this.#base = base;
    this.#end = end;
  }

  add(kind: Kind, id: string, actor: Actor, state = '', kept = false): Thing {
    const thing: Thing = { kind, id, actor, state, kept, deleted: false };
    this.things.push(thing);
    return thing;
  }

  find(kind: Kind, fits: (thing: Thing) => boolean): Thing[] {
    return this.things.filter((thing) => thing.kind === kind && fits(thing));
  }

  byId(id: string): Thing | undefined {
    return this.things.find((thing) => thing.id === id);
  }

  /** Whether `what` may be used once more; counts the use. */
  afford(what: Costly): boolean {
    if (this.#spent[what] >= MAX_USES[what]) return false;
    this.#spent[what]++;
    return true;
  }

  keyOf(actor: Actor): string {
    return actor === 'owner' ? this.server.key : this.mariasKey;
  }

  /** Starts a recording of the owner, with its sound if it is to be finished; returns its id. */
  async startRecording(isWhole: boolean): Promise<string> {
    const { client } = this.server;
    const body = { filename: 'tiny.wav', contentType: 'audio/wav' };
    const { id } = (await client.call('startRecording', { body })).data;
    const sound = new Blob([new Uint8Array(tinyWav())]);
    if (isWhole) await client.call('appendRecording', { params: { id }, body: sound });
    this.add('recording', id, 'owner', isWhole ? 'whole' : 'empty');
    return id;
  }

  /** Corrects a word of the owner in two places, so that its spelling is suggested as a term. */
  async learnTerm(): Promise<void> {
    const { client } = this.server;
    const at = this.find('suggestion', () => true).length;
    const name = CORRECTED[at];
    if (name === undefined) throw new Error('Add a name: each is suggested once.');
    await client.call('patchTermSuggestions', { body: { enabled: true } });
    const segments = [2 * at, 2 * at + 1].map((id) => ({ id, text: MISHEARD.replace('Zebulon', name) }));
    await client.call('patchTranscript', { params: { id: this.misheard }, body: { segments } });
    const { data } = await client.call('listTermSuggestions');
    const learned = data.suggestions.find(({ term }) => term === name);
    if (learned === undefined) throw new Error(`${name} is not suggested.`);
    this.add('suggestion', learned.id, 'owner');
  }

  /** Restores the settings and the queue, whatever a request changed. */
  async restore(): Promise<void> {
    const { data } = await this.server.client.call('getSettings');
    const stored = data.filter(({ source }) => source === 'stored').map(({ key }) => [key, null]);
    await this.server.client.call('patchSettings', {
      body: { ...Object.fromEntries(stored), ...this.#base },
    });
    await this.server.client.call(this.isQueuePaused ? 'pauseQueue' : 'resumeQueue');
  }

  audioUrl(random: Random): string {
    const real = this.find('file', ({ state, deleted }) => state === 'speech' && !deleted)[0];
    if (!this.isQueuePaused && real !== undefined && random.chance(0.05) && this.afford('recognition')) {
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

  /** Pauses the queue and queues jobs, so that there are always waiting ones. */
  async pauseQueue(): Promise<void> {
    this.isQueuePaused = true;
    await this.restore();
    const actors: readonly Actor[] = ['owner', 'owner', 'owner', 'owner', 'maria', 'maria'];
    for (const actor of actors) {
      const { id } = await this.server
        .as(this.keyOf(actor))
        .call('createTranscript', { body: { audio_url: REFUSED, webhook_url: this.receiver.url('/hook') } });
      this.add('transcript', id, actor, 'queued');
    }
  }

  /** Deletes the jobs of `pauseQueue` and resumes the queue. */
  async resumeQueue(): Promise<void> {
    this.isQueuePaused = false;
    const waiting = this.find('transcript', ({ state, deleted }) => state === 'queued' && !deleted);
    for (const thing of waiting) {
      const key = this.keyOf(thing.actor);
      await this.server.fetch(`/v1/transcript/id/${thing.id}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${key}` },
      });
      thing.deleted = true;
    }
    await this.restore();
  }

  close(): Promise<void> {
    return this.#end();
  }
}
