import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  InitializeResultSchema,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
} from '@modelcontextprotocol/sdk/types.js';
import { ApiError } from '../contract/client.ts';
import { messageOf } from '../core/base/errors.ts';
import type { Connection } from './connect.ts';
import { UsageError } from './environment.ts';
import { printMessage } from './terminal.ts';

/** Folder of the stored files that an assistant has transcribed, which the window can play. */
const FOLDER = 'assistant';

const isAddress = (source: string): boolean => /^(?:https?:\/\/|storage:)/i.test(source);

const upload = async ({ client }: Connection, source: string): Promise<string> => {
  const path = source.startsWith('file:') ? fileURLToPath(source) : resolve(source);
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true) throw new UsageError(`${path}: there is no such file.`);
  const form = new FormData();
  form.append('folder', FOLDER);
  form.append('purpose', 'transcription');
  form.append('file', await openAsBlob(path), basename(path));
  const { data } = await client.call('uploadFile', { body: form });
  return `storage:${data.file.key}`;
};

/** Uploads the file that a `transcribe` call names by its path, since the service does not read paths. */
const withUpload = async (connection: Connection, message: JSONRPCRequest): Promise<JSONRPCRequest> => {
  const call = CallToolRequestSchema.safeParse(message);
  const source = call.data?.params.arguments?.source;
  if (call.data?.params.name !== 'transcribe' || typeof source !== 'string' || isAddress(source))
    return message;
  const args = { ...call.data.params.arguments, source: await upload(connection, source) };
  return { ...message, params: { ...message.params, arguments: args } };
};

/** Errors that a user can act on become the tool's result, all others a protocol error. */
const errorAnswer = (message: JSONRPCRequest, error: unknown): JSONRPCMessage => {
  const { id } = message;
  if (error instanceof UsageError || error instanceof ApiError) {
    const content = [{ type: 'text', text: error.message }];
    return { jsonrpc: '2.0', id, result: { content, isError: true } };
  }
  return { jsonrpc: '2.0', id, error: { code: ErrorCode.InternalError, message: messageOf(error) } };
};

/** Forwards messages between stdin, stdout and the service's `/mcp` until stdin ends. */
export const bridge = async (connection: Connection): Promise<void> => {
  const stdio = new StdioServerTransport();
  const http = new StreamableHTTPClientTransport(new URL('/mcp', connection.url), {
    requestInit: { headers: { authorization: `Bearer ${connection.key}` } },
  });
  const forward = async (message: JSONRPCMessage): Promise<void> => {
    if (!isJSONRPCRequest(message)) return http.send(message);
    try {
      await http.send(await withUpload(connection, message));
    } catch (error) {
      await stdio.send(errorAnswer(message, error));
    }
  };
  const fail = (error: unknown) => printMessage(`mcp: ${messageOf(error)}`);
  http.onmessage = (message) => {
    const hello = isJSONRPCResultResponse(message)
      ? InitializeResultSchema.safeParse(message.result)
      : undefined;
    if (hello?.success === true) http.setProtocolVersion(hello.data.protocolVersion);
    stdio.send(message).catch(fail);
  };
  http.onerror = fail;
  stdio.onerror = fail;
  stdio.onmessage = (message) => void forward(message).catch(fail);
  const ended = new Promise<void>((done) => {
    for (const event of ['end', 'close'] as const) process.stdin.once(event, () => done());
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => done());
  });
  await http.start();
  await stdio.start();
  await ended;
  await stdio.close();
  await http.close();
};
