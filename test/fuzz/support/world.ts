import { catalogueLine, starterBytes } from '../../models/support/mirror.ts';
import { fixture } from '../../support/fixtures.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { file, htmlPage, startUrlServer, type UrlServer } from '../../support/url-server.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';
import type { Random } from './random.ts';
import { tinyWav } from './tiny-wav.ts';

export type Actor = 'owner' | 'maria';
export type Kind = 'transcript' | 'file' | 'key' | 'user' | 'upload-token' | 'read-token';

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

const REFUSED = 'http://127.0.0.1:1/talk.mp3';
const MODEL = 'copy-a';

type Costly = 'recognition' | 'benchmark' | 'install' | 'import';

/** How often in one run what takes seconds may really happen. */
const MOST: Readonly<Record<Costly, number>> = { recognition: 6, benchmark: 1, install: 3, import: 2 };

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

const upload = async (world: World, actor: Actor, bytes: Buffer, name: string, isPublic = false) => {
  const form = new FormData();
  form.append('public', String(isPublic));
  form.append('metadata', '{"project":{"name":"alpha"},"tags":["a","b"]}');
  form.append('file', new Blob([new Uint8Array(bytes)]), name);
  const { data } = await world.server.as(world.keyOf(actor)).call('uploadFile', { body: form });
  return data.file.key;
};

const transcribe = async (world: World, actor: Actor, state: string, kept: boolean, body: object) => {
  const made = await world.server.as(world.keyOf(actor)).call('createTranscript', {
    body: { audio_url: REFUSED, wait_until_complete: state !== 'queued', timestamp_style: 'word', ...body },
  });
  const ended = state === 'queued' ? 'processing' : state === 'failed' ? 'failed' : 'completed';
  if (made.status !== ended) throw new Error(`A transcription is ${made.status}: ${made.error?.message}`);
  world.add('transcript', made.id, actor, state, kept);
};

const ANALYSES = {
  diarize: true,
  entity_detection: true,
  topics: true,
  summarization: true,
  content_safety: true,
};

const fillFiles = async (world: World): Promise<string> => {
  const speech = await upload(world, 'owner', fixture('01-short-note.wav'), 'short note.wav');
  world.add('file', speech, 'owner', 'speech', true);
  const plain = Buffer.from('Plain words, 漢字.\n');
  world.add('file', await upload(world, 'owner', plain, 'notes.txt', true), 'owner', 'public', true);
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
  world.add('file', await upload(world, 'owner', svg, '図.svg', true), 'owner', 'public', true);
  for (let count = 0; count < 5; count++) {
    world.add('file', await upload(world, 'owner', plain, `disposable ${count}.txt`), 'owner');
  }
  world.add('file', await upload(world, 'maria', plain, 'hers.txt'), 'maria', '', true);
  return speech;
};

const fillTranscripts = async (world: World, speech: string): Promise<void> => {
  const hers = await upload(world, 'maria', fixture('01-short-note.wav'), 'hers.wav');
  const audio_url = `storage:${speech}`;
  const webhook = { webhook_url: world.receiver.url('/hook') };
  await Promise.all([
    transcribe(world, 'owner', 'completed', true, { audio_url, ...ANALYSES, ...webhook }),
    transcribe(world, 'owner', 'redacted', true, { audio_url, redact_pii: true, redact_pii_audio: true }),
    transcribe(world, 'maria', 'completed', true, { audio_url: `storage:${hers}`, audio_end_at: 2 }),
    ...[1, 2, 3, 4].map((second) =>
      transcribe(world, 'owner', 'completed', false, { audio_url, audio_end_at: second / 2 + 1 }),
    ),
    ...[1, 2, 3, 4, 5, 6].map(() => transcribe(world, 'owner', 'failed', false, webhook)),
  ]);
  // Nothing runs while there must be something that waits.
  world.queueHeld = true;
  await world.restore();
  for (let count = 0; count < 6; count++) await transcribe(world, 'owner', 'queued', false, webhook);
  for (let count = 0; count < 2; count++) await transcribe(world, 'maria', 'queued', false, {});
};

const fillAccounts = async (world: World): Promise<void> => {
  const { client } = world.server;
  for (let count = 0; count < 4; count++) {
    const key = await client.call('createKey', { body: { name: `key ${count}` } });
    world.add('key', key.data.id, 'owner');
    const user = await client.call('createUser', { body: { name: `user ${count}` } });
    world.add('user', user.data.user.id, 'owner');
  }
};

/** Starts the server and makes what the requests will be about. */
export const createWorld = async (): Promise<World> => {
  const [server, remote, receiver, folder] = await Promise.all([
    startServer(),
    startUrlServer(),
    startWebhookReceiver(),
    temporaryFolder(),
  ]);
  const model = starterBytes();
  remote.set('/tiny.wav', file(tinyWav()));
  remote.set('/page.mp3', htmlPage);
  remote.set(`/mirror/ggml-${MODEL}.bin`, file(model));
  const base = {
    'limits.requestsPerMinute': 0,
    'limits.uploadsPer15Minutes': 0,
    'limits.deletionsPer15Minutes': 0,
    'models.baseUrl': remote.url('/mirror'),
    'models.catalogue': [catalogueLine(MODEL, model)],
    'queue.concurrency': 2,
    'network.stallSeconds': 2,
    'webhooks.retrySeconds': [],
  };
  const { data: maria } = await server.client.call('createUser', { body: { name: 'María' } });
  const parts = { server, remote, receiver, folder: folder.path, mariasKey: maria.key.key };
  const world = new World(parts, base, async () => {
    await Promise.all([discard(server), remote.close(), receiver.close()]);
    await folder.remove();
  });
  world.add('user', maria.user.id, 'owner', 'maria', true);
  await world.restore();
  const speech = await fillFiles(world);
  await fillAccounts(world);
  await fillTranscripts(world, speech);
  const { data } = await server.client.call('listModels');
  await until(() => data.some(({ id }) => id === MODEL));
  return world;
};

/** The model that can be installed from the mirror, and those that cannot. */
export const modelIds = (world: World, operationId: string, random: Random): string => {
  if (operationId === 'installModel' && random.chance(0.2) && world.afford('install')) return MODEL;
  if (operationId === 'benchmarkModel' && random.chance(0.3) && world.afford('benchmark')) return 'starter';
  if (operationId === 'removeModel' && random.chance(0.3)) return MODEL;
  return random.pick(
    operationId === 'benchmarkModel' ? ['base', 'small', 'pro-x'] : ['base', 'tiny.en', 'starter'],
  );
};

/** A path for the import of a model: the real one seldom, what must not be read more often. */
export const modelPaths = (world: World, random: Random): string => {
  if (random.chance(0.2) && world.afford('import')) return STARTER;
  return random.pick([
    world.folder,
    '/dev/zero',
    '/dev/null',
    '/etc/passwd',
    '/proc/self/mem',
    `${world.folder}/no`,
  ]);
};

const STARTER = `${import.meta.dirname}/../../../resources/models/ggml-starter.bin`;
