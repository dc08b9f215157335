import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AnalyzeTranscript } from '../../../electron/contract/transcript.ts';
import {
  bulletsOf,
  type ChatAnswer,
  type ChatRequest,
  idsIn,
  type LanguageModel,
  startLanguageModel,
} from '../../support/language-model.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { storeTalk } from '../../support/written-talk.ts';

let server: TestServer;
let model: LanguageModel;
let id: string;
let reply: (request: ChatRequest) => ChatAnswer | undefined;

/** As long as an hour of speech: more than a model gets at once. */
const LONG = Array.from(
  { length: 400 },
  (_, i) => `In point ${i} we agreed that team ${i} will finish its part by Monday evening.`,
).join(' ');

const settings = (body: Record<string, string | number | boolean | null>) =>
  server.client.call('patchSettings', { body });

beforeAll(async () => {
  model = await startLanguageModel((request) => reply(request));
  const dataDir = temporaryFolder();
  id = storeTalk(dataDir, 'A talk', [['A', 'We meet on Monday, and the budget is on the agenda.']]);
  server = await startServer({ dataDir, env: { EARSHOT_TEST_WAITS: '{"languageModelSeconds":2}' } });
});
afterAll(async () => {
  await Promise.all([discard(server), model.close()]);
});
beforeEach(async () => {
  model.requests.length = 0;
  reply = (request) => {
    const [first = 0] = idsIn(request);
    return bulletsOf({ text: `What was said from ${first} on.`, sentences: [first] });
  };
  await settings({ 'llm.url': model.baseUrl, 'llm.model': 'small', 'network.offline': false });
});

const summarise = (asked: Partial<Parameters<typeof AnalyzeTranscript.parse>[0] & object> = {}) =>
  server.client.call('analyzeTranscript', {
    params: { id },
    body: AnalyzeTranscript.parse({ summarization: true, wait_until_complete: true, ...asked }),
  });

describe('a local language model', () => {
  it('is tried: the models of its server, and the time of an answer, or the reason why there is none', async () => {
    const attempt = async () => (await server.client.call('tryLanguageModel')).data;
    expect(await attempt()).toMatchObject({ models: ['large', 'small'], model: 'small', problem: null });
    expect((await attempt()).seconds).toBeGreaterThan(0);
    await settings({ 'llm.model': null });
    expect(await attempt()).toMatchObject({
      models: ['large', 'small'],
      model: '',
      seconds: null,
      problem: null,
    });
    reply = () => ({ status: 404 });
    await settings({ 'llm.model': 'huge' });
    expect((await attempt()).problem).toMatchObject({ code: 'unknown_model' });
    await settings({ 'network.offline': true });
    expect((await attempt()).problem).toMatchObject({ code: 'offline' });
    await settings({ 'network.offline': false, 'llm.url': 'http://127.0.0.1:9/v1' });
    expect((await attempt()).problem).toMatchObject({ code: 'unreachable' });
    await settings({ 'llm.url': null });
    expect((await attempt()).problem).toMatchObject({ code: 'not_set' });
  });

  it('is not used until it is configured', async () => {
    await settings({ 'llm.url': null, 'llm.model': null });
    const { summary } = await summarise();
    expect(summary?.engine).toBe('extractive');
    expect(model.requests).toEqual([]);
  });

  it('writes the summary in the requested language, with evidence, and appears in the connection log', async () => {
    const { summary, warnings } = await summarise({ summary_language: 'fr', summary_type: 'markdown' });
    expect(summary).toMatchObject({
      engine: 'local_llm',
      language: 'fr',
      type: 'markdown',
      bullets: [{ text: 'What was said from 1 on.', source: { sentence_ids: [1] } }],
    });
    expect(warnings.join()).not.toMatch(/summary|language model/i);
    const [{ body, path } = { body: undefined, path: '' }, ...others] = model.requests;
    expect(others).toEqual([]);
    expect(path).toBe('/v1/chat/completions');
    expect(body?.model).toBe('small');
    expect(body?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(body?.messages[0]?.content).toContain('"fr"');
    expect(body?.messages[1]?.content).toContain('[1]');
    const { data } = await server.client.call('listConnections', { query: { limit: 10 } });
    expect(data[0]).toMatchObject({ purpose: 'llm', host: new URL(model.baseUrl).host, error: null });
  });

  it('falls back to sentences of the text, with a warning, on failure, timeout or offline', async () => {
    reply = () => ({ status: 503, content: 'busy' });
    const failed = await summarise();
    expect(failed.summary?.engine).toBe('extractive');
    expect(failed.warnings.join()).toContain('status 503');
    reply = () => undefined;
    const late = await summarise();
    expect(late.summary?.engine).toBe('extractive');
    expect(late.warnings.join()).toContain('in time');
    await settings({ 'network.offline': true });
    model.requests.length = 0;
    const offline = await summarise();
    expect(offline.summary?.engine).toBe('extractive');
    expect(offline.warnings.join()).toContain('make no connections');
    expect(model.requests).toEqual([]);
  });

  it('gets a long text in parts, condenses the notes, and sees nothing that is redacted', async () => {
    await server.client.call('patchTranscript', {
      params: { id },
      body: { segments: [{ id: 0, text: `Maria Lopez begins. ${LONG}` }] },
    });
    // The edited text is summarized by itself after a pause.
    await until(() => model.requests.at(-1)?.body.messages[1]?.content.includes('What was said from'));
    model.requests.length = 0;
    const { summary } = await summarise({ redact_pii: true, redact_pii_policies: ['person_name'] });
    expect(summary?.engine).toBe('local_llm');
    const sizes = model.requests.map(({ body }) => body.messages[1]?.content.length ?? 0);
    expect(sizes.length).toBeGreaterThan(4);
    expect(Math.max(...sizes)).toBeLessThan(8200);
    const shown = JSON.stringify(model.requests);
    expect(shown).toContain('[PERSON_NAME_');
    expect(shown).not.toMatch(/Maria|Lopez/);
    // The last request condenses the notes of the parts.
    expect(model.requests.at(-1)?.body.messages[1]?.content).toContain('What was said from');
    expect(summary?.bullets?.[0]?.source.sentence_ids.length).toBeGreaterThan(0);
  });
});
