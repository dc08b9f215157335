import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  StreamableHTTPClientTransport,
  StreamableHTTPError,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  InitializeResultSchema,
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import { ApiError } from '../contract/client.ts';
import { messageOf } from '../core/base/errors.ts';
import { type Connection, isLostConnection } from './connect.ts';
import { UsageError } from './environment.ts';
import { printMessage } from './terminal.ts';
import { pathOnDisk } from './upload.ts';

const SHUTTING_DOWN = 503;
const TOOL_CALL = CallToolRequestSchema.shape.method.value;

const LOST_ANSWER =
  'Earshot ended before it answered. A transcription that it had begun goes on when it runs again: look at the recordings before you call again.';

/** Folder of the stored files that an assistant has transcribed, which the window can play. */
const FOLDER = 'assistant';

const isAddress = (source: string): boolean => /^(?:https?:\/\/|storage:)/i.test(source);

const upload = async ({ client }: Connection, source: string): Promise<string> => {
  const path = source.startsWith('file:') ? fileURLToPath(source) : resolve(source);
  const found = await stat(await pathOnDisk(path)).catch(() => undefined);
  if (found?.isFile() !== true) throw new UsageError(`${path}: there is no such file.`);
  const form = new FormData();
  form.append('folder', FOLDER);
  form.append('purpose', 'transcription');
  form.append('file', await openAsBlob(await pathOnDisk(path)), basename(path));
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
  const { id, method } = message;
  if (method === TOOL_CALL && (error instanceof UsageError || error instanceof ApiError)) {
    const content = [{ type: 'text', text: error.message }];
    return { jsonrpc: '2.0', id, result: { content, isError: true } };
  }
  return { jsonrpc: '2.0', id, error: { code: ErrorCode.InternalError, message: messageOf(error) } };
};

/** The stream, and a call of `onEnd` when it has ended, whole or broken, and what came was read. */
const untilEnd = (stream: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> => {
  const reader = stream.getReader();
  return new ReadableStream({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      setImmediate(onEnd);
    },
    cancel: (reason) => reader.cancel(reason),
  });
};

/** `fetch` that calls `onEnd` with the body of a POST whose answer has ended. */
const fetchUntilEnd =
  (onEnd: (posted: string) => void): FetchLike =>
  async (url, init) => {
    const response = await fetch(url, init);
    const { body } = response;
    const posted = init?.body;
    // One that is refused, e.g. because the service is ending, is sent to the next service or fails by itself.
    if (!response.ok || body === null || typeof posted !== 'string') return response;
    return new Response(
      untilEnd(body, () => onEnd(posted)),
      response,
    );
  };

/** A service, and the way of the messages to it. */
type Service = { readonly connection: Connection; readonly http: StreamableHTTPClientTransport };

const isGone = (error: unknown): boolean =>
  isLostConnection(error) || (error instanceof StreamableHTTPError && error.code === SHUTTING_DOWN);

/**
 * Forwards messages between stdin, stdout and the service's `/mcp` until stdin ends. If the service has ended, e.g.
 * because the desktop program was quit, `open` is called again, and the message is sent to the next one.
 */
export const bridge = async (open: () => Promise<Connection>): Promise<void> => {
  const stdio = new StdioServerTransport();
  const fail = (error: unknown) => printMessage(`mcp: ${messageOf(error)}`);
  const unanswered = new Map<RequestId, JSONRPCRequest>();
  let protocolVersion: string | undefined;
  const receive = (message: JSONRPCMessage): void => {
    if ((isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) && message.id !== undefined)
      unanswered.delete(message.id);
    const hello = isJSONRPCResultResponse(message)
      ? InitializeResultSchema.safeParse(message.result)
      : undefined;
    if (hello?.success === true) protocolVersion = hello.data.protocolVersion;
    stdio.send(message).catch(fail);
  };
  const giveUp = async (id: RequestId, error: unknown): Promise<void> => {
    const message = unanswered.get(id);
    if (message === undefined || !unanswered.delete(id)) return;
    await stdio.send(errorAnswer(message, error));
  };
  const onAnswerEnd = (posted: string): void => {
    const message: unknown = JSON.parse(posted);
    if (isJSONRPCRequest(message)) giveUp(message.id, new UsageError(LOST_ANSWER)).catch(fail);
  };
  const start = async (): Promise<Service> => {
    const connection = await open();
    const http = new StreamableHTTPClientTransport(new URL('/mcp', connection.url), {
      requestInit: { headers: { authorization: `Bearer ${connection.key}` } },
      fetch: fetchUntilEnd(onAnswerEnd),
    });
    http.onmessage = receive;
    // Requests reject as well; what remains are streams that break.
    http.onerror = fail;
    await http.start();
    return { connection, http };
  };
  let service = await start();
  let next: Promise<Service> | undefined;
  /** The service after one that is gone: all messages that it lost wait for the same. A later one tries again if none is found. */
  const successorOf = async (gone: Service): Promise<Service> => {
    if (service !== gone) return service;
    next ??= start().finally(() => {
      next = undefined;
    });
    service = await next;
    return service;
  };
  const send = async (message: JSONRPCMessage, { connection, http }: Service): Promise<void> => {
    if (protocolVersion !== undefined) http.setProtocolVersion(protocolVersion);
    await http.send(isJSONRPCRequest(message) ? await withUpload(connection, message) : message);
  };
  const forward = async (message: JSONRPCMessage): Promise<void> => {
    const used = service;
    try {
      await send(message, used);
    } catch (error) {
      if (!isGone(error)) throw error;
      await send(message, await successorOf(used));
    }
  };
  const answer = (message: JSONRPCMessage): Promise<void> => {
    if (!isJSONRPCRequest(message)) return forward(message);
    unanswered.set(message.id, message);
    return forward(message).catch((error: unknown) => giveUp(message.id, error));
  };
  stdio.onerror = fail;
  stdio.onmessage = (message) => void answer(message).catch(fail);
  const ended = new Promise<void>((done) => {
    for (const event of ['end', 'close'] as const) process.stdin.once(event, () => done());
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => done());
  });
  await stdio.start();
  await ended;
  unanswered.clear();
  await stdio.close();
  await service.http.close();
  await service.connection.close();
};
