import { STARTER_MODEL } from '../../support/paths.ts';
import type { Random } from './choices.ts';
import type { ApiDocument, Operation, Parameter, Schema } from './document.ts';
import { fileFieldOf } from './forms.ts';
import type { Draft } from './plan.ts';
import { EDGE_TEXTS, type Hints, jsonText, ValueMaker, wildValue } from './values.ts';
import { type Actor, type Kind, SLOW_MODEL, type Thing, WORKING_MODEL, type World } from './world.ts';

const DESTRUCTIVE = new Set([
  'deleteTranscript',
  'aaiDelete',
  'patchTranscript',
  'analyzeTranscript',
  'deleteFile',
  'patchFile',
  'forgetVoice',
]);

/** They need a transcript with speakers. */
const SPEAKER_EDITS = [
  'addSpeaker',
  'mergeSpeakers',
  'splitSpeaker',
  'undoEdit',
  'redoEdit',
  'forgetEdits',
] as const;

const TRANSCRIPT_STATES: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(SPEAKER_EDITS.map((edit) => [edit, ['talk']])),
  cancelTranscript: ['queued'],
  moveInQueue: ['queued'],
  retryTranscript: ['failed'],
  aaiRedactedAudio: ['redacted'],
  patchTranscript: ['completed', 'spoken'],
  analyzeTranscript: ['completed', 'spoken'],
  deleteTranscript: ['failed', 'queued'],
  aaiDelete: ['failed', 'queued'],
  testDelivery: ['completed'],
  listDeliveries: ['completed', 'failed'],
};

const KINDS: readonly [RegExp, Kind][] = [
  [/^\/v1\/keys/, 'key'],
  [/^\/v1\/users/, 'user'],
  [/^\/v1\/voices/, 'voice'],
  [/^\/v1\/vocabulary/, 'suggestion'],
  [/recordings\/\{id\}/, 'recording'],
  [/presigned\/\{token\}/, 'upload-token'],
  [/\{fileKey\}/, 'file'],
  [/transcript/, 'transcript'],
];

const JUNK = ['x', '../x', 'tr_00000000000000000000000000', "1' OR '1'='1", '日本', '%', 'a'.repeat(99)];

const NEVER = 'tr_01JZZZZZZZZZZZZZZZZZZZZZZZ';

/** Whether an operation may be tried on a thing; what later requests need is not changed. */
const maySuffer = ({ operationId }: Operation, thing: Thing): boolean => {
  const changes = DESTRUCTIVE.has(operationId) || thing.kind === 'user' || thing.kind === 'key';
  const deletes = operationId.toLowerCase().includes('delete');
  return !thing.deleted && !(thing.kept && changes) && !(['spoken', 'talk'].includes(thing.state) && deletes);
};

/** Whether an operation by this user can succeed. */
export const suits = (operation: Operation, thing: Thing, actor: Actor): boolean => {
  if (thing.deleted || thing.actor !== actor || !maySuffer(operation, thing)) return false;
  if (operation.operationId === 'directFile') return thing.state === 'public';
  if (thing.kind === 'recording') {
    if (operation.operationId === 'finishRecording') return thing.state === 'whole';
    return operation.operationId !== 'appendRecording' || thing.state === 'empty';
  }
  if (thing.kind !== 'transcript') return true;
  return (TRANSCRIPT_STATES[operation.operationId] ?? ['completed', 'spoken', 'redacted']).includes(
    thing.state,
  );
};

/** Models, of which only one can be installed from the mirror. */
const modelIds = (world: World, operationId: string, random: Random): string => {
  if (operationId === 'installModel' && random.chance(0.4) && world.afford('install')) return WORKING_MODEL;
  if (operationId === 'benchmarkModel' && random.chance(0.5) && world.afford('benchmark')) return 'starter';
  if (operationId === 'installModel' && random.chance(0.2)) return SLOW_MODEL;
  if (operationId === 'pauseModel' && random.chance(0.5)) return SLOW_MODEL;
  if (operationId === 'removeModel' && random.chance(0.3)) return WORKING_MODEL;
  return random.pick(
    operationId === 'benchmarkModel' ? ['base', 'small', 'pro-x'] : ['base', 'tiny.en', 'starter'],
  );
};

/** A path to import a model from: sometimes the real one, mostly one that must be refused. */
const modelPaths = (world: World, random: Random): string => {
  if (random.chance(0.5) && world.afford('import')) return STARTER_MODEL;
  return random.pick([
    world.folder,
    '/dev/zero',
    '/dev/null',
    '/etc/passwd',
    '/proc/self/mem',
    `${world.folder}/no`,
  ]);
};

