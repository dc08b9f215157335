import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tinyWav } from '../../support/audio.ts';
import { fixture } from '../../support/fixtures.ts';
import { catalogueLine, starterBytes } from '../../support/model-mirror.ts';
import { discard, QUICK, startServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { file, htmlPage, stall, startUrlServer } from '../../support/url-server.ts';
import { startWebhookReceiver } from '../../support/webhook-receiver.ts';
import { storeTalk } from '../../support/written-talk.ts';
import { type Actor, CORRECTED, MISHEARD, REFUSED, SLOW_MODEL, WORKING_MODEL, World } from './world.ts';

const FAST_MODEL = 'starter-parakeet';

const upload = async (world: World, actor: Actor, bytes: Buffer, name: string, isPublic = false) => {
  const form = new FormData();
  form.append('public', String(isPublic));
  form.append('metadata', '{"project":{"name":"alpha"},"tags":["a","b"]}');
  form.append('file', new Blob([new Uint8Array(bytes)]), name);
  const { data } = await world.server.as(world.keyOf(actor)).call('uploadFile', { body: form });
  return data.file.key;
};

/** A transcript as `World.add` takes it. */
type Transcribed = readonly [id: string, actor: Actor, state: string, kept: boolean];

const transcribe = async (
  world: World,
  actor: Actor,
  state: string,
  kept: boolean,
  body: object,
): Promise<Transcribed> => {
  const made = await world.server.as(world.keyOf(actor)).call('createTranscript', {
    body: { audio_url: REFUSED, wait_until_complete: true, timestamp_style: 'word', ...body },
  });
  const ended = state === 'failed' ? 'failed' : 'completed';
  if (made.status !== ended) throw new Error(`A transcription is ${made.status}: ${made.error?.message}`);
  return [made.id, actor, state, kept];
};

/** Makes the server remember the voices of a talk. */
const remember = async (
  world: World,
  actor: Actor,
  names: Readonly<Record<string, string>>,
  [state, kept]: readonly [state: string, kept: boolean],
  more: object = {},
): Promise<Transcribed> => {
  const talk = await upload(world, actor, fixture('02-two-speakers.mp3'), 'talk.mp3');
  const audio = { audio_url: `storage:${talk}`, audio_end_at: 10.5, model: FAST_MODEL };
  const options = { ...audio, diarize: true, speakers_expected: 2, ...more };
  const transcribed = await transcribe(world, actor, state, kept, options);
  const [id] = transcribed;
  const client = world.server.as(world.keyOf(actor));
  const speakers = Object.entries(names).map(([letter, name]) => [letter, { name, remember: true }]);
  await client.call('patchTranscript', { params: { id }, body: { speakers: Object.fromEntries(speakers) } });
  const { data } = await client.call('listVoices');
  for (const voice of data)
    world.add('voice', voice.id, actor, '', actor === 'maria' && voice.name === 'Ana');
  return transcribed;
};

const ANALYSES = {
  entity_detection: true,
  topics: true,
  summarization: true,
  content_safety: true,
};

/** A file that no other request knows, so that it stays what it is. */
const exportOne = async (world: World): Promise<void> => {
  const bytes = Buffer.from('An exported note.');
  const path = join(world.folder, 'exported.txt');
  writeFileSync(path, bytes);
  const key = await upload(world, 'owner', bytes, 'exported.txt');
  const { data } = await world.server.client.call('listExports', {});
  const file = data.files.find((one) => one.key === key);
  if (file !== undefined) world.exported = { path, file };
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
  await exportOne(world);
  return speech;
};

const fillTranscripts = async (world: World, speech: string, told: string): Promise<void> => {
  const hers = await upload(world, 'maria', fixture('01-short-note.wav'), 'hers.wav');
  const audio_url = `storage:${speech}`;
  const webhook = { webhook_url: world.receiver.url('/hook') };
  const transcribed = await Promise.all([
    // The examples of operations take the first that suits: one with words, speakers, analyses and a webhook.
    remember(world, 'owner', { A: 'Ana' }, ['completed', true], { ...ANALYSES, ...webhook }),
    // Requests may change her speakers; the owner's talk for that is written before the server starts.
    remember(world, 'maria', { A: 'Ana', B: 'Tom' }, ['talk', false]),
    transcribe(world, 'owner', 'redacted', true, {
      // Checking redacted words again costs as much as all other transcriptions.
      audio_url: world.remote.url('/tiny.wav'),
      audio_end_at: 0,
      redact_pii: true,
      redact_pii_audio: true,
      model: FAST_MODEL,
    }),
    transcribe(world, 'maria', 'completed', true, {
      audio_url: `storage:${hers}`,
      audio_end_at: 2,
      model: FAST_MODEL,
    }),
    transcribe(world, 'owner', 'spoken', false, { audio_url, audio_end_at: 2, model: FAST_MODEL }),
    // Silence is a complete transcription that takes no time.
    ...[1, 2].map(() =>
      transcribe(world, 'owner', 'completed', false, { audio_url: world.remote.url('/tiny.wav') }),
    ),
    ...[1, 2, 3, 4, 5, 6].map(() => transcribe(world, 'owner', 'failed', false, webhook)),
  ]);
  // In this order, whichever ended first, so that the same seed chooses the same ones.
  for (const one of transcribed) world.add('transcript', ...one);
  world.add('transcript', told, 'owner', 'talk');
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

/** Starts the server and creates what the requests refer to. */
export const createWorld = async (): Promise<World> => {
  const dataDir = temporaryFolder();
  const misheard = storeTalk(dataDir, 'Misheard', [['A', ...CORRECTED.flatMap(() => [MISHEARD, MISHEARD])]]);
  const told = storeTalk(dataDir, 'Told', [
    ['A', 'Good morning.', 'How are you?'],
    ['B', 'Very well.'],
    ['A', 'So am I.'],
  ]);
  const [server, remote, receiver, folder] = await Promise.all([
    startServer({ dataDir, quick: true, env: { EARSHOT_TEST_WAITS: '{"webhookRetrySeconds":[]}' } }),
    startUrlServer(),
    startWebhookReceiver(),
    temporaryFolder(),
  ]);
  const model = starterBytes();
  remote.set('/tiny.wav', file(tinyWav()));
  remote.set('/page.mp3', htmlPage);
  remote.set(`/mirror/ggml-${WORKING_MODEL}.bin`, file(model));
  remote.set(`/mirror/ggml-${SLOW_MODEL}.bin`, stall(model, 100_000));
  const base = {
    ...QUICK,
    'limits.requestsPerMinute': 0,
    'limits.uploadsPer15Minutes': 0,
    'limits.deletionsPer15Minutes': 0,
    'models.baseUrl': remote.url('/mirror'),
    'models.catalogue': [catalogueLine(WORKING_MODEL, model), catalogueLine(SLOW_MODEL, model)],
    'queue.concurrency': 2,
  };
  const { data: maria } = await server.client.call('createUser', { body: { name: 'Another user' } });
  const parts = { server, remote, receiver, folder: folder, mariasKey: maria.key.key, misheard };
  const world = new World(parts, base, async () => {
    await Promise.all([discard(server), remote.close(), receiver.close()]);
  });
  world.add('user', maria.user.id, 'owner', 'maria', true);
  await world.restore();
  const speech = await fillFiles(world);
  await fillAccounts(world);
  await fillTranscripts(world, speech, told);
  return world;
};
