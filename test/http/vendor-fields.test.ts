import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createClient } from '../../electron/contract/client.ts';
import { MODEL_ALIASES } from '../../electron/contract/names.ts';
import { oneSentence, tinyWav } from '../support/audio.ts';
import { fixture, ONE_SENTENCE } from '../support/fixtures.ts';
import { RESOURCES } from '../support/paths.ts';
import { requestFields } from '../support/sdk-fields.ts';
import {
  discard,
  type InProcessServer,
  startInProcess,
  startServer,
  type TestServer,
} from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// A busy machine may take long; nothing here measures time.
vi.setConfig({ testTimeout: 300_000 });

/**
 * What a field does, measured by sending it: `works` if the stored job or the answer differs from those of the request
 * without it, `no effect` if both are the same, `refused` with an error about the field.
 */
type Outcome = 'works' | 'no effect' | 'refused';
type Fields = Readonly<Record<string, unknown>>;
/** A request with the field, and the same one without it. */
type Sample = { readonly fields: Fields; readonly without?: Fields };

const nested = (path: string, value: unknown): Fields =>
  path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Fields;

/** The row of the newest transcript, without what differs between any two. */
const newestRow = (dataDir: string): string => {
  const db = new BetterSqlite3(join(dataDir, 'earshot.db'), { readonly: true });
  const row = db
    .prepare(
      'SELECT model, language_asked, audio_start_from, audio_end_at, webhook_url, options FROM transcripts ORDER BY id DESC LIMIT 1',
    )
    .get();
  db.close();
  return JSON.stringify(row);
};

