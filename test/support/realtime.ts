import { setTimeout as delay } from 'node:timers/promises';
import WebSocket from 'ws';
import { type ClientMessageInput, ServerMessage } from '../../electron/contract/realtime.ts';
import type { TestServer } from './server.ts';

type MessageOf<T extends ServerMessage['type']> = Extract<ServerMessage, { type: T }>;

const pcm16 = (pcm: Float32Array): Buffer => {
  const samples = Int16Array.from(pcm, (sample) => Math.round(Math.max(-1, Math.min(1, sample)) * 0x7fff));
  return Buffer.from(samples.buffer);
};

/** A client of `/v1/realtime` that checks every message with its schema. */
export class RealtimeClient {
  readonly socket: WebSocket;
  readonly messages: ServerMessage[] = [];
  readonly said: ClientMessageInput[] = [];
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  #waiters: (() => void)[] = [];

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data) => {
      this.messages.push(ServerMessage.parse(JSON.parse(String(data))));
      this.#wake();
    });
    this.closed = new Promise((done) => {
      socket.once('close', (code, reason) => {
        done({ code, reason: reason.toString() });
        this.#wake();
      });
    });
  }

  /** Rejects with the status of a refused upgrade. */
  static async open(
    server: Pick<TestServer, 'url' | 'key'>,
    {
      path = '/v1/realtime',
      headers = { authorization: `Bearer ${server.key}` } as Record<string, string>,
    } = {},
  ): Promise<RealtimeClient> {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}${path}`, { headers });
    const client = new RealtimeClient(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('unexpected-response', (_request, response) =>
        reject(new Error(String(response.statusCode))),
      );
      socket.once('error', reject);
    });
    socket.on('error', () => {});
    return client;
  }

  say(message: ClientMessageInput): void {
    this.said.push(message);
    this.socket.send(JSON.stringify(message));
  }

  /** Sends samples in parts of 100 ms, faster than they are spoken. */
  async speak(pcm: Float32Array, part = 1600): Promise<void> {
    for (let at = 0; at < pcm.length; at += part) {
      this.socket.send(pcm16(pcm.subarray(at, at + part)));
      if ((at / part) % 10 === 9) await delay(5);
    }
  }

  of<T extends ServerMessage['type']>(type: T): MessageOf<T>[] {
    return this.messages.filter((message): message is MessageOf<T> => message.type === type);
  }

  /** The first message of a type, also one that came already. Rejects if the connection closes before. */
  async next<T extends ServerMessage['type']>(
    type: T,
    isMeant: (message: MessageOf<T>) => boolean = () => true,
  ) {
    for (;;) {
      const found = this.of(type).find(isMeant);
      if (found !== undefined) return found;
      if (this.socket.readyState === WebSocket.CLOSED)
        throw new Error(`The connection closed before ${type}: ${JSON.stringify(this.messages.at(-1))}`);
      await new Promise<void>((resolve) => this.#waiters.push(resolve));
    }
  }

  get committed(): string[] {
    return this.of('words.committed').flatMap(({ words }) => words.map(({ word }) => word));
  }

  #wake(): void {
    for (const waiter of this.#waiters.splice(0)) waiter();
  }
}
