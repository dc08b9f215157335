import { readFileSync } from 'node:fs';
import { tinyWav } from '../../support/audio.ts';
import { STARTER_MODEL } from '../../support/paths.ts';
import type { Random } from './choices.ts';
import type { ApiDocument, Operation, Schema } from './document.ts';
import { fileFieldOf, formBody } from './forms.ts';
import { headerText, Inputs } from './inputs.ts';
import { brokenJson, changed, changeQuery, queryFault } from './mutate.ts';
import type { Draft, Plan } from './plan.ts';
import { EDGE_TEXTS, jsonText } from './values.ts';
import type { Actor, World } from './world.ts';

/** Slow operations, which are chosen less often. */
const COSTLY = new Set([
  'events',
  'openAiTranscribe',
  'openAiTranslate',
  'importModel',
  'uploadModel',
  'installModel',
  'benchmarkModel',
  'system',
  'patchSettings',
  'pauseQueue',
  'resumeQueue',
  'testDelivery',
]);

const ODD_METHODS = ['HEAD', 'OPTIONS', 'TRACE', 'PUT', 'PATCH', 'DELETE', 'POST', 'PROPFIND'] as const;

type Change = 'none' | 'path' | 'query' | 'header' | 'body' | 'raw body' | 'key' | 'origin' | 'host';

const CHANGES: readonly Change[] = [
  'path',
  'query',
  'header',
  'body',
  'body',
  'body',
  'raw body',
  'key',
  'origin',
  'host',
];

const JSON_TYPE = 'application/json';

const encodedPath = (value: string, isKey: boolean, random: Random): string => {
  const text = value.toWellFormed();
  if (!isKey || random.chance(0.3)) return encodeURIComponent(text);
  return text.replace(/^\//, '').split('/').map(encodeURIComponent).join('/');
};

/** Whether a request's path fits a path of the document, whatever its parameters. */
const isPathOf = (template: string, path: string): boolean =>
  new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path.replace(/\?.*$/s, ''));

/** Plans requests; each depends on its choices and on what the world has then. */
export class Planner {
  readonly #document: ApiDocument;
  readonly #world: World;
  readonly #weighted: readonly Operation[];

