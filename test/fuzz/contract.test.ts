import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SEED } from '../support/random.ts';
import { until } from '../support/until.ts';
import { Checker } from './support/check.ts';
import { choicesOf } from './support/choices.ts';
import { ApiDocument, type Operation } from './support/document.ts';
import { exampleProblems, exampleRequest, LAST, ON_QUEUED_JOBS } from './support/examples.ts';
import { harvest } from './support/harvest.ts';
import { asCurl, type Plan } from './support/plan.ts';
import { Planner } from './support/planner.ts';
import { createWorld } from './support/populate.ts';
import { Sender } from './support/send.ts';
import { Tally } from './support/tally.ts';
import { SLOW_MODEL, WORKING_MODEL, type World } from './support/world.ts';

const REQUESTS = Number(process.env.EARSHOT_FUZZ_REQUESTS ?? 200);
const IN_FLIGHT = 8;
/** Requests that are tried in order to make one with a problem simpler. */
const MAX_SHRINKS = 300;
/**
 * A login token works once, and the example uses the only one of a start; a browser's session takes a cookie, too; live text takes
 * a WebSocket, and its captions the id of a session.
 */
const NEVER_SUCCEED: ReadonlySet<string> = new Set([
  'createSession',
  'resumeSession',
  'realtime',
  'realtimeCaptions',
  'aaiStreaming',
]);
/** Takes a browser's cookie, too, or is no plain request. */
const NO_EXAMPLE: ReadonlySet<string> = new Set(['resumeSession', 'realtime', 'aaiStreaming']);
/** Requests one after the other until one of an operation succeeds; more than a few take turns with ids that are not there. */
const ATTEMPTS = 100;
/** The share of the run with a paused queue, so that there are always waiting jobs. */
const PAUSED_SHARE = 0.6;

let world: World;
/** One for all, since each compiles the schemas that it compares with. */
const document = new ApiDocument();

beforeAll(async () => {
  world = await createWorld();
});
afterAll(async () => {
  await world.close();
});

const isIdle = async (): Promise<boolean> => {
  const { data } = await world.server.client.call('getQueue');
  return data.running.length + data.waiting.length === 0;
};

const hasWorkingModel = async (): Promise<boolean> => {
  const { data } = await world.server.client.call('listModels', { query: { catalog: true } });
  return data.some(({ id, installed }) => id === WORKING_MODEL && installed);
};

/** Makes true what an operation needs in order to succeed and other requests may have changed. */
const prepare = async ({ operationId }: Operation): Promise<void> => {
  const { client } = world.server;
  if (operationId === 'pauseModel') await client.call('installModel', { params: { id: SLOW_MODEL } });
  if (operationId === 'finishRecording') await world.startRecording(true);
  if (operationId === 'acceptTermSuggestion' || operationId === 'dismissTermSuggestion')
    await world.learnTerm();
  // A benchmark runs only while no job does.
  if (operationId === 'benchmarkModel') await until(isIdle);
  if (operationId === 'removeModel') {
    // Its download takes as long as the machine is busy.
    if (!(await hasWorkingModel())) await client.call('installModel', { params: { id: WORKING_MODEL } });
    await until(hasWorkingModel);
  }
};

const isLast = ({ operationId }: Operation): number => Number(operationId === LAST);

/** Calls `send` for every operation, with the queue paused for those on queued jobs. */
const forEachOperation = async (send: (operation: Operation) => Promise<void>): Promise<void> => {
  const { operations } = document;
  const waiting = operations.filter(({ operationId }) => ON_QUEUED_JOBS.has(operationId));
  const others = operations.filter((operation) => !waiting.includes(operation));
  await world.pauseQueue();
  for (const operation of waiting) await send(operation);
  await world.resumeQueue();
  for (const operation of others.toSorted((a, b) => isLast(a) - isLast(b))) {
    await prepare(operation);
    await send(operation);
  }
};

/** A request with a problem; `isNew` if no other had one of the kind. */
type Found = { readonly name: string; readonly isNew: boolean; readonly request: string };

/** Sends requests of a run, counts the answers, and makes a request simpler that finds a problem. */
class Run {
  readonly tally: Tally;
  readonly #planner: Planner;
  readonly #checker: Checker;
  readonly #sender = new Sender(world.server.url);

  constructor() {
    this.tally = new Tally(document.operations);
    this.#planner = new Planner(document, world);
    this.#checker = new Checker(document, world);
  }

