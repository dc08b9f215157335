import type { Summarizer } from '../../analysis/types.ts';
import { createLocalSummarizer } from '../../engines/llm/summarizer.ts';
import type { HttpClient, OpenedResponse } from '../../engines/net/types.ts';

const MOST_ANSWER_BYTES = 8 * 1024 * 1024;

const readAll = async ({ body }: OpenedResponse): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    const part: Buffer = chunk;
    bytes += part.length;
    if (bytes > MOST_ANSWER_BYTES) throw new Error('The answer is too long.');
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString('utf8');
};

/** `fetch` through the program's own way out, so that the offline switch and the connection log hold. */
const fetchThrough =
  (http: HttpClient, stallSeconds: number): typeof globalThis.fetch =>
  async (input, init) => {
    const response = await http.open({
      url: String(input),
      purpose: 'llm',
      method: 'POST',
      headers: Object.fromEntries(new Headers(init?.headers)),
      body: String(init?.body ?? ''),
      maxRedirects: 0,
      stallSeconds,
      ...(init?.signal ? { signal: init.signal } : {}),
    });
    return new Response(await readAll(response), { status: response.status });
  };

export type LanguageModelSettings = {
  readonly url: string;
  readonly model: string;
  readonly timeoutSeconds: number;
};

export const isSetUp = ({ url, model }: Pick<LanguageModelSettings, 'url' | 'model'>): boolean =>
  url !== '' && model !== '';

/** The language model that a person set up, as a writer of summaries; undefined where there is none. */
export const summarizerOf = (
  http: HttpClient,
  { url, model, timeoutSeconds }: LanguageModelSettings,
  signal: AbortSignal,
): Summarizer | undefined =>
  !isSetUp({ url, model })
    ? undefined
    : createLocalSummarizer({
        baseUrl: url,
        model,
        timeoutMs: timeoutSeconds * 1000,
        fetch: fetchThrough(http, timeoutSeconds),
        signal,
      });
