import { expect, it } from 'vitest';
import { isolated } from '../../../../electron/core/engines/whisper/devices/trial.ts';
import { systemInfoTask } from '../../../../electron/core/engines/whisper/tasks.ts';
import { FakeProcess } from '../worker/support/fake-process.ts';

it('gives the log the end of what a crashed process wrote, and the window the reason alone', async () => {
  const worker = new FakeProcess(1);
  worker.stderr = `${'x'.repeat(5000)} /home/ana/earshot: cannot open shared object: libgomp.so.1`;
  const { signal } = new AbortController();
  const failure = await isolated({ fork: () => worker }, 60_000, signal, (client) => {
    const { promise } = client.run(systemInfoTask, null);
    worker.exit('exit code 1');
    return promise;
  });
  expect(failure).toEqual({
    outcome: 'crashed',
    detail: 'exit code 1',
    output: expect.stringMatching(/libgomp\.so\.1$/),
  });
  expect('output' in failure && failure.output?.length).toBe(1000);
});
