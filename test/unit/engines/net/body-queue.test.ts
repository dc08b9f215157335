import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { bodyStream } from '../../../../electron/core/engines/net/http-client.ts';

const make = (): {
  source: PassThrough;
  body: ReturnType<typeof bodyStream>;
  closed: [number, string | null][];
} => {
  const source = new PassThrough();
  const closed: [number, string | null][] = [];
  const body = bodyStream({
    source,
    explain: (error) => new Error(`explained: ${error instanceof Error ? error.message : 'nothing'}`),
    onClose: (bytes, failure) => closed.push([bytes, failure?.message ?? null]),
  });
  return { source, body, closed };
};

describe('bodyStream', () => {
  it('delivers the data before an error, also to a late reader', async () => {
    const { source, body, closed } = make();
    source.write('one ');
    source.write('two');
    await delay(5);
    source.destroy(new Error('broken'));
    await delay(5);
    const parts: string[] = [];
    const reading = async (): Promise<void> => {
      for await (const chunk of body) {
        parts.push(String(chunk));
        await delay(2);
      }
    };
    await expect(reading()).rejects.toThrow('explained: broken');
    expect(parts.join('')).toBe('one two');
    expect(closed).toEqual([[7, 'explained: broken']]);
  });

  it('delivers a long and slow stream, with backpressure', async () => {
    const { source, body, closed } = make();
    const all = Buffer.alloc(3_000_000, 7);
    source.end(all);
    await delay(5);
    expect(source.readableFlowing).toBe(false);
    expect((await buffer(body)).equals(all)).toBe(true);
    expect(closed).toEqual([[3_000_000, null]]);
  });

  it('closes the source when the reader is destroyed, even while it waits', async () => {
    const { source, body, closed } = make();
    source.write('one');
    const reading = buffer(body);
    await delay(5);
    body.destroy();
    await expect(reading).rejects.toThrow();
    expect(source.destroyed).toBe(true);
    expect(closed).toHaveLength(1);
  });

  it('does not count the time of a slow reader against the source', async () => {
    const source = new PassThrough();
    const minRate = { bytesPerSecond: 1000, overSeconds: 0.2 };
    const body = bodyStream({ source, minRate, explain: () => new Error('too slow'), onClose: () => {} });
    for (const part of ['one', 'two', 'three', 'four']) {
      source.write(part);
      await delay(5);
    }
    const parts: string[] = [];
    for await (const chunk of body) {
      parts.push(String(chunk));
      if (parts.length === 1) {
        await delay(300);
        source.end();
      }
    }
    expect(parts.join(' ')).toBe('one two three four');
  });

  it('notices a source that stalls after it sent enough while nobody waited', async () => {
    const source = new PassThrough();
    const minRate = { bytesPerSecond: 1000, overSeconds: 0.2 };
    const body = bodyStream({ source, minRate, explain: () => new Error('too slow'), onClose: () => {} });
    source.write(Buffer.alloc(300));
    await expect(buffer(body)).rejects.toThrow('too slow');
  });

  it('treats a source that closes without an end as a failure', async () => {
    const { source, body } = make();
    source.destroy();
    await expect(buffer(body)).rejects.toThrow('explained: closed early');
  });
});
