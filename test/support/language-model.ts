import { createServer, type IncomingMessage } from 'node:http';

export type ChatRequest = {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: { model: string; messages: { role: string; content: string }[] };
};

export type ChatAnswer = { readonly status?: number; readonly content?: string; readonly raw?: string };

export type LanguageModel = {
  readonly requests: ChatRequest[];
  /** Base URL of its OpenAI-compatible API. */
  readonly baseUrl: string;
  close(): Promise<void>;
};

/** A server like Ollama: offers the models `small` and `large`, and answers each chat request with `reply`'s result; undefined leaves it unanswered. */
export const startLanguageModel = async (
  reply: (request: ChatRequest) => ChatAnswer | undefined,
): Promise<LanguageModel> => {
  const requests: ChatRequest[] = [];
  const server = createServer(async (incoming: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
    if (incoming.method === 'GET') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ object: 'list', data: [{ id: 'small' }, { id: 'large' }] }));
      return;
    }
    const request = {
      path: incoming.url ?? '',
      authorization: incoming.headers.authorization,
      body: JSON.parse(Buffer.concat(chunks).toString('utf8')),
    };
    requests.push(request);
    const answer = reply(request);
    if (!answer) return;
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' });
    response.end(
      answer.raw ??
        JSON.stringify({ choices: [{ message: { role: 'assistant', content: answer.content } }] }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    requests,
    baseUrl: `http://127.0.0.1:${address.port}/v1/`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

/** The ids of the lines in the prompt. */
export const idsIn = ({ body }: ChatRequest): number[] =>
  [...(body.messages[1]?.content ?? '').matchAll(/^\[(\d+)/gm)].map((match) => Number(match[1]));

export const bulletsOf = (...bullets: { text: string; sentences: number[] }[]): ChatAnswer => ({
  content: JSON.stringify({ bullets }),
});
