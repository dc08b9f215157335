import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SEED } from '../support/random.ts';
import { until } from '../support/until.ts';
import { Checker } from './support/check.ts';
import { ApiDocument, type Operation } from './support/document.ts';
import { exampleProblems, exampleRequest, LAST, ON_QUEUED_JOBS } from './support/examples.ts';
import { harvest } from './support/harvest.ts';
import { asCurl } from './support/plan.ts';
import { Planner } from './support/planner.ts';
import { createWorld } from './support/populate.ts';
import { Sender } from './support/send.ts';
import { Tally } from './support/tally.ts';
import { SLOW_MODEL, type World } from './support/world.ts';

const REQUESTS = Number(process.env.EARSHOT_FUZZ_REQUESTS ?? 10_000);
const IN_FLIGHT = 8;
/** A login token works once, and the example uses the only one of a start. */
const NEVER_SUCCEEDS = 'createSession';
/** The share of the run with a paused queue, so that there are always waiting jobs. */
const PAUSED_SHARE = 0.6;

let world: World;

beforeAll(async () => {
  world = await createWorld();
}, 300_000);
afterAll(async () => {
  await world.close();
});

const run = async (tally: Tally): Promise<void> => {
  const document = new ApiDocument();
  const planner = new Planner(document, world, SEED);
  const checker = new Checker(document, world);
  const sender = new Sender(world.server.url);
  const one = async (index: number): Promise<void> => {
    const plan = planner.plan(index);
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
      while (next < to) await one(next++);
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  };
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

  const isIdle = async (): Promise<boolean> => {
    const { data } = await world.server.client.call('getQueue');
    return data.running.length + data.waiting.length === 0;
  };

  it('succeed when they are sent', async () => {
    const sender = new Sender(world.server.url);
    const failed: string[] = [];
    const send = async (operation: Operation): Promise<void> => {
      if (operation.operationId === 'pauseModel') {
        await world.server.client.call('installModel', { params: { id: SLOW_MODEL } });
      }
      // A benchmark runs only while no job does.
      if (operation.operationId === 'benchmarkModel') await until(isIdle);
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
    const waiting = document.operations.filter(({ operationId }) => ON_QUEUED_JOBS.has(operationId));
    const others = document.operations.filter((operation) => !waiting.includes(operation));
    await world.pauseQueue();
    for (const operation of waiting) await send(operation);
    await world.resumeQueue();
    const last = (operation: Operation): number => Number(operation.operationId === LAST);
    for (const operation of others.toSorted((a, b) => last(a) - last(b))) await send(operation);
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
