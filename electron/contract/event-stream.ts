/** One message of a server-sent event stream. */
export type StreamMessage = {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
};

/**
 * Splits a server-sent event stream into messages (WHATWG HTML, 9.2.6): feed text as it comes, get whole
 * messages back. Fields without use here (`retry`) are passed over; of comments the caller may be told.
 */
export const createEventParser = (onComment?: () => void) => {
  let rest = '';
  let id: string | undefined;
  let event = '';
  let data: string[] = [];

  const takeLine = (line: string, out: StreamMessage[]) => {
    if (line === '') {
      if (data.length > 0) out.push({ id, event: event === '' ? 'message' : event, data: data.join('\n') });
      event = '';
      data = [];
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) {
      onComment?.();
      return;
    }
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'id') id = value;
    else if (field === 'event') event = value;
    else if (field === 'data') data.push(value);
  };

  return {
    push: (text: string): StreamMessage[] => {
      const out: StreamMessage[] = [];
      const lines = (rest + text).split(/\r\n|\n|\r/);
      rest = lines.pop() ?? '';
      for (const line of lines) takeLine(line, out);
      return out;
    },
  };
};

/** The messages in the body of an answer, as they come. Whoever stops reading ends the connection. */
export async function* readMessages(
  body: ReadableStream<Uint8Array>,
  onComment?: () => void,
): AsyncGenerator<StreamMessage, void, undefined> {
  const parser = createEventParser(onComment);
  const decoder = new TextDecoder();
  // A reader rather than `for await`, which not every browser knows for streams.
  const reader = body.getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      yield* parser.push(decoder.decode(part.value, { stream: true }));
    }
  } finally {
    // A stream that is broken already has nothing left to cancel.
    await reader.cancel().catch(() => undefined);
  }
}

export type FollowOptions = {
  /** Opens the stream, from after the event of this id where there is one. */
  readonly open: (lastId: string | undefined) => Promise<Response>;
  readonly signal: AbortSignal;
  /** Whether an error is no broken connection: it is thrown instead of trying again. */
  readonly isFinal: (error: unknown) => boolean;
  readonly onState?: (state: 'live' | 'lost') => void;
  readonly lastId?: string | undefined;
};

const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 5000;

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
 * Follows a stream until the signal fires: a broken one is opened again after the last event that was seen, so that
 * nothing in between is missed.
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
    wait = Math.min(LONGEST_WAIT_MS, wait * 2);
  }
}