  /** Sends valid requests one at a time until one succeeds: in flight, others would decide that by their speed. */
  async untilSuccess(operation: Operation): Promise<void> {
    const choices = fc.sample(fc.gen(), { seed: SEED, numRuns: ATTEMPTS }).map(choicesOf);
    for (const [attempt, random] of choices.entries()) {
      if (NEVER_SUCCEED.has(operation.operationId) || this.tally.hasSucceeded(operation.operationId)) return;
      const found = await this.#send(
        this.#planner.valid(operation, attempt % 2 === 0 ? 'owner' : 'maria', random),
      );
      if (found !== undefined) this.tally.show(found.name, found.request);
    }
  }

  /** Sends `count` requests one after the other; the seed repeats them as far as the world is the same. */
  async lane(seed: number, count: number): Promise<void> {
    for (let sent = 0; sent < count; ) sent += await this.#untilProblem(seed + sent, count - sent);
  }

  /** Sends requests up to the first with a problem of a new kind, which is made simpler; returns how many. */
  async #untilProblem(seed: number, count: number): Promise<number> {
    const found: Found[] = [];
    const property = fc.asyncProperty(fc.limitShrink(fc.gen(), MAX_SHRINKS), async (generate) => {
      const one = await this.#send(this.#planner.plan(choicesOf(generate)));
      const [first] = found;
      if (one === undefined || (first === undefined ? !one.isNew : first.name !== one.name)) return;
      found.push(one);
      throw new Error(one.name);
    });
    const { numRuns } = await fc.check(property, { seed: seed | 0, numRuns: count });
    const simplest = found.at(-1);
    if (simplest !== undefined) this.tally.show(simplest.name, simplest.request);
    return numRuns;
  }

  close(): void {
    this.#sender.close();
  }

  async #send(plan: Plan): Promise<Found | undefined> {
    const curl = asCurl(world.server.url, plan);
    try {
      const answer = await this.#sender.send(plan);
      this.tally.count(plan, answer);
      const problem = this.#checker.problem(plan, answer);
      await harvest(world, plan, answer);
      if (problem === undefined) return undefined;
      const request = `${curl}\n${answer.status} ${answer.body.toString('utf8', 0, 600)}`;
      return { ...this.tally.fail(plan, problem), request };
    } catch (error) {
      return { ...this.tally.fail(plan, `no answer: ${error}`), request: curl };
    }
  }
}

const run = async (): Promise<Tally> => {
  const requests = new Run();
  const send = (count: number, part: number) =>
    Promise.all(
      Array.from({ length: IN_FLIGHT }, (_, lane) =>
        requests.lane(SEED * 100_003 + (part * IN_FLIGHT + lane) * REQUESTS, Math.ceil(count / IN_FLIGHT)),
      ),
    );
  await forEachOperation((operation) => requests.untilSuccess(operation));
  await world.pauseQueue();
  await send(REQUESTS * PAUSED_SHARE, 0);
  await world.resumeQueue();
  await send(REQUESTS * (1 - PAUSED_SHARE), 1);
  requests.close();
  return requests.tally;
};

describe('the examples of openapi.json', () => {
  it('fit their schemas, and every JSON response has one', () => {
    expect(exampleProblems(document)).toEqual([]);
  });

  it('succeed when they are sent', async () => {
    const sender = new Sender(world.server.url);
    const failed: string[] = [];
    const send = async (operation: Operation): Promise<void> => {
      if (NO_EXAMPLE.has(operation.operationId)) return;
      const plan = await exampleRequest(world, operation);
      const answer = await sender.send(plan);
      const problem = new Checker(document, world).problem(plan, answer);
      if (answer.status >= 300 || problem !== undefined) {
        failed.push(
          `${operation.operationId}: ${answer.status} ${problem ?? ''} ${answer.body.toString('utf8', 0, 300)}`,
        );
      }
      await harvest(world, plan, answer);
    };
    await forEachOperation(send);
    sender.close();
    expect(failed).toEqual([]);
  });
});

it(
  `answers ${REQUESTS} requests as openapi.json says (seed ${SEED})`,
  async () => {
    const tally = await run();
    process.stdout.write(`\n${tally.table()}\nseed ${SEED}, ${REQUESTS} requests\n`);
    // Internal errors in the log, of jobs too; the log itself is removed with its folder.
    const mistakes = (await world.server.log())
      .split('\n')
      .filter((line) => line.includes('"level":50') && !/"code":"(?!internal_error)/.test(line));
    expect([tally.failures(), ...mistakes]).toEqual(['']);
    expect(tally.neverSucceeded()).toEqual([...NEVER_SUCCEED]);
    const { status } = await world.server.client.call('health');
    expect(status).toBe('ok');
  },
  Math.max(180_000, REQUESTS * 20),
);
