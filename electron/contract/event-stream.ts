import { createParser } from 'eventsource-parser';

/** One message of a server-sent event stream. */
export type StreamMessage = {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
};

/**
 * Parses a server-sent event stream (WHATWG HTML, 9.2.6) incrementally: `push` takes text and returns the messages that it
 * completes, each with the last id that the stream has named. `onComment` is called for each comment, which servers send as
 * a heartbeat.
 */
export const createEventParser = (onComment?: () => void) => {
  let messages: StreamMessage[] = [];
  let lastId: string | undefined;
  const parser = createParser({
    onId: (id) => {
      lastId = id;
    },
    onEvent: ({ event = 'message', data }) => {
      messages.push({ id: lastId, event, data });
    },
    onComment,
  });
  return {
    push: (text: string): StreamMessage[] => {
      messages = [];
      parser.feed(text);
      return messages;
    },
  };
};

/** Yields the messages of a response body as they arrive. Ends the connection when the consumer stops iterating. */
export async function* readMessages(
  body: ReadableStream<Uint8Array>,
  onComment?: () => void,
): AsyncGenerator<StreamMessage, void, undefined> {
  const parser = createEventParser(onComment);
  const decoder = new TextDecoder();
  // A reader rather than `for await`: not every browser can iterate streams.
  const reader = body.getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      yield* parser.push(decoder.decode(part.value, { stream: true }));
    }
  } finally {
    // Rejects if the stream has already failed, which the loop has reported.
    await reader.cancel().catch(() => undefined);
  }
}

export type FollowOptions = {
  /** Opens the stream after the event with this id, or from the beginning. */
  readonly open: (lastId: string | undefined) => Promise<Response>;
  readonly signal: AbortSignal;
  /** Whether an error ends the stream instead of being retried as a broken connection. */
  readonly isFinal: (error: unknown) => boolean;
  readonly onState?: (state: 'live' | 'lost') => void;
  readonly lastId?: string | undefined;
};

const FIRST_WAIT_MS = 400;
const MAX_WAIT_MS = 5000;

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end);
  });

/**
 * Yields a stream's messages until the signal fires. Reopens a broken stream after the last message it has seen, with
 * exponential backoff.
 */
export async function* followMessages(
  options: FollowOptions,
): AsyncGenerator<StreamMessage, void, undefined> {
  const { open, signal, isFinal, onState } = options;
  let { lastId } = options;
  let wait = FIRST_WAIT_MS;
  while (!signal.aborted) {
    try {
      const { body } = await open(lastId);
      onState?.('live');
      wait = FIRST_WAIT_MS;
      if (body === null) return;
      for await (const message of readMessages(body)) {
        lastId = message.id ?? lastId;
        yield message;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (isFinal(error)) throw error;
      onState?.('lost');
    }
    await pause(wait, signal);
    wait = Math.min(MAX_WAIT_MS, wait * 2);
  }
}
