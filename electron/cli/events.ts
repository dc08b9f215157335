import type { Client } from '../contract/client.ts';
import { readMessages } from '../contract/event-stream.ts';
import { ServerEvent } from '../contract/events.ts';

/** What the server says from now on, until the signal fires or the stream ends; unknown types are passed over. */
export async function* listen(client: Client, signal: AbortSignal): AsyncGenerator<ServerEvent> {
  const { body } = await client.send('events', { signal });
  if (body === null) return;
  for await (const { event: type, data } of readMessages(body)) {
    const event = ServerEvent.safeParse({ ...JSON.parse(data), type });
    if (event.success) yield event.data;
  }
}
