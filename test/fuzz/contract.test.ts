import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SEED } from '../support/random.ts';
import { until } from '../support/until.ts';
import { Checker } from './support/check.ts';
import { ApiDocument, type Operation } from './support/document.ts';
import { exampleProblems, exampleRequest, LAST, ON_QUEUED_JOBS } from './support/examples.ts';
import { harvest } from './support/harvest.ts';
import { asCurl, type Plan } from './support/plan.ts';
import { Planner } from './support/planner.ts';
import { createWorld } from './support/populate.ts';
import { Sender } from './support/send.ts';
import { Tally } from './support/tally.ts';
import { SLOW_MODEL, type World } from './support/world.ts';

const REQUESTS = Number(process.env.EARSHOT_FUZZ_REQUESTS ?? 10_000);
const IN_FLIGHT = 8;
/** A login token works once, and the example uses the only one of a start. */
const NEVER_SUCCEEDS = 'createSession';
/** Requests one after the other until one of an operation succeeds; more than a few take turns with ids that are not there. */
const ATTEMPTS = 100;
/** The share of the run with a paused queue, so that there are always waiting jobs. */
const PAUSED_SHARE = 0.6;

let world: World;

beforeAll(async () => {
  world = await createWorld();
}, 300_000);
afterAll(async () => {
  await world.close();
});

const isIdle = async (): Promise<boolean> => {
  const { data } = await world.server.client.call('getQueue');
  return data.running.length + data.waiting.length === 0;
};

/** Makes true what an operation needs in order to succeed and other requests may have changed. */
const prepare = async ({ operationId }: Operation): Promise<void> => {
  const { client } = world.server;
  if (operationId === 'pauseModel') await client.call('installModel', { params: { id: SLOW_MODEL } });
  // A benchmark runs only while no job does.
  if (operationId === 'benchmarkModel') await until(isIdle);
};

const isLast = ({ operationId }: Operation): number => Number(operationId === LAST);

/** Calls `send` for every operation, with the queue paused for those on queued jobs. */
const forEachOperation = async (
  { operations }: ApiDocument,
  send: (operation: Operation) => Promise<void>,
): Promise<void> => {
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

const run = async (tally: Tally): Promise<void> => {
  const document = new ApiDocument();
  const planner = new Planner(document, world, SEED);
  const checker = new Checker(document, world);
  const sender = new Sender(world.server.url);
  const one = async (plan: Plan): Promise<void> => {
    try {
      const answer = await sender.send(plan);
      tally.count(plan, answer);
      const problem = checker.problem(plan, answer);
      if (problem !== undefined)
        tally.fail(
          plan,
          problem,
          `${asCurl(world.server.url, plan)}\n${answer.status} ${answer.body.toString('utf8', 0, 600)}`,
        );
      await harvest(world, plan, answer);
    } catch (error) {
      tally.fail(plan, `no answer: ${error}`, asCurl(world.server.url, plan));
    }
  };
  const sendRange = async (from: number, to: number): Promise<void> => {
    let next = from;
    const lane = async () => {
      while (next < to) await one(planner.plan(next++));
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  };
  // One at a time: what succeeds among requests in flight depends on the machine's speed.
  await forEachOperation(document, async (operation) => {
    for (let attempt = 0; attempt < ATTEMPTS && !tally.hasSucceeded(operation.operationId); attempt++) {
      if (operation.operationId === NEVER_SUCCEEDS) return;
      await one(planner.valid(operation, attempt));
    }
  });
  const paused = Math.floor(REQUESTS * PAUSED_SHARE);
  await world.pauseQueue();
  await sendRange(0, paused);
  await world.resumeQueue();
  await sendRange(paused, REQUESTS);
  sender.close();
};

describe('the examples of openapi.json', () => {
  const document = new ApiDocument();

  it('fit their schemas, and every JSON response has one', () => {
    expect(exampleProblems(document)).toEqual([]);
  });

  it('succeed when they are sent', async () => {
    const sender = new Sender(world.server.url);
    const failed: string[] = [];
    const send = async (operation: Operation): Promise<void> => {
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
    await forEachOperation(document, send);
    sender.close();
    expect(failed).toEqual([]);
  });
});

it(
  `answers ${REQUESTS} requests as openapi.json says (seed ${SEED})`,
  async () => {
    const tally = new Tally(new ApiDocument().operations);
    await run(tally);
    process.stdout.write(`\n${tally.table()}\nseed ${SEED}, ${REQUESTS} requests\n`);
    // Internal errors in the log, of jobs too; the log itself is removed with its folder.
    const mistakes = (await world.server.log())
      .split('\n')
      .filter((line) => line.includes('"level":50') && !/"code":"(?!internal_error)/.test(line));
    expect([tally.failures(), ...mistakes]).toEqual(['']);
    expect(tally.neverSucceeded()).toEqual([NEVER_SUCCEEDS]);
    const { status } = await world.server.client.call('health');
    expect(status).toBe('ok');
  },
  Math.max(180_000, REQUESTS * 20),
);