/** The fields that the guide's section lists in a sentence which begins with these words. */
const listed = (section: string, words: string): string[] => {
  const guide = readFileSync(join(RESOURCES, 'guide', 'guide.md'), 'utf8');
  const text = guide.split(`## Moving from ${section}\n`)[1]?.split('\n## ')[0] ?? '';
  const list = new RegExp(`${words}: ([^:]*?)\\.(?:\\n|$)`).exec(text)?.[1] ?? '';
  return [...list.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
};

const isListed = (field: string, names: readonly string[]): boolean =>
  names.some((name) => field === name || field.startsWith(`${name}.`));

/** Holds the outcomes against the guide: each field is in the list of its outcome, and no list has another name. */
const expectAsDocumented = (section: string, outcomes: ReadonlyMap<string, Outcome>): void => {
  const unaffected = listed(section, 'Accepted without effect');
  const refused = listed(section, 'Refused with the reason');
  const documented = new Map(
    [...outcomes.keys()].map((field): [string, Outcome] => {
      if (isListed(field, refused)) return [field, 'refused'];
      return [field, isListed(field, unaffected) ? 'no effect' : 'works'];
    }),
  );
  expect(Object.fromEntries(outcomes)).toEqual(Object.fromEntries(documented));
  expect([...unaffected, ...refused].filter((name) => !outcomes.has(name))).toEqual([]);
};

/** A refusal that names the field, or the object that it is part of, in a sentence. */
const expectReason = (field: string, body: unknown): void => {
  const text = JSON.stringify(body);
  expect(text, field).toContain(field.split('.')[0]);
  expect(text, field).not.toContain('not a known field');
  expect(text, field).toMatch(/\w+ \w+ \w+/);
};

describe('every request field of the assemblyai package', () => {
  const URL = 'https://example.invalid/a.mp3';
  const TYPES = 'assemblyai/dist/types/openapi.generated.d.ts';
  const understand = (request: Fields): Fields => ({ speech_understanding: { request } });
  const people = { speaker_type: 'name', known_values: ['Ana'] };
  const translation = {
    target_languages: ['de'],
    formal: true,
    match_original_utterance: true,
    effort: 'low',
  };
  const detection = { language_detection: true };
  const hook = { webhook_url: 'https://example.invalid/hook' };
  const header = { webhook_auth_header_name: 'x-key', webhook_auth_header_value: 'a' };
  const inDetection = (options: Fields): Sample => ({
    fields: { ...detection, language_detection_options: options },
    without: detection,
  });
  const inTranslation: Sample = { fields: understand({ translation }) };
  const formats = (format: Fields): Sample => ({ fields: understand({ custom_formatting: format }) });

  /** Values that differ from the defaults. */
  const VALUES: Readonly<Record<string, unknown>> = {
    audio_end_at: 9000,
    audio_start_from: 1000,
    audio_url: 'https://example.invalid/b.mp3',
    auto_chapters: true,
    auto_highlights: true,
    content_safety: true,
    content_safety_confidence: 80,
    custom_spelling: [{ from: ['a'], to: 'b' }],
    custom_topics: true,
    disfluencies: true,
    domain: 'medical-v1',
    dual_channel: true,
    entity_detection: true,
    filter_profanity: true,
    format_text: false,
    iab_categories: true,
    keyterms_prompt: ['Northwind'],
    keyterms_prompt_options: { keyterms_match_strength: 'high' },
    language_code: 'de',
    language_confidence_threshold: 0.5,
    language_detection: true,
    language_detection_options: { expected_languages: ['de'] },
    multichannel: true,
    prompt: 'A talk.',
    punctuate: false,
    redact_pii: true,
    redact_pii_audio_quality: 'wav',
    redact_pii_return_unredacted: true,
    remove_audio_tags: 'all',
    sentiment_analysis: true,
    speaker_labels: true,
    speaker_options: { min_speakers_expected: 2 },
    'speaker_options.max_speakers_expected': 3,
    'speaker_options.min_speakers_expected': 2,
    speakers_expected: 2,
    speech_model: 'best',
    speech_models: ['universal-3-5-pro'],
    speech_threshold: 0.5,
    summarization: true,
    summary_model: 'conversational',
    summary_type: 'paragraph',
    temperature: 0.5,
    topics: ['cats'],
    webhook_url: hook.webhook_url,
    word_boost: ['Northwind'],
  };
  const SAMPLES: Readonly<Record<string, Sample>> = {
    boost_param: {
      fields: { word_boost: ['Northwind'], boost_param: 'high' },
      without: { word_boost: ['Northwind'] },
    },
    'custom_spelling.from': {
      fields: { custom_spelling: [{ from: ['a'], to: 'x' }] },
      without: { custom_spelling: [{ from: ['c'], to: 'x' }] },
    },
    'custom_spelling.to': {
      fields: { custom_spelling: [{ from: ['a'], to: 'x' }] },
      without: { custom_spelling: [{ from: ['a'], to: 'y' }] },
    },
    'keyterms_prompt_options.keyterms_match_strength': {
      fields: { keyterms_prompt_options: { keyterms_match_strength: 'high' } },
    },
    'language_detection_options.code_switching': inDetection({ code_switching: true }),
    'language_detection_options.code_switching_confidence_threshold': inDetection({
      code_switching_confidence_threshold: 0.5,
    }),
    'language_detection_options.expected_languages': inDetection({ expected_languages: ['de'] }),
    'language_detection_options.fallback_language': inDetection({ fallback_language: 'de' }),
    'language_detection_options.language_detection_model': inDetection({ language_detection_model: 'x' }),
    'language_detection_options.localization': inDetection({ localization: ['en_au'] }),
    'language_detection_options.on_low_language_confidence': inDetection({
      on_low_language_confidence: 'fallback',
    }),
    'language_detection_options.on_no_speech_detected': inDetection({ on_no_speech_detected: 'error' }),
    'language_detection_options.swiss_german': inDetection({ swiss_german: true }),
    redact_pii_audio: { fields: { redact_pii: true, redact_pii_audio: true }, without: { redact_pii: true } },
    redact_pii_policies: {
      fields: { redact_pii: true, redact_pii_policies: ['date'] },
      without: { redact_pii: true },
    },
    redact_pii_sub: {
      fields: { redact_pii: true, redact_pii_sub: 'entity_name' },
      without: { redact_pii: true },
    },
    speech_understanding: formats({ date: 'mm/dd/yyyy' }),
    'speech_understanding.request': formats({ date: 'mm/dd/yyyy' }),
    'speech_understanding.request.custom_formatting': formats({ date: 'mm/dd/yyyy' }),
    'speech_understanding.request.custom_formatting.date': formats({ date: 'mm/dd/yyyy' }),
    'speech_understanding.request.custom_formatting.email': formats({ email: 'username@domain.com' }),
    'speech_understanding.request.custom_formatting.phone_number': formats({ phone_number: 'xxx' }),
    'speech_understanding.request.custom_formatting.effort': {
      fields: understand({ custom_formatting: { effort: 'low' } }),
      without: understand({ custom_formatting: {} }),
    },
    'speech_understanding.request.speaker_identification': {
      fields: understand({ speaker_identification: people }),
    },
    'speech_understanding.request.speaker_identification.effort': {
      fields: understand({ speaker_identification: { ...people, effort: 'low' } }),
      without: understand({ speaker_identification: people }),
    },
    'speech_understanding.request.speaker_identification.known_values': {
      fields: understand({ speaker_identification: { ...people, known_values: ['Bo'] } }),
      without: understand({ speaker_identification: people }),
    },
    'speech_understanding.request.speaker_identification.speaker_type': {
      fields: understand({ speaker_identification: people }),
    },
    'speech_understanding.request.translation': inTranslation,
    'speech_understanding.request.translation.effort': inTranslation,
    'speech_understanding.request.translation.formal': inTranslation,
    'speech_understanding.request.translation.match_original_utterance': inTranslation,
    'speech_understanding.request.translation.target_languages': inTranslation,
    webhook_auth_header_name: { fields: { ...hook, ...header }, without: hook },
    webhook_auth_header_value: {
      fields: { ...hook, ...header },
      without: { ...hook, ...header, webhook_auth_header_value: 'b' },
    },
  };
  const sampleOf = (field: string): Sample => {
    const value = VALUES[field];
    const sample = SAMPLES[field] ?? (value === undefined ? undefined : { fields: nested(field, value) });
    if (sample === undefined) throw new Error(`${field} is new: decide what it does, and add a sample.`);
    return sample;
  };

  let server: InProcessServer;
  const dataDir = temporaryFolder();
  beforeAll(async () => {
    server = await startInProcess({ dataDir });
    // What is stored is the same, and nothing looks for the recordings' hosts.
    const client = createClient({ baseUrl: server.url, key: server.key });
    await client.call('pauseQueue');
    // A model that is named need not be installed.
    await client.call('patchSettings', { body: { 'models.autoInstall': true } });
  });
  afterAll(() => server.close());

  const call = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: server.key, 'content-type': 'application/json' };
    const response = await fetch(`${server.url}${path}`, { ...init, headers });
    return { status: response.status, body: await response.json() };
  };
  const create = async (fields: Fields) => {
    const { status, body } = await call('/v2/transcript', {
      method: 'POST',
      body: JSON.stringify({ audio_url: URL, ...fields }),
    });
    return { status, body, row: status === 200 ? `${newestRow(dataDir)} ${body.audio_url}` : '' };
  };

  it('is implemented, listed in the guide as without effect, or refused with the reason', async () => {
    const outcomes = new Map<string, Outcome>();
    const baselines = new Map<string, Awaited<ReturnType<typeof create>>>();
    for (const field of requestFields({ file: TYPES, name: 'TranscriptParams' })) {
      const { fields, without = {} } = sampleOf(field);
      const key = JSON.stringify(without);
      const baseline = baselines.get(key) ?? (await create(without));
      baselines.set(key, baseline);
      expect(baseline.status, field).toBe(200);
      const { status, body, row } = await create(fields);
      if (status !== 200) expectReason(field, body);
      outcomes.set(field, status === 200 ? (row === baseline.row ? 'no effect' : 'works') : 'refused');
    }
    expect(outcomes.size).toBeGreaterThan(70);
    expectAsDocumented('AssemblyAI', outcomes);
    const unknown = [...Object.keys(VALUES), ...Object.keys(SAMPLES)].filter((field) => !outcomes.has(field));
    expect(unknown).toEqual([]);
  });

  it('of a list filters it', async () => {
    const ids: string[] = [];
    for (let made = 0; made < 3; made++) ids.push((await create({})).body.id);
    const QUERIES: Readonly<Record<string, string>> = {
      after_id: ids[1] ?? '',
      before_id: ids[1] ?? '',
      created_on: '2001-01-01',
      limit: '1',
      status: 'completed',
      throttled_only: 'true',
    };
    const list = async (query: string) => {
      const { status, body } = await call(`/v2/transcript?${query}`);
      expect(status, query).toBe(200);
      return body.transcripts.map(({ id }: { id: string }) => id);
    };
    const fields = requestFields({ file: TYPES, name: 'ListTranscriptParams' });
    expect(fields).toEqual(Object.keys(QUERIES));
    const all = await list('');
    for (const field of fields) expect(await list(`${field}=${QUERIES[field]}`), field).not.toEqual(all);
  });
});

