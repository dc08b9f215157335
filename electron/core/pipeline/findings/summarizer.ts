import type { Summarizer } from '../../analysis/types.ts';
import { WAITS } from '../../base/waits.ts';
import type { ChatEndpoint } from '../../engines/llm/chat.ts';
import { createLocalSummarizer } from '../../engines/llm/summarizer.ts';
import type { HttpClient, OpenedResponse } from '../../engines/net/types.ts';

const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;

const readAll = async ({ body }: OpenedResponse): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    const part: Buffer = chunk;
    bytes += part.length;
    if (bytes > MAX_RESPONSE_BYTES) throw new Error('The answer is too long.');
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString('utf8');
};

/** A `fetch` on our HTTP client, so that the offline switch and the connection log apply. */
const fetchThrough =
  (http: HttpClient, stallSeconds: number): typeof globalThis.fetch =>
  async (input, init) => {
    const response = await http.open({
      url: String(input),
      purpose: 'llm',
      headers: Object.fromEntries(new Headers(init?.headers)),
      ...(init?.method === 'POST' ? { method: 'POST' as const, body: String(init.body ?? '') } : {}),
      maxRedirects: 0,
      stallSeconds,
      ...(init?.signal ? { signal: init.signal } : {}),
    });
    return new Response(await readAll(response), { status: response.status });
  };

export type LanguageModelSettings = {
  readonly url: string;
  readonly model: string;
};

export const isConfigured = ({ url, model }: Pick<LanguageModelSettings, 'url' | 'model'>): boolean =>
  url !== '' && model !== '';

/** The endpoint that the settings name. */
export const endpointOf = (
  http: HttpClient,
  { url, model }: LanguageModelSettings,
  signal?: AbortSignal,
): ChatEndpoint => ({
  baseUrl: url,
  model,
  timeoutMs: WAITS.languageModelSeconds * 1000,
  fetch: fetchThrough(http, WAITS.languageModelSeconds),
  ...(signal === undefined ? {} : { signal }),
});

/** A summarizer on the configured language model; undefined if none is configured. */
export const summarizerOf = (
  http: HttpClient,
  settings: LanguageModelSettings,
  signal: AbortSignal,
): Summarizer | undefined =>
  isConfigured(settings) ? createLocalSummarizer(endpointOf(http, settings, signal)) : undefined;
