import { openAsBlob } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type CallToolResult, CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { cacheDir } from '../../native/build.mjs';
import { fixture, fixturePath, ONE_SENTENCE } from '../support/fixtures.ts';
import { CLI_ENTRY } from '../support/paths.ts';
import { discard, installSynthetic, SYNTHETIC, startServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { stall, startUrlServer } from '../support/url-server.ts';

const NOTE = fixturePath(ONE_SENTENCE);

// A busy machine may take long; nothing here measures time.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const newClient = () => new Client({ name: 'test', version: '1.0.0' });

const call = async (
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
  onprogress?: (progress: number) => void,
): Promise<CallToolResult> => {
  const options = {
    timeout: 280_000,
    ...(onprogress === undefined
      ? {}
      : { onprogress: ({ progress }: { progress: number }) => onprogress(progress) }),
  };
  return CallToolResultSchema.parse(
    await client.callTool({ name, arguments: args }, CallToolResultSchema, options),
  );
};

const textOf = ({ content }: CallToolResult): string =>
  content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');

const idOf = ({ structuredContent }: CallToolResult): string =>
  z.object({ id: z.string() }).parse(structuredContent).id;

/** A URL of the sample that the server may fetch. */
const stored = async (server: TestServer): Promise<string> => {
  const form = new FormData();
  form.append('file', await openAsBlob(NOTE), 'standup.wav');
  const { data } = await server.client.call('uploadFile', { body: form });
  return `storage:${data.file.key}`;
};

describe('the MCP client over Streamable HTTP', () => {
  let server: TestServer;
  let client: Client;
  let id = '';
  let words = '';

  beforeAll(async () => {
    server = await startServer({ quick: true, model: 'starter-parakeet' });
    client = newClient();
    const transport = new StreamableHTTPClientTransport(new URL('/mcp', server.url), {
      requestInit: { headers: { authorization: `Bearer ${server.key}` } },
    });
    await client.connect(transport);
    const seen: number[] = [];
    const result = await call(
      client,
      'transcribe',
      { source: await stored(server), language: 'en' },
      (progress) => seen.push(progress),
    );
    id = idOf(result);
    words = textOf(result);
    expect(seen.length).toBeGreaterThan(0);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  });
  afterAll(async () => {
    await client.close();
    await discard(server);
  });

  it('learns the server’s name, instructions and tools', async () => {
    expect(client.getServerVersion()).toMatchObject({ name: 'earshot' });
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name).sort()).toEqual([
      'read',
      'recordings',
      'search',
      'summarise',
      'transcribe',
    ]);
    for (const tool of tools) expect(tool.description).toMatch(/\w/);
    const { inputSchema } = tools.find(({ name }) => name === 'transcribe') ?? {};
    expect(Object.keys(inputSchema?.properties ?? {})).toContain('multichannel');
  });

  it('transcribes with times', () => {
    expect(words).toMatch(/\[00:00:00\] \w+/);
  });

  it('reads a whole transcript, and a passage between two times', async () => {
    const whole = await call(client, 'read', { id });
    expect(textOf(whole)).toBe(words);
    expect(whole.structuredContent).toMatchObject({
      id,
      status: 'completed',
      next_from: null,
      language: 'en',
    });
    const none = await call(client, 'read', { id, from: 3000, to: 4000 });
    expect(textOf(none)).toContain('Nothing is spoken here.');
  });

  it('searches, with the time of each match', async () => {
    const word = /\[00:00:00\] (\w+)/.exec(words)?.[1] ?? '';
    const found = await call(client, 'search', { query: word });
    expect(found.structuredContent).toMatchObject({ total: 1, results: [{ id }] });
    expect(textOf(found)).toMatch(/at \d+(\.\d)? s: /);
    expect(textOf(await call(client, 'search', { query: 'zebra AND (' }))).toBe('Nothing was found.');
  });

  it('summarizes', async () => {
    const result = await call(client, 'summarise', { id, type: 'bullets' });
    expect(textOf(result)).toMatch(/^• /);
    expect(result.structuredContent).toMatchObject({ id, engine: 'extractive' });
  });

  it('lists the recordings', async () => {
    const result = await call(client, 'recordings');
    expect(result.structuredContent).toMatchObject({
      recordings: [{ id, name: 'standup.wav', status: 'completed' }],
    });
  });

  it('answers before the client times out, while the job goes on', async () => {
    const started = await call(client, 'transcribe', { source: await stored(server), wait_seconds: 0 });
    expect(started.structuredContent).toMatchObject({ status: 'processing' });
    expect(textOf(started)).toContain(idOf(started));
    await server.client.call('deleteTranscript', { params: { id: idOf(started) } });
  });

  it('returns errors as the tool’s result', async () => {
    for (const [name, args, reason] of [
      ['read', { id: 'tr_none' }, /no such/],
      ['transcribe', { source: '/etc/passwd' }, /audio_url/],
      ['transcribe', { source: 'storage:/nobody/files/x.wav' }, /no such/],
      ['transcribe', { source: 'https://example.com/a.mp3', language: 'xx' }, /language/],
      ['search', { query: '' }, /query/],
      ['read', {}, /id/],
    ] as const) {
      const result = await call(client, name, args);
      expect(result.isError, name).toBe(true);
      expect(textOf(result)).toMatch(reason);
    }
  });

  it('refuses requests without a key, from other origins and for other hosts', async () => {
    const post = (headers: Record<string, string>) =>
      fetch(`${server.url}/mcp`, {
        method: 'POST',
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
      });
    const authorization = `Bearer ${server.key}`;
    expect((await post({})).status).toBe(401);
    expect((await post({ authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await post({ authorization, origin: 'https://evil.example' })).status).toBe(403);
    expect((await post({ authorization })).status).toBe(200);
    expect((await server.fetch('/mcp')).status).toBe(405);
  });

  it('never shows the recordings of another user', async () => {
    const { data } = await server.client.call('createUser', { body: { name: 'other' } });
    const other = newClient();
    await other.connect(
      new StreamableHTTPClientTransport(new URL('/mcp', server.url), {
        requestInit: { headers: { authorization: `Bearer ${data.key.key}` } },
      }),
    );
    expect((await call(other, 'recordings')).structuredContent).toMatchObject({ total: 0 });
    expect((await call(other, 'read', { id })).isError).toBe(true);
    await other.close();
  });
});

describe('the MCP client over stdio', () => {
  let dataDir = '';
  beforeAll(async () => {
    dataDir = temporaryFolder();
  });

  const bridgeTo = (folder: string) => {
    installSynthetic(folder);
    return new StdioClientTransport({
      command: process.execPath,
      args: [CLI_ENTRY, 'mcp', ...SYNTHETIC, '--data-dir', folder],
      env: {
        PATH: process.env.PATH ?? '',
        EARSHOT_ADDON: process.env.EARSHOT_ADDON ?? '',
        NODE_COMPILE_CACHE: join(cacheDir(), 'code'),
      },
      stderr: 'pipe',
    });
  };

  it.each([
    ['stop', false, 'Still at work'],
    ['kill', true, 'Earshot ended before it answered'],
  ] as const)('answers a call whose service ends before it does: %s', async (end, failed, words) => {
    const source = await startUrlServer();
    const address = source.set('/meeting.wav', stall(fixture(ONE_SENTENCE), 1000));
    const server = await startServer();
    const client = newClient();
    await client.connect(bridgeTo(server.dataDir));
    const lost = call(client, 'transcribe', { source: address, wait_seconds: 280 });
    const begun = async () => (await server.client.call('listTranscripts')).data.transcriptions.length;
    await expect.poll(begun).toBe(1);
    await server[end]();
    const answer = await lost;
    expect(answer.isError ?? false).toBe(failed);
    expect(textOf(answer)).toContain(words);
    // It goes on with a service of its own, after the harder end alone.
    if (failed) {
      // Both are answered by that one, which resumes what was begun.
      const answers = await Promise.all([call(client, 'recordings'), call(client, 'recordings')]);
      for (const { structuredContent } of answers) expect(structuredContent).toMatchObject({ total: 1 });
    }
    await client.close();
    await source.close();
  });

  it('transcribes a local file by its path, and reads it', async () => {
    const client = newClient();
    const problems: string[] = [];
    const transport = bridgeTo(dataDir);
    transport.stderr?.on('data', (chunk: Buffer) => problems.push(chunk.toString()));
    await client.connect(transport);
    const model = 'starter-parakeet';
    const result = await call(client, 'transcribe', { source: NOTE, language: 'en', model });
    expect(textOf(result)).toMatch(/\[00:00:00\] \w+/);
    expect(textOf(await call(client, 'read', { id: idOf(result) }))).toBe(textOf(result));
    const missing = await call(client, 'transcribe', { source: '/nowhere/at-all.wav' });
    expect(missing.isError).toBe(true);
    expect(textOf(missing)).toMatch(/no such file/);
    await client.close();
    expect(problems.join('')).toBe('');
  });
});
