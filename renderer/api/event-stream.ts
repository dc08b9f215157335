/** One message of a server-sent event stream. */
export type StreamMessage = {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
};

/**
 * Splits a server-sent event stream into messages (WHATWG HTML, 9.2.6): feed text as it comes, get whole
 * messages back. Comments and fields without use here (`retry`) are passed over.
 */
export const createEventParser = () => {
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
    if (colon === 0) return;
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
