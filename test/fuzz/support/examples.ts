import { readFileSync } from 'node:fs';
import { PLACEHOLDERS } from '../../../electron/contract/examples/example.ts';
import { tinyWav } from '../../support/audio.ts';
import { fixture } from '../../support/fixtures.ts';
import { STARTER_MODEL } from '../../support/paths.ts';
import type { ApiDocument, Operation, Parameter } from './document.ts';
import { fileFieldOf, wholeForm } from './forms.ts';
import { suits } from './inputs.ts';
import type { Plan } from './plan.ts';
import { type Kind, SLOW_MODEL, WORKING_MODEL, type World } from './world.ts';

/** Examples about queued jobs: the queue is paused while they are sent. */
export const ON_QUEUED_JOBS = new Set(['cancelTranscript', 'moveInQueue']);

/** Removes what the other examples need, so it is sent last. */
export const LAST = 'forgetAllVoices';

/** Model names in the examples. */
const MODELS: Readonly<Record<string, string>> = { pauseModel: SLOW_MODEL, benchmarkModel: 'starter' };

const one = (world: World, operation: Operation, kind: Kind): string =>
  world.find(kind, (thing) => suits(operation, thing, 'owner'))[0]?.id ?? 'none';

/** The real values for the placeholders in an operation's example. */
const realsOf = async (
  world: World,
  operation: Operation,
): Promise<Record<keyof typeof PLACEHOLDERS, string>> => {
  const { client } = world.server;
  const given = JSON.stringify([operation.parameters, operation.requestBody]);
  const uses = (name: keyof typeof PLACEHOLDERS): boolean => given.includes(PLACEHOLDERS[name]);
  const token = (url: string): string => new URL(url).pathname.split('/').at(-1) ?? '';
  const file = one(world, operation, 'file');
  // Made for the operations that name them alone: three requests more for each of the others cost as much as all examples.
  const uploadToken = async () => {
    const body = { filename: 'tiny.wav', contentType: 'audio/wav', fileSize: tinyWav().length };
    return token((await client.call('presignUpload', { body })).data.uploadUrl);
  };
  const readToken = async () =>
    token((await client.call('downloadUrl', { params: { fileKey: file } })).data.url);
  return {
    transcript: one(world, operation, 'transcript'),
    user: one(world, operation, 'user'),
    apiKey: one(world, operation, 'key'),
    voice: one(world, operation, 'voice'),
    suggestion: one(world, operation, 'suggestion'),
    file,
    recording: uses('recording')
      ? await world.startRecording(operation.operationId === 'finishRecording')
      : '',
    uploadToken: uses('uploadToken') ? await uploadToken() : '',
    readToken: uses('readToken') ? await readToken() : '',
    loginToken: world.loginToken,
    model: MODELS[operation.operationId] ?? WORKING_MODEL,
    modelFile: STARTER_MODEL,
    exportedFile: STARTER_MODEL,
    url: world.remote.url('/tiny.wav'),
    webhook: world.receiver.url('/hook'),
    signature: 'signature',
  };
};

const pairsOf = ({ name, example, style }: Parameter): [string, string][] => {
  if (example === undefined) return [];
  if (style !== 'deepObject' || typeof example !== 'object') return [[name, String(example)]];
  return Object.entries(example ?? {}).map(([key, value]) => [`${name}[${key}]`, String(value)]);
};

const bodyOf = (
  operation: Operation,
  replaced: (text: string) => string,
  world: World,
): Pick<Plan, 'body' | 'headers'> => {
  const [media, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  if (media === undefined || content === undefined) return { body: undefined, headers: {} };
  if (media === 'application/json') {
    return {
      // The checksum of the example fits no file here.
      body: Buffer.from(
        operation.operationId === 'importFile'
          ? JSON.stringify(world.exported)
          : replaced(JSON.stringify(content.example)),
      ),
      headers: { 'content-type': media },
    };
  }
  if (operation.operationId === 'uploadModel')
    return { body: readFileSync(STARTER_MODEL), headers: { 'content-type': media } };
  if (media !== 'multipart/form-data') return { body: tinyWav(), headers: { 'content-type': 'audio/wav' } };
  const fileField = fileFieldOf(content.schema);
  const fields = Object.entries(content.example ?? {}).flatMap(([name, value]): [string, string][] =>
    name === fileField ? [] : [[name, String(value)]],
  );
  const bytes = operation.operationId === 'uploadFile' ? fixture('01-short-note.wav') : tinyWav();
  const { body, type } = wholeForm(fields, fileField, { name: 'planning.wav', type: 'audio/wav', bytes });
  return { body, headers: { 'content-type': type } };
};

/** An operation's example as a request to this server. */
export const exampleRequest = async (world: World, operation: Operation): Promise<Plan> => {
  const placeholders: Readonly<Record<string, string>> = PLACEHOLDERS;
  // Longest first, since a file's key starts with the id of its user.
  const reals = Object.entries(await realsOf(world, operation)).toSorted(
    ([a], [b]) => (placeholders[b] ?? '').length - (placeholders[a] ?? '').length,
  );
  const replaced = (text: string): string =>
    reals.reduce((done, [name, real]) => {
      const placeholder = placeholders[name] ?? '';
      // A model's name is an ordinary word, so only a whole value is replaced.
      if (name === 'model') return done === placeholder ? real : done;
      return done.replaceAll(placeholder, real);
    }, text);
  const parameters = (place: Parameter['in']) =>
    operation.parameters.filter((parameter) => parameter.in === place).flatMap(pairsOf);
  const params = new Map(parameters('path'));
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(replaced(params.get(name) ?? '')),
  );
  const query = new URLSearchParams(parameters('query')).toString();
  const { body, headers } = bodyOf(operation, replaced, world);
  return {
    operation,
    method: operation.method,
    path: query === '' ? path : `${path}?${query}`,
    headers: {
      authorization: `Bearer ${world.server.key}`,
      ...Object.fromEntries(parameters('header')),
      ...headers,
    },
    body,
    actor: 'owner',
    fault: undefined,
    ids: [...params.values()].map(replaced),
  };
};

/** Examples that violate their schemas, and responses without an example. */
export const exampleProblems = (document: ApiDocument): string[] =>
  document.operations.flatMap((operation) => {
    const { operationId, requestBody, responses } = operation;
    const asked = Object.entries(requestBody?.content ?? {}).flatMap(([media, { example }]) => {
      if (media === '*/*') return [];
      const problem =
        media === 'application/json' ? document.bodyProblem(operation, media, example) : undefined;
      return problem === undefined ? [] : [`${operationId} asks:${problem}`];
    });
    const answered = Object.entries(responses)
      .filter(([status]) => status < '300')
      .flatMap(([status, { content = {} }]) =>
        Object.entries(content).flatMap(([media, { example }]) => {
          if (media !== 'application/json' || operationId === 'exportTranscript') return [];
          const problem = document.responseProblem(operation, status, media, example);
          return problem === undefined ? [] : [`${operationId} ${status}:${problem}`];
        }),
      );
    return [...asked, ...answered];
  });
