import type { ApiDocument, Operation } from './document.ts';
import type { Plan } from './plan.ts';
import type { Answer } from './send.ts';
import type { World } from './world.ts';

/** Internals that no error may reveal. */
const INTERNALS =
  /node_modules|\bat [\w.]+ \(|\.ts:\d+|SQLITE_|SqliteError|\bFST_|ENOENT|EACCES|EISDIR|ZodError/;
/** Operations whose answers contain paths of this machine on purpose. */
const SHOWS_PATHS = new Set(['system', 'getSettings', 'patchSettings', 'listConnections', 'listModels']);
/** Operations on files that other users may have made public. */
const PUBLIC = new Set(['directFile', 'downloadFile', 'getPresigned', 'putPresigned', 'transcriptAudio']);

/** 5xx codes that the fuzz provokes itself, by requiring ClamAV or filling a user's quota. */
const EXPECTED_5XX: Readonly<Record<number, string>> = {
  503: 'scanner_unavailable',
  507: 'storage_limit_exceeded',
};

const mediaOf = (answer: Answer): string =>
  (answer.headers['content-type'] ?? '').split(';')[0]?.trim() ?? '';

const fits = (pattern: string, media: string): boolean =>
  pattern === '*/*' ||
  pattern === media ||
  (pattern.endsWith('/*') && media.startsWith(pattern.slice(0, -1)));

const parsed = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
};

/** Compares answers with the document. Each method returns the first problem, or undefined. */
export class Checker {
  readonly #document: ApiDocument;
  readonly #world: World;

  constructor(document: ApiDocument, world: World) {
    this.#document = document;
    this.#world = world;
  }

  problem(plan: Plan, answer: Answer): string | undefined {
    const { operation } = plan;
    return (
      this.#always(plan, answer) ??
      (operation === undefined ? this.#undocumented(plan, answer) : this.#documented(plan, operation, answer))
    );
  }

  #always(plan: Plan, { status, headers, body }: Answer): string | undefined {
    if (status >= 500 && !body.includes(`"${EXPECTED_5XX[status]}"`)) return `the status ${status}`;
    if (headers['x-request-id'] === undefined) return 'no X-Request-Id';
    if (headers['x-content-type-options'] !== 'nosniff') return 'no X-Content-Type-Options';
    if (headers['x-injected'] !== undefined) return 'a header injected by the request';
    const text =
      status < 400 && SHOWS_PATHS.has(plan.operation?.operationId ?? '') ? '' : body.toString('latin1');
    const internal = status < 400 ? null : INTERNALS.exec(text);
    if (internal !== null) return `internals: ${internal[0]}`;
    return status >= 400 && text.includes(this.#world.server.dataDir) ? 'a path of this machine' : undefined;
  }

  /** Undocumented paths and methods: 404 or 405, with the usual error body. */
  #undocumented({ method, path }: Plan, { status, headers, body }: Answer): string | undefined {
    if (method === 'OPTIONS' && status === 204) return undefined;
    const guarded = [400, 403, 421].includes(status);
    if (!guarded && status !== 404 && status !== 405) return `the status ${status} for ${method} ${path}`;
    if (status === 405 && headers.allow === undefined) return 'a 405 without Allow';
    if (method === 'HEAD') return undefined;
    const problem = this.#document.problem('/components/schemas/Error', parsed(body));
    return problem === undefined ? undefined : `an error of another shape: ${problem}`;
  }

  #documented(plan: Plan, operation: Operation, answer: Answer): string | undefined {
    const { status } = answer;
    const named = operation.responses[status];
    if (named === undefined) return `the status ${status}, which is not documented`;
    if (status < 300 && plan.fault !== undefined)
      return `${status} for what the document refuses: ${plan.fault}`;
    if (
      status < 300 &&
      plan.actor === undefined &&
      operation.security.every((kind) => Object.keys(kind).length > 0)
    ) {
      if (operation.security.length > 0) return `${status} without a key`;
    }
    if (status < 300 && this.#isForeign(plan)) return `${status} for what is another user’s`;
    for (const [name, { required }] of Object.entries(named.headers)) {
      if (required && answer.headers[name.toLowerCase()] === undefined)
        return `no header ${name} with ${status}`;
    }
    return plan.method === 'HEAD' ? undefined : this.#content(operation, answer);
  }

  #isForeign({ actor, ids, operation }: Plan): boolean {
    if (actor === undefined || PUBLIC.has(operation?.operationId ?? '')) return false;
    // The owner exports all users’ files.
    if (actor === 'owner' && operation?.operationId === 'exportFile') return false;
    return ids.some((id) => {
      const thing = this.#world.byId(id);
      return thing !== undefined && thing.actor !== actor && thing.kind !== 'upload-token';
    });
  }

  #content(operation: Operation, answer: Answer): string | undefined {
    const { status, body, headers } = answer;
    const media = mediaOf(answer);
    const content = operation.responses[status]?.content;
    if (content === undefined) return body.length === 0 ? undefined : `a body with ${status}`;
    const pattern = Object.keys(content).find((known) => fits(known, media));
    if (pattern === undefined) return `the type ${media} with ${status}`;
    if (media !== 'application/json' || pattern !== media || operation.operationId === 'exportTranscript')
      return undefined;
    const value = parsed(body);
    const problem = this.#document.responseProblem(operation, String(status), pattern, value);
    if (problem !== undefined) return `a ${status} that does not fit its schema: ${problem}`;
    const id =
      typeof value === 'object' && value !== null && 'request_id' in value ? value.request_id : undefined;
    return id === undefined || id === headers['x-request-id'] ? undefined : 'two ids of one request';
  }
}
