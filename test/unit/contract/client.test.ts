import { describe, expect, it } from 'vitest';
import { createClient } from '../../../electron/contract/client.ts';

const requests: string[] = [];
const client = createClient({
  baseUrl: 'http://earshot',
  fetch: async (input) => {
    requests.push(String(input));
    return Response.json({ success: true, data: [] });
  },
});

describe('the client', () => {
  it('takes the parameters that the path names, and no others', async () => {
    await client.call('getTranscript', { params: { id: 'tr_1' } });
    await client.send('downloadFile', { params: { fileKey: '/usr/a b.mp3' } });
    // @ts-expect-error: the path has `{id}`.
    await client.call('getTranscript', { params: { name: 'tr_2' } });
    // @ts-expect-error: `id` is missing.
    await client.call('getTranscript', { params: {} });
    // @ts-expect-error: the id is a text.
    await client.call('getTranscript', { params: { id: 3 } });
    // @ts-expect-error: the parameters are missing.
    await client.call('getTranscript', {});
    // @ts-expect-error: everything is missing.
    await client.call('getTranscript');
    expect(requests.slice(0, 2)).toEqual([
      'http://earshot/v1/transcript/id/tr_1',
      'http://earshot/v1/storage/download/usr/a%20b.mp3',
    ]);
  });

  it('types an answer by its route, also where it is sent as a response', async () => {
    const { data } = await client.call('listVoices');
    const response = await client.send('listVoices');
    const answer: { data: typeof data } = await response.json();
    expect(answer.data).toEqual(data);
    // @ts-expect-error: voices have no such field.
    expect(data[0]?.colour).toBeUndefined();
  });
});
