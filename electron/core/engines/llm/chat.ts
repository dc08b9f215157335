import { z } from 'zod';
import { isAppError } from '../../base/errors.ts';

/** A chat endpoint of an OpenAI-compatible API. */
export type ChatEndpoint = {
  /** `http://127.0.0.1:11434/v1` (Ollama), `http://127.0.0.1:8080/v1` (llama.cpp). */
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey?: string;
  /** For each call. Default: 120 s, because local models are slow on a CPU. */
  readonly timeoutMs?: number;
  /** The fetch to use, so that the caller can guard and log the connection. */
  readonly fetch?: typeof globalThis.fetch;
  readonly signal?: AbortSignal;
};

export type ChatMessage = { readonly role: 'system' | 'user'; readonly content: string };

/** Why a call returned nothing usable. The message completes "…: it …" for a person, and holds no transcript text. */
export class LlmError extends Error {
  override readonly name = 'LlmError';
  readonly code: 'offline' | 'unreachable' | 'timeout' | 'status' | 'answer';

  constructor(code: LlmError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const DEFAULT_TIMEOUT_MS = 120_000;

const ChatCompletion = z.object({
  choices: z.tuple([z.object({ message: z.object({ content: z.string() }) })], z.unknown()),
});

const explain = (error: unknown, hasTimedOut: boolean): LlmError => {
  if (error instanceof LlmError) return error;
  if (hasTimedOut) return new LlmError('timeout', 'it did not answer in time', { cause: error });
  if (error instanceof SyntaxError) return new LlmError('answer', 'its answer was no JSON', { cause: error });
  if (error instanceof z.ZodError) return new LlmError('answer', 'its answer had no text', { cause: error });
  return isAppError(error) && error.code === 'offline'
    ? new LlmError('offline', 'Earshot is set to make no connections', { cause: error })
    : new LlmError('unreachable', 'it could not be reached', { cause: error });
};

const ModelList = z.object({ data: z.array(z.object({ id: z.string() })) });

/** Sends a request to a path below the base URL and parses the answer with `schema`. Throws `LlmError`. */
const request = async <T>(
  endpoint: Omit<ChatEndpoint, 'model'>,
  path: string,
  schema: z.ZodType<T>,
  body?: object,
): Promise<T> => {
  const send = endpoint.fetch ?? globalThis.fetch;
  const timeout = AbortSignal.timeout(endpoint.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  const signal = endpoint.signal ? AbortSignal.any([timeout, endpoint.signal]) : timeout;
  try {
    const response = await send(`${endpoint.baseUrl.replace(/\/+$/u, '')}${path}`, {
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(endpoint.apiKey ? { authorization: `Bearer ${endpoint.apiKey}` } : {}),
      },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      redirect: 'error',
      signal,
    });
    if (!response.ok) throw new LlmError('status', `it answered with status ${response.status}`);
    return schema.parse(await response.json());
  } catch (error) {
    throw explain(error, timeout.aborted);
  }
};

/** The ids of the models that the server offers, sorted. Throws `LlmError`. */
export const listChatModels = async (endpoint: Omit<ChatEndpoint, 'model'>): Promise<string[]> => {
  const { data } = await request(endpoint, '/models', ModelList);
  return data.map(({ id }) => id).sort((a, b) => a.localeCompare(b));
};

/** Sends one chat request and returns the text of the reply. Throws `LlmError`. */
export const chat = async (endpoint: ChatEndpoint, messages: readonly ChatMessage[]): Promise<string> => {
  const completion = await request(endpoint, '/chat/completions', ChatCompletion, {
    model: endpoint.model,
    messages,
    temperature: 0.2,
    stream: false,
    response_format: { type: 'json_object' },
  });
  return completion.choices[0].message.content;
};