  constructor(document: ApiDocument, world: World) {
    this.#document = document;
    this.#world = world;
    this.#weighted = document.operations.flatMap((operation) =>
      COSTLY.has(operation.operationId) ? [operation] : [operation, operation, operation],
    );
  }

  /** A request with nothing wrong in it, which may still ask for what is not there. */
  valid(operation: Operation, actor: Actor, random: Random): Plan {
    return this.#request(operation, actor, 'none', random);
  }

  plan(random: Random): Plan {
    const roll = random.next();
    if (roll < 0.02) return this.#unknownPath(random);
    const operation = random.pick(this.#weighted);
    // Maria's voices are never all deleted, so that some can always be renamed.
    const owners = operation.operationId === 'forgetAllVoices' || random.chance(0.85);
    const actor: Actor = owners ? 'owner' : 'maria';
    const change = random.chance(0.5) ? 'none' : random.pick(CHANGES);
    const plan = this.#request(operation, actor, change, random);
    return roll < 0.05 ? this.#otherMethod(plan, random) : plan;
  }

  #request(operation: Operation, actor: Actor, change: Change, random: Random): Plan {
    const inputs = new Inputs(this.#document, this.#world, random);
    const draft = inputs.draft(operation, actor);
    draft.headers.authorization = this.#authorization(operation, actor, random);
    this.#fillBody(draft, operation, change, inputs, random);
    if (change === 'query') changeQuery(draft, operation, inputs.text(), random);
    const raw = change === 'path' ? this.#changePath(draft, inputs, random) : undefined;
    if (change === 'header') this.#changeHeader(draft, operation, inputs, random);
    let authorized: Actor | undefined = actor;
    if (change === 'key') {
      authorized = undefined;
      if (random.chance(0.4)) delete draft.headers.authorization;
      else
        draft.headers.authorization = random.pick([
          'Bearer wrong',
          'Basic eDp5',
          'Bearer',
          `Bearer ${'x'.repeat(5000)}`,
        ]);
    }
    if (change === 'origin')
      draft.headers.origin = random.pick(['https://evil.example', 'null', 'not a url']);
    if (change === 'host') draft.headers.host = random.pick(['evil.example', '127.0.0.1.evil.example', '']);
    const fault = queryFault(this.#document, operation, draft.query) ?? draft.fault;
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      return raw ?? encodedPath(draft.params[name] ?? '', name === 'fileKey', random);
    });
    const pairs = draft.query.map((pair) =>
      pair.map((text) => encodeURIComponent(text.toWellFormed())).join('='),
    );
    return {
      operation,
      method: operation.method,
      path: pairs.length === 0 ? path : `${path}?${pairs.join('&')}`,
      headers: draft.headers,
      body: draft.body,
      actor: authorized,
      fault,
      ids: raw === undefined ? draft.ids : [],
    };
  }

  #authorization({ security }: Operation, actor: Actor, random: Random): string {
    const key = this.#world.keyOf(actor);
    return security.some((kind) => 'bareKey' in kind) && random.chance(0.5) ? key : `Bearer ${key}`;
  }

  #fillBody(draft: Draft, operation: Operation, change: Change, inputs: Inputs, random: Random): void {
    const [media, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
    if (media === JSON_TYPE && content !== undefined) {
      this.#fillJson(draft, operation, content.schema, change, inputs, random);
    } else if (media === 'multipart/form-data' && content !== undefined) {
      const fields = inputs.fields(content.schema);
      const broken = change === 'body' || change === 'raw body';
      if (broken && random.chance(0.5))
        fields.push([random.pick(['public', 'model', 'x', 'file']), inputs.text()]);
      const recognizes = /^(?:openAi|inference|asr|detectLanguage)/.test(operation.operationId);
      const now = recognizes && !this.#world.isQueuePaused && random.chance(0.5);
      const { body, type } = formBody(
        fields,
        {
          recording: recognizes ? (now ? 'yes' : 'no') : 'not wanted',
          broken,
          fileField: fileFieldOf(content.schema),
        },
        random,
      );
      draft.body = body;
      draft.headers['content-type'] = type;
    } else if (
      operation.operationId === 'uploadModel' &&
      random.chance(0.7) &&
      this.#world.afford('import')
    ) {
      draft.body = readFileSync(STARTER_MODEL);
      draft.query = [
        ['name', inputs.text().slice(0, 255) || 'x'],
        ['id', `sent-${random.int(0, 1e9)}`],
      ];
      draft.headers['content-type'] = 'application/octet-stream';
    } else if (media !== undefined) {
      draft.body = random.pick([
        Buffer.from('A note.'),
        tinyWav(),
        Buffer.alloc(0),
        Buffer.from([0, 255, 1]),
      ]);
      draft.headers['content-type'] ??= 'application/octet-stream';
    } else if (change === 'raw body' && operation.method !== 'GET') {
      draft.body = brokenJson('{"a":1}', random);
      draft.headers['content-type'] = random.pick([JSON_TYPE, 'text/plain', 'application/xml', 'x/y; z']);
    }
  }

  #fillJson(
    draft: Draft,
    operation: Operation,
    schema: Schema,
    change: Change,
    inputs: Inputs,
    random: Random,
  ): void {
    const valid = inputs.json(operation, schema);
    const text = jsonText(change === 'body' ? changed(valid, random) : valid);
    draft.headers['content-type'] = random.pick([JSON_TYPE, `${JSON_TYPE}; charset=utf-8`]);
    draft.body = Buffer.from(text);
    if (change === 'raw body') {
      draft.body = brokenJson(text, random);
      if (random.chance(0.3))
        draft.headers['content-type'] = random.pick([
          'text/plain',
          'x/y',
          'application/x-www-form-urlencoded',
        ]);
      return;
    }
    // Half a pair of surrogates does not survive UTF-8, so the body is judged as it is sent.
    const problem = this.#document.bodyProblem(operation, JSON_TYPE, JSON.parse(draft.body.toString('utf8')));
    if (problem !== undefined) draft.fault = `body${problem}`;
  }

  #changePath(draft: Draft, inputs: Inputs, random: Random): string | undefined {
    const [name] = Object.keys(draft.params);
    if (name === undefined) return undefined;
    return random.pick([
      () => encodeURIComponent(inputs.text().toWellFormed().slice(0, 9000)) || '%20',
      () =>
        random.pick([
          '%',
          '%zz',
          '%00',
          '%ff%fe',
          '..%2f..%2fetc',
          '%2e%2e',
          '.',
          '%2F',
          '%25%32%66',
          ';a=b',
          '%F0%9F',
        ]),
      () => encodeURIComponent(random.pick(EDGE_TEXTS).toWellFormed()) || '%09',
    ])();
  }

  #changeHeader(draft: Draft, operation: Operation, inputs: Inputs, random: Random): void {
    const known = operation.parameters
      .filter((parameter) => parameter.in === 'header')
      .map(({ name }) => name);
    const others = [
      'Accept',
      'Accept-Encoding',
      'X-Forwarded-For',
      'Content-Language',
      'Cookie',
      'X-Http-Method-Override',
    ];
    draft.headers[random.pick([...known, ...known, ...others])] = headerText(inputs.text());
    if (random.chance(0.1) && draft.body !== undefined) draft.headers['content-encoding'] = 'gzip';
  }

  #otherMethod(plan: Plan, random: Random): Plan {
    // `/v1/models/import` is also a model with that id.
    const taken = this.#document.operations.filter(
      ({ path }) => path === plan.operation?.path || isPathOf(path, plan.path),
    );
    const free = ODD_METHODS.filter((method) => !taken.some((operation) => operation.method === method));
    const method = random.pick(free);
    // What answers to GET answers to HEAD, without a body.
    const operation = method === 'HEAD' ? taken.find((known) => known.method === 'GET') : undefined;
    const { 'content-type': _, ...headers } = plan.headers;
    return { ...plan, method, headers, body: undefined, operation, fault: undefined };
  }

  #unknownPath(random: Random): Plan {
    const inputs = new Inputs(this.#document, this.#world, random);
    const tail = encodeURIComponent(inputs.text().toWellFormed().slice(0, 500));
    const path = random.pick([
      '/v1',
      '/v1/nothing',
      '/v2',
      '/v3',
      '/v1/transcript',
      '/v1//keys',
      `/v1/x/${tail}`,
      `/v9/${tail}`,
      '/v1/%zz',
      '/v1/keys/%2e%2e/users',
      '/V1/KEYS',
    ]);
    return {
      operation: undefined,
      method: random.pick(['GET', 'GET', ...ODD_METHODS]),
      path,
      headers: { authorization: `Bearer ${this.#world.server.key}` },
      body: undefined,
      actor: 'owner',
      fault: undefined,
      ids: [],
    };
  }
}
