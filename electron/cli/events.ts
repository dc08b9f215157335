import type { Client } from '../contract/client.ts';
import { ServerEvent } from '../contract/events.ts';

/** The events in a stream of text; comments and unknown types are passed over. */
export async function* parseEvents(chunks: AsyncIterable<string>): AsyncGenerator<ServerEvent> {
  let buffer = '';
  for await (const chunk of chunks) {
    buffer += chunk;
    const blocks = buffer.split('\n\n');
    buffer = blocks.pop() ?? '';
    for (const block of blocks) {
      const field = (name: string) =>
        block
          .split('\n')
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2);
      const [type, data] = [field('event'), field('data')];
      if (type === undefined || data === undefined) continue;
      const event = ServerEvent.safeParse({ ...JSON.parse(data), type });
      if (event.success) yield event.data;
    }
  }
}

/** What the server says from now on, until the signal fires. */
export async function* listen(client: Client, signal: AbortSignal): AsyncGenerator<ServerEvent> {
  const response = await client.send('events', { signal });
  if (response.body === null) return;
  yield* parseEvents(response.body.pipeThrough(new TextDecoderStream()));
}
