import { Agent, type IncomingMessage, request } from 'node:http';
import type { Plan } from './plan.ts';

export type Answer = {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
};

const PATIENCE_MS = 120_000;

/** Sends any path, Host and body unchanged, which fetch does not. */
export class Sender {
  readonly #base: URL;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 32 });

  constructor(url: string) {
    this.#base = new URL(url);
  }

  send({ method, path, headers, body }: Plan): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const { hostname, port } = this.#base;
    const asked = request({
      agent: this.#agent,
      hostname,
      port,
      method,
      path,
      headers,
      setHost: headers.host === undefined,
    });
    const timer = setTimeout(() => asked.destroy(new Error('There was no answer.')), PATIENCE_MS);
    asked.on('response', (response) => {
      const chunks: Buffer[] = [];
      const done = () => {
        clearTimeout(timer);
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks),
        });
      };
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        // The event stream never ends.
        if (path.startsWith('/v1/events') && response.statusCode === 200) {
          done();
          asked.destroy();
        }
      });
      response.on('end', done);
      response.on('error', reject);
    });
    asked.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    if (body === undefined) asked.end();
    else {
      asked.setHeader('content-length', body.length);
      asked.end(body);
    }
    return promise;
  }

  close(): void {
    this.#agent.destroy();
  }
}
