import { describe, expect, it } from 'vitest';
import { putSamples, type ToWorker, takeSamples } from '../../../../electron/core/engines/worker/protocol.ts';

const run = (id: number, input: unknown): ToWorker => ({ type: 'run', id, kind: 'transcribe', input });

/** A pipe in memory: what is written can be read once, in order. */
const openPipe = () => {
  let written: number[] = [];
  return {
    write: (bytes: Uint8Array) => written.push(...bytes),
    read: (bytes: Uint8Array) => {
      bytes.set(written.slice(0, bytes.length));
      written = written.slice(bytes.length);
    },
    unread: () => written.length,
  };
};

const travel = (messages: readonly ToWorker[]): { received: ToWorker[]; unread: number } => {
  const pipe = openPipe();
  const sent = messages.map((message) => {
    const { message: rest, bytes } = takeSamples(message);
    if (bytes) pipe.write(bytes);
    return structuredClone(rest);
  });
  return { received: sent.map((message) => putSamples(message, pipe.read)), unread: pipe.unread() };
};

describe('samples', () => {
  it('come to the tasks that they were sent with', () => {
    const messages = [
      run(1, { modelPath: 'a.bin', pcm: Float32Array.of(0.1, -0.2, 0.3) }),
      run(2, { modelPath: 'b.bin' }),
      run(3, { pcm: new Float32Array(0), params: { language: 'de' } }),
      run(4, { pcm: Float32Array.of(1, -1) }),
    ];
    expect(travel(messages)).toEqual({ received: messages, unread: 0 });
  });

  it('are those of the view alone, not of its whole memory', () => {
    const whole = Float32Array.of(1, 2, 3, 4);
    expect(travel([run(1, { pcm: whole.subarray(1, 3) })])).toEqual({
      received: [run(1, { pcm: Float32Array.of(2, 3) })],
      unread: 0,
    });
  });

  it('leave the message, and the memory is not copied', () => {
    const pcm = Float32Array.of(1, 2);
    const { message, bytes } = takeSamples(run(1, { pcm }));
    expect(message).toEqual({ ...run(1, {}), sampleCount: 2 });
    expect(bytes?.buffer).toBe(pcm.buffer);
  });

  it('are not looked for in other messages', () => {
    const messages: ToWorker[] = [{ type: 'abort', id: 1 }, { type: 'stop' }, run(1, null), run(2, 'text')];
    for (const message of messages) expect(takeSamples(message)).toEqual({ message, bytes: null });
    expect(travel(messages).received).toEqual(messages);
  });
});