/** Makes the parts of requests that refer to things of the world. */
export class Inputs {
  readonly #document: ApiDocument;
  readonly #world: World;
  readonly #random: Random;
  readonly #values: ValueMaker;

  constructor(document: ApiDocument, world: World, random: Random) {
    this.#document = document;
    this.#world = world;
    this.#random = random;
    this.#values = new ValueMaker(document, random, this.#hints);
  }

  /** A valid request on things that suit the operation. */
  draft(operation: Operation, actor: Actor): Draft {
    const draft: Draft = { params: {}, query: [], headers: {}, body: undefined, fault: undefined, ids: [] };
    for (const parameter of operation.parameters) {
      if (parameter.in === 'path') this.#fillPath(draft, operation, parameter, actor);
      else if (parameter.required || this.#random.chance(0.25)) this.#fillOther(draft, parameter);
    }
    return draft;
  }

  json(operation: Operation, schema: Schema): unknown {
    const value = this.#values.valid(schema);
    if (typeof value !== 'object' || value === null) return value;
    const wait =
      'wait_until_complete' in value && this.#world.isQueuePaused ? { wait_until_complete: false } : {};
    const range = 'audio_end_at' in value ? { audio_end_at: 0 } : {};
    return { ...value, ...wait, ...(this.#random.chance(0.8) ? range : {}), ...this.#suitable(operation) };
  }

  fields(schema: Schema): [string, string][] {
    const { properties = {}, required = [] } = this.#document.resolve(schema);
    return Object.entries(properties).flatMap(([name, field]): [string, string][] => {
      if (name === fileFieldOf(schema) || (!required.includes(name) && !this.#random.chance(0.3))) return [];
      const hint = this.#hints(name, this.#random);
      const value = hint === undefined ? this.#values.valid(field) : hint.value;
      if (Array.isArray(value)) return value.map((item) => [name, String(item)]);
      return [[name, typeof value === 'string' ? value : jsonText(value)]];
    });
  }

  /** An edge-case text, or the JSON of a value of another type. */
  text(): string {
    const value = this.#random.chance(0.7) ? this.#random.pick(EDGE_TEXTS) : wildValue(this.#random);
    return typeof value === 'string' ? value : jsonText(value);
  }

  /** Values that chance would hardly find, such as existing segments or a free model name. */
  #suitable({ operationId }: Operation): object {
    if (operationId === 'importModel' && this.#random.chance(0.9)) {
      return { id: `imported-${this.#random.int(0, 1e9)}` };
    }
    if (operationId === 'importFile' && this.#random.chance(0.5)) {
      return { ...this.#world.exported, user: undefined };
    }
    const label = () => this.#random.pick(['A', 'B', 'C', 'D']);
    if (operationId === 'mergeSpeakers') return { from: label(), into: label() };
    if (operationId === 'splitSpeaker') return { from: label(), segments: [this.#random.int(0, 2)] };
    if (operationId === 'undoEdit' || operationId === 'redoEdit') return { edit: undefined };
    if (operationId !== 'patchTranscript' || this.#random.chance(0.2)) return {};
    // Random speakers were never detected, and a silent transcript has no segments.
    if (this.#random.chance(0.5)) return { name: 'Said otherwise', segments: undefined, speakers: undefined };
    return { segments: [{ id: 0, text: this.text().slice(0, 500) }], speakers: undefined };
  }

  #fillPath(draft: Draft, operation: Operation, { name }: Parameter, actor: Actor): void {
    const value = this.#target(operation, actor);
    draft.params[name] = value;
    draft.ids.push(value);
    const thing = this.#world.byId(value);
    if (thing?.kind === 'upload-token') {
      // The declared type, the token's state, determines the length.
      draft.headers['content-type'] = thing.state;
    }
  }

  #target(operation: Operation, actor: Actor): string {
    const { operationId, path } = operation;
    if (path.startsWith('/v1/models')) return modelIds(this.#world, operationId, this.#random);
    const kind =
      operationId === 'getPresigned' ? 'read-token' : KINDS.find(([place]) => place.test(path))?.[1];
    if (kind === undefined) return this.#random.pick(JUNK);
    const roll = this.#random.next();
    if (roll < 0.05) return this.#random.pick(JUNK);
    if (roll < 0.08) return NEVER;
    if (roll < 0.14) return this.#any(kind, ({ deleted }) => deleted);
    if (roll < 0.22) return this.#any(kind, (thing) => thing.actor !== actor && maySuffer(operation, thing));
    if (roll < 0.3) return this.#any(kind, (thing) => maySuffer(operation, thing));
    return this.#any(kind, (thing) => suits(operation, thing, actor));
  }

  #any(kind: Kind, fits: (thing: Thing) => boolean): string {
    const found = this.#world.find(kind, fits);
    return found.length === 0 ? NEVER : this.#random.pick(found).id;
  }

  #fillOther(draft: Draft, parameter: Parameter): void {
    const { name } = parameter;
    if (parameter.style === 'deepObject') {
      draft.query.push([`${name}[project.name]`, this.#random.pick(['alpha', 'beta', '日本'])]);
      return;
    }
    const hint = this.#hints(name, this.#random);
    const value = hint === undefined ? this.#values.valid(parameter.schema) : hint.value;
    if (parameter.in === 'query') draft.query.push([name, String(value)]);
    else draft.headers[name] = headerText(String(value)) || 'x';
  }

  readonly #hints: Hints = (name, random) => {
    const make = HINTS[name];
    return make === undefined ? undefined : { value: make(this.#world, random) };
  };
}

/** The text without characters that a header must not contain. */
export const headerText = (text: string): string =>
  Buffer.from(text.slice(0, 4000), 'utf8')
    .toString('latin1')
    .replaceAll(/\p{Cc}/gu, '')
    .trim();

type Hint = (world: World, random: Random) => unknown;

const HINTS: Readonly<Record<string, Hint>> = {
  audio_url: (world, random) => world.audioUrl(random),
  model: (_, random) => random.pick(['mini', 'mini', 'nano', 'pro', 'starter', 'base', 'whisper-1']),
  language: (_, random) => random.pick(['en', 'auto', 'de', 'ja', 'yue']),
  webhook_url: (world) => world.receiver.url('/hook'),
  path: (world, random) => modelPaths(world, random),
  id: (_, random) => random.pick(['imported', 'imported-2', 'モデル', '../x']),
  token: (world, random) => (random.chance(0.1) ? world.loginToken : 'guess'),
  filename: (_, random) => random.pick(['talk.wav', '講演.wav', 'note.txt', '../note.txt', 'a b.txt']),
  contentType: (_, random) => random.pick(['text/plain', 'text/plain', 'audio/wav']),
  fileSize: (_, random) => random.pick([1, 5, 1024, 1024 ** 3]),
  offset: (_, random) => random.pick([0, 0, 0, 5, 1024 ** 3]),
  folder: (_, random) => random.pick(['', 'a', 'a/b', '日本', 'openai']),
  prefix: (_, random) => random.pick(['files', '/', 'notes', '%', '日本']),
  metadata: (_, random) => random.pick([{}, { project: { name: 'alpha' } }, { 名: ['一', 2, null, true] }]),
  words: (_, random) => random.pick(['the', 'the, a b', '日本,,', 'true', 'false']),
  signature: (_, random) => random.pick(['x', 'A'.repeat(43)]),
  Range: (_, random) =>
    random.pick([
      'bytes=0-3',
      'bytes=-4',
      'bytes=2-',
      'bytes=0-0,2-2',
      'bytes=999999999-',
      'bytes=5-1',
      'lines=1',
      'bytes=,',
    ]),
  'If-None-Match': (_, random) => random.pick(['*', '"x"', 'W/"x", "y"']),
  'If-Range': (_, random) => random.pick(['"x"', 'Fri, 20 Nov 2026 00:00:00 GMT', 'never']),
  'If-Modified-Since': (_, random) => random.pick(['Fri, 20 Nov 2037 00:00:00 GMT', 'never', '0']),
  'Last-Event-Id': (_, random) => random.pick(['0', '1', 'NaN', '-1', '1e400']),
  'Idempotency-Key': (_, random) => `key-${random.int(0, 10_000)}`,
  // Settings that reach outside of the machine or of the world's own folders stay within them.
  // The run itself needs to go on; what a limit answers is tested elsewhere.
  'limits.requestsPerMinute': (_, random) => random.pick([0, 1e9]),
  'models.baseUrl': (world) => world.remote.url('/mirror'),
  'models.catalogue': () => [],
  'llm.url': (world, random) => random.pick(['', world.remote.url('/llm')]),
  'storage.mirrors': (world, random) => random.pick([[], [`${world.folder}/mirror`]]),
  'network.maxDownloadBytes': () => 1_000_000,
};
