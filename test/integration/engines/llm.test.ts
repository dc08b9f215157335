import { afterEach, describe, expect, it } from 'vitest';
import { analyze } from '../../../electron/core/analysis/analyze.ts';
import {
  createLocalSummarizer,
  LlmError,
  packLines,
  parseStatements,
} from '../../../electron/core/engines/llm/summarizer.ts';
import { bulletsOf, idsIn, type LanguageModel, startLanguageModel } from '../../support/language-model.ts';
import { sentencesOf } from '../../support/sentences-of.ts';
import { transcriptOf } from '../../unit/analysis/support/transcripts.ts';

const servers: LanguageModel[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const startServer = async (reply: Parameters<typeof startLanguageModel>[0]): Promise<LanguageModel> => {
  const server = await startLanguageModel(reply);
  servers.push(server);
  return server;
};

const transcript = transcriptOf([
  'We agreed on the budget of five thousand dollars.',
  'Maria Lopez will write the roadmap by Monday.',
]);

const summarizeWith = (
  settings: { baseUrl: string; timeoutMs?: number; apiKey?: string },
  redact_pii = false,
) =>
  analyze(
    transcript,
    { summarization: true, summary_type: 'bullets', redact_pii },
    { secret: 'x', summarizer: createLocalSummarizer({ model: 'tiny', ...settings }) },
  );

describe('summaries by a local language model', () => {
  it('calls the chat endpoint and keeps the evidence of each statement', async () => {
    const { baseUrl, requests } = await startServer(() =>
      bulletsOf({ text: 'The budget is agreed.', sentences: [1] }),
    );
    const { summary, warnings } = await summarizeWith({ baseUrl, apiKey: 'k' });
    expect(summary).toMatchObject({
      text: '• The budget is agreed.',
      engine: 'local_llm',
      bullets: [{ source: { sentence_ids: [1], start: 0 } }],
    });
    expect(warnings).toEqual([]);
    expect(requests[0]).toMatchObject({
      path: '/v1/chat/completions',
      authorization: 'Bearer k',
      body: { model: 'tiny' },
    });
  });

  it('sends only the redacted text', async () => {
    const { baseUrl, requests } = await startServer(() =>
      bulletsOf({ text: 'Somebody writes.', sentences: [2] }),
    );
    await summarizeWith({ baseUrl }, true);
    expect(JSON.stringify(requests)).not.toMatch(/Maria|Lopez/);
  });

  it('summarizes long transcripts in parts and condenses the notes', async () => {
    const { baseUrl, requests } = await startServer((request) => {
      const ids = idsIn(request);
      return bulletsOf({ text: `About ${ids[0]}.`, sentences: ids.slice(0, 2) });
    });
    const sentences = Array.from({ length: 200 }, (_, index) => ({
      id: index + 1,
      text: 'word '.repeat(20),
      speaker_id: 'A',
    }));
    const summarizer = createLocalSummarizer({ baseUrl, model: 'tiny', chunkChars: 2000 });
    const statements = await summarizer.summarize({ sentences, language: 'en', bullets: 5 });
    expect(requests.length).toBeGreaterThan(10);
    expect(statements).toHaveLength(1);
    expect(statements[0]?.sentence_ids[0]).toBe(1);
    for (const request of requests) expect(request.body.messages[1]?.content.length).toBeLessThan(2100);
  });

  it.each([
    ['an error status', { status: 500, content: 'x' }, 'status 500'],
    ['no JSON', { content: 'I would rather not.' }, 'no JSON'],
    ['another form', { content: '{"summary": "x"}' }, 'not in the form'],
    ['broken transport', { raw: 'oops' }, 'no JSON'],
    ['statements without evidence', bulletsOf({ text: 'Invented.', sentences: [99] }), 'no usable summary'],
  ])('falls back to extraction with a warning: %s', async (_, answer, reason) => {
    const { baseUrl } = await startServer(() => answer);
    const { summary, warnings } = await summarizeWith({ baseUrl });
    expect(summary?.engine).toBe('extractive');
    expect(summary?.text).toContain('budget');
    expect(sentencesOf(warnings).join()).toContain(reason);
  });

  it('fails on a model that never responds and on an address without a server', async () => {
    const { baseUrl } = await startServer(() => undefined);
    const slow = await summarizeWith({ baseUrl, timeoutMs: 100 });
    expect(slow.summary?.engine).toBe('extractive');
    expect(sentencesOf(slow.warnings).join()).toContain('in time');
    const unreachable = await summarizeWith({ baseUrl: 'http://127.0.0.1:1/v1' });
    expect(sentencesOf(unreachable.warnings).join()).toContain('could not be reached');
  });
});

describe('parseStatements', () => {
  const known = new Set([1, 2, 3]);

  it('reads fenced JSON, surrounding text and reasoning output', () => {
    const answer =
      '<think>{"bullets": []}</think>Here:\n```json\n{"bullets": [{"text": " A. ", "sentences": [1, "2", 9, 1]}]}\n```';
    expect(parseStatements(answer, known)).toEqual([{ text: 'A.', sentence_ids: [1, 2] }]);
  });

  it('throws on anything else', () => {
    expect(() => parseStatements('{"bullets": 3}', known)).toThrow(LlmError);
    expect(() => parseStatements('[{', known)).toThrow(LlmError);
  });
});

describe('packLines', () => {
  it('keeps parts below the size and truncates a longer line', () => {
    expect(packLines(['aa', 'bb', 'cc'], 5)).toEqual(['aa\nbb', 'cc']);
    expect(packLines(['abcdefgh'], 5)).toEqual(['abcde']);
    expect(packLines([], 5)).toEqual([]);
  });
});
