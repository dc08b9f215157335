import { once } from 'node:events';
import { createServer } from 'node:http';

type Received = { readonly path: string; readonly headers: Record<string, string>; readonly body: string };

export type WebhookReceiver = {
  url(path: string): string;
  /** Sets the statuses of a path's next answers; every other answer is 204. */
  answer(path: string, statuses: readonly number[]): void;
  requests(path: string): Received[];
  close(): Promise<void>;
};

/** Starts a server that records webhook deliveries. */
export const startWebhookReceiver = async (): Promise<WebhookReceiver> => {
  const received: Received[] = [];
  const answers = new Map<string, number[]>();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    const path = request.url ?? '';
    received.push({ path, headers, body });
    const status = answers.get(path)?.shift() ?? 204;
    response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the receiver got no port');
  return {
    url: (path) => `http://127.0.0.1:${address.port}${path}`,
    answer: (path, statuses) => answers.set(path, [...statuses]),
    requests: (path) => received.filter((request) => request.path === path),
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};