describe('every request field of the openai package', () => {
  const DIARIZED = { response_format: 'diarized_json' };
  const sentence = Uint8Array.from(oneSentence(1));
  // What is asked about speakers is in the stored job: nothing must be said.
  const diarized = Uint8Array.from(tinyWav());
  const VAD = { prefix_padding_ms: 100, silence_duration_ms: 100, threshold: 0.9 };
  /** All in one request: if that changes nothing, none of them does. */
  const vad: Sample = { fields: { chunking_strategy: { type: 'server_vad', ...VAD } } };
  const SAMPLES: Readonly<Record<string, Sample>> = {
    chunking_strategy: { fields: { chunking_strategy: 'auto' } },
    'chunking_strategy.prefix_padding_ms': vad,
    'chunking_strategy.silence_duration_ms': vad,
    'chunking_strategy.threshold': vad,
    'chunking_strategy.type': vad,
    file: { fields: { file: 'other.wav' } },
    include: { fields: { include: ['logprobs'] } },
    keywords: { fields: { keywords: ['Northwind'] } },
    known_speaker_names: { fields: { ...DIARIZED, known_speaker_names: ['Ana'] }, without: DIARIZED },
    known_speaker_references: {
      fields: {
        ...DIARIZED,
        known_speaker_names: ['Ana'],
        known_speaker_references: [`data:audio/wav;base64,${fixture(ONE_SENTENCE).toString('base64')}`],
      },
      without: { ...DIARIZED, known_speaker_names: ['Ana'] },
    },
    language: { fields: { language: 'en' } },
    languages: { fields: { languages: ['en', 'de'] } },
    model: { fields: { model: 'gpt-4o-transcribe' } },
    prompt: { fields: { prompt: 'Northwind' } },
    response_format: { fields: { response_format: 'srt' } },
    stream: { fields: { stream: true } },
    temperature: { fields: { temperature: 0.5 } },
    timestamp_granularities: {
      fields: { response_format: 'verbose_json', timestamp_granularities: ['word'] },
      without: { response_format: 'verbose_json' },
    },
  };

  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ quick: true });
  });
  afterAll(() => discard(server));

  /** The form as the package sends it. */
  const formOf = ({ file = 'note.wav', ...fields }: Fields): FormData => {
    const form = new FormData();
    const audio = fields.response_format === DIARIZED.response_format ? diarized : sentence;
    form.append('file', new Blob([audio], { type: 'audio/wav' }), String(file));
    for (const [name, value] of Object.entries({ model: 'whisper-1', ...fields })) {
      if (Array.isArray(value)) for (const item of value) form.append(`${name}[]`, String(item));
      else if (typeof value === 'object' && value !== null) {
        for (const [key, inner] of Object.entries(value)) form.append(`${name}[${key}]`, String(inner));
      } else form.append(name, String(value));
    }
    return form;
  };
  const send = async (operation: string, fields: Fields): Promise<{ status: number; seen: string }> => {
    const response = await server.fetch(`/v1/audio/${operation}`, { method: 'POST', body: formOf(fields) });
    const text = await response.text();
    const { data } = await server.client.call('listTranscripts', { query: { limit: 1 } });
    const name = data.transcriptions[0]?.name;
    const seen = `${response.headers.get('content-type')} ${name} ${newestRow(server.dataDir)} ${text}`;
    return { status: response.status, seen };
  };

  it.each([
    ['transcriptions', 'TranscriptionCreateParamsStreaming', 18, 'starter-parakeet'],
    ['translations', 'TranslationCreateParams', 5, 'starter'],
  ] as const)(
    'of %s is implemented, or listed in the guide as without effect',
    async (operation, name, count, model) => {
      const aliases = MODEL_ALIASES.map((alias) => [`models.aliases.${alias}`, model]);
      await server.client.call('patchSettings', { body: Object.fromEntries(aliases) });
      const fields = requestFields({ file: `openai/resources/audio/${operation}.d.ts`, name });
      expect(fields).toHaveLength(count);
      const outcomes = new Map<string, Outcome>();
      // Some are also the samples of other fields.
      const answers = new Map<string, Awaited<ReturnType<typeof send>>>();
      const answerTo = async (sent: Fields) => {
        const key = JSON.stringify(sent);
        const answer = answers.get(key) ?? (await send(operation, sent));
        answers.set(key, answer);
        return answer;
      };
      for (const field of fields) {
        const sample = SAMPLES[field];
        if (sample === undefined) throw new Error(`${field} is new: decide what it does, and add a sample.`);
        const baseline = await answerTo(sample.without ?? {});
        const { status, seen } = await answerTo(sample.fields);
        if (status !== 200) expectReason(field, seen);
        outcomes.set(field, status === 200 ? (seen === baseline.seen ? 'no effect' : 'works') : 'refused');
      }
      if (operation === 'transcriptions') expectAsDocumented('OpenAI', outcomes);
      else
        expect([...outcomes].filter(([, outcome]) => outcome !== 'works')).toEqual([
          ['temperature', 'no effect'],
        ]);
    },
  );
});
