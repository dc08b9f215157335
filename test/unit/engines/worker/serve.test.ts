import { describe, expect, it } from 'vitest';
import {
  type FromWorker,
  handleTask,
  type TaskDefinition,
  TaskError,
  type ToWorker,
  type WorkerEngine,
} from '../../../../electron/core/engines/worker/protocol.ts';
import { type Port, serve } from '../../../../electron/worker/serve.ts';

type EchoTask = TaskDefinition<'echo', string, string, { part: string }>;

const engineWith = (perform: Parameters<typeof handleTask<EchoTask>>[1]): WorkerEngine => ({
  handlers: [handleTask<EchoTask>('echo', perform)],
});

const open = (load: () => WorkerEngine) => {
  const sent: FromWorker[] = [];
  let receive: (message: ToWorker) => void = () => {};
  const port: Port = {
    send: (message) => sent.push(message),
    onMessage: (listener) => {
      receive = listener;
    },
    onDisconnect: () => {},
  };
  serve(port, load);
  const run = (kind: string, input: unknown, id = 1) => receive({ type: 'run', id, kind, input });
  return { sent, run, abort: (id: number) => receive({ type: 'abort', id }) };
};

describe('serve', () => {
  it('answers a task with its events and its result', async () => {
    const { sent, run } = open(() =>
      engineWith((input, { emit }) => {
        emit({ part: input.slice(0, 1) });
        return input;
      }),
    );
    run('echo', 'hello');
    await expect.poll(() => sent).toHaveLength(2);
    expect(sent).toEqual([
      { type: 'event', id: 1, event: { part: 'h' } },
      { type: 'done', id: 1, result: 'hello' },
    ]);
  });

  it('rejects an unknown task and a failing one', async () => {
    const { sent, run } = open(() =>
      engineWith((input) => {
        throw input === 'invalid' ? new TaskError('model_invalid', 'No model.') : new Error('Broken.');
      }),
    );
    run('sing', 'la');
    run('echo', 'invalid', 2);
    run('echo', 'x', 3);
    await expect.poll(() => sent).toHaveLength(3);
    expect(new Map(sent.map((message) => ['id' in message && message.id, message]))).toMatchObject(
      new Map([
        [1, { type: 'failed', id: 1, code: 'internal_error', message: 'This worker has no task "sing".' }],
        [2, { type: 'failed', id: 2, code: 'model_invalid', message: 'No model.' }],
        [3, { type: 'failed', id: 3, code: 'internal_error', message: 'Broken.' }],
      ]),
    );
  });

  it("converts errors with the engine's own mapping", async () => {
    const { sent, run } = open(() => ({
      ...engineWith(() => {
        throw new Error('native');
      }),
      toTaskError: () => new TaskError('engine_crashed', 'Mapped.'),
    }));
    run('echo', 'x');
    await expect.poll(() => sent).toHaveLength(1);
    expect(sent[0]).toEqual({ type: 'failed', id: 1, code: 'engine_crashed', message: 'Mapped.' });
  });

  it('fires the signal of an aborted task', async () => {
    const { sent, run, abort } = open(() =>
      engineWith(async (_, { signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        throw new TaskError('cancelled', 'Stopped.');
      }),
    );
    run('echo', 'x');
    abort(1);
    await expect.poll(() => sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ type: 'failed', code: 'cancelled' });
  });

  it('reports an engine that does not load', () => {
    const { sent } = open(() => {
      throw new Error('no such library');
    });
    expect(sent).toEqual([{ type: 'unusable', message: 'no such library' }]);
  });
});
