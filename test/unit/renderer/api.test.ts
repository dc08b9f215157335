import { describe, expect, it } from 'vitest';
import { createEventParser } from '../../../electron/contract/event-stream.ts';
import { parseServerEvent } from '../../../electron/contract/events.ts';

describe('event stream', () => {
  it('parses events from partial data, with ids, comments and multi-line data', () => {
    const parser = createEventParser();
    expect(parser.push(': hello\n\nid: 7\nevent: queue.ch')).toEqual([]);
    expect(parser.push('anged\ndata: {"paused":\ndata: true}\n\ndata: x\n\n')).toEqual([
      { id: '7', event: 'queue.changed', data: '{"paused":\ntrue}' },
      { id: '7', event: 'message', data: 'x' },
    ]);
  });

  it.each([
    [
      'a line end split over two chunks',
      ['data: a\r', '\ndata: b\r\n\r', '\ndata: c\r\n\r\n'],
      ['a\nb', 'c'],
    ],
    ['each character as a chunk', [...'data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n'], ['a\nb', 'c']],
    ['a byte order mark', ['\ufeffdata: a\n\n'], ['a']],
  ])('parses %s', (_, chunks, data) => {
    const parser = createEventParser();
    expect(chunks.flatMap((chunk) => parser.push(chunk)).map((message) => message.data)).toEqual(data);
  });

  it('ignores events of an unknown type', () => {
    expect(parseServerEvent('queue.changed', '{"paused":true}')).toEqual({
      type: 'queue.changed',
      paused: true,
    });
    expect(parseServerEvent('something.new', '{}')).toBeUndefined();
  });
});
