import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SEED } from '../support/random.ts';
import { until } from '../support/until.ts';
import { Checker } from './support/check.ts';
import { ApiDocument, type Operation } from './support/document.ts';
import { ABOUT_WAITING, exampleProblems, exampleRequest, LAST } from './support/examples.ts';
import { harvest } from './support/harvest.ts';
import { asCurl } from './support/plan.ts';
import { Planner } from './support/planner.ts';
import { createWorld } from './support/populate.ts';
import { Sender } from './support/send.ts';
import { Tally } from './support/tally.ts';
import { SLOW_MODEL, type World } from './support/world.ts';

const REQUESTS = Number(process.env.EARSHOT_FUZZ_REQUESTS ?? 10_000);
const IN_FLIGHT = 8;
/** A login token serves once; the example spends the only one of a start. */
const ONCE = 'createSession';
/** For this part of the run the queue is held, so that there is always something that waits. */
const HELD_SHARE = 0.6;

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
  const stretch = async (from: number, to: number): Promise<void> => {
    let next = from;
    const lane = async () => {
      while (next < to) await one(next++);
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  };
  const held = Math.floor(REQUESTS * HELD_SHARE);
  await world.hold();
  await stretch(0, held);
  await world.release();
  await stretch(held, REQUESTS);
  sender.close();
};

describe('the examples of openapi.json', () => {
  const document = new ApiDocument();

  it('fit their schemas, and every JSON answer has one', () => {
    expect(exampleProblems(document)).toEqual([]);
  });

  const nothingRuns = async (): Promise<boolean> => {
    const { data } = await world.server.client.call('getQueue');
    return data.running.length + data.waiting.length === 0;
  };

  it('work when they are sent', async () => {
    const sender = new Sender(world.server.url);
    const failed: string[] = [];
    const send = async (operation: Operation): Promise<void> => {
      if (operation.operationId === 'pauseModel') {
        await world.server.client.call('installModel', { params: { id: SLOW_MODEL } });
      }
      // It measures only while nothing else runs.
      if (operation.operationId === 'benchmarkModel') await until(nothingRuns);
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
    const waiting = document.operations.filter(({ operationId }) => ABOUT_WAITING.has(operationId));
    const others = document.operations.filter((operation) => !waiting.includes(operation));
    await world.hold();
    for (const operation of waiting) await send(operation);
    await world.release();
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
    // What the server says of its own mistakes, jobs' too: its log is gone with its folder.
    const mistakes = (await world.server.log())
      .split('\n')
      .filter((line) => line.includes('"level":50') && !/"code":"(?!internal_error)/.test(line));
    expect([tally.failures(), ...mistakes]).toEqual(['']);
    expect(tally.neverSucceeded()).toEqual([ONCE]);
    const { status } = await world.server.client.call('health');
    expect(status).toBe('ok');
  },
  // A longer run is asked for on purpose.
  Math.max(180_000, REQUESTS * 20),
);
