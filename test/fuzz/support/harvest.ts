import type { Plan } from './plan.ts';
import type { Answer } from './send.ts';
import type { Actor, World } from './world.ts';

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const lastPart = (address: unknown): string => new URL(text(address)).pathname.split('/').at(-1) ?? '';

type Harvest = (world: World, body: Fields, plan: Plan, actor: Actor) => void;

const remove: Harvest = (world, _, { ids }) => {
  for (const id of ids) {
    const thing = world.byId(id);
    if (thing !== undefined) thing.deleted = true;
  }
};

const transcript: Harvest = (world, body, _, actor) => {
  world.add('transcript', text(body.id), actor, body.status === 'processing' ? 'queued' : text(body.status));
};

const restate =
  (state: string): Harvest =>
  (world, _, { ids }) => {
    const thing = world.byId(ids[0] ?? '');
    if (thing !== undefined) thing.state = state;
  };

/** How each successful operation changes the world. */
const HARVESTS: Readonly<Record<string, Harvest>> = {
  createTranscript: transcript,
  aaiCreate: (world, body, plan, actor) =>
    transcript(world, { id: body.id, status: 'processing' }, plan, actor),
  cancelTranscript: restate('failed'),
  retryTranscript: restate('queued'),
  analyzeTranscript: restate('completed'),
  deleteTranscript: remove,
  aaiDelete: remove,
  deleteFile: remove,
  revokeKey: remove,
  deleteUser: remove,
  forgetVoice: remove,
  acceptTermSuggestion: remove,
  dismissTermSuggestion: remove,
  forgetAllVoices: (world, _, __, actor) => {
    for (const voice of world.find('voice', (known) => known.actor === actor)) voice.deleted = true;
  },
  uploadFile: (world, body, _, actor) => {
    world.add('file', text(fieldsOf(fieldsOf(body.data).file).key), actor);
  },
  startRecording: (world, body, _, actor) => {
    world.add('recording', text(fieldsOf(body.data).id), actor, 'empty');
  },
  appendRecording: restate('begun'),
  finishRecording: remove,
  discardRecording: remove,
  presignUpload: (world, body, plan, actor) => {
    const asked: unknown = JSON.parse(plan.body?.toString('utf8').replace(/^\ufeff/, '') ?? '{}');
    const type = text(fieldsOf(asked).contentType);
    world.add('upload-token', lastPart(fieldsOf(body.data).uploadUrl), actor, type);
  },
  downloadUrl: (world, body, _, actor) => {
    world.add('read-token', lastPart(fieldsOf(body.data).url), actor);
  },
  createKey: (world, body, _, actor) => {
    world.add('key', text(fieldsOf(body.data).id), actor);
  },
  createUser: (world, body) => {
    world.add('user', text(fieldsOf(fieldsOf(body.data).user).id), 'owner');
  },
};

/** Operations after which the settings and the queue are restored. */
const UNSETTLING = new Set(['patchSettings', 'pauseQueue', 'resumeQueue']);

/** Records what a request changed. */
export const harvest = async (world: World, plan: Plan, { status, body }: Answer): Promise<void> => {
  const id = plan.operation?.operationId;
  if (id === undefined || plan.method === 'HEAD' || status >= 300 || plan.actor === undefined) return;
  HARVESTS[id]?.(world, fieldsOf(JSON.parse(body.toString('utf8') || '{}')), plan, plan.actor);
  if (UNSETTLING.has(id)) await world.restore();
};
