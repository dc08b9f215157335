import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { CallToolResult, ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { SUMMARY_TYPES, Summary } from '../../../contract/analysis.ts';
import { CreateTranscript, type Transcription } from '../../../contract/transcript.ts';
import { isAppError } from '../../base/errors.ts';
import { round } from '../../base/numbers.ts';
import type { Caller } from '../../services/accounts.ts';
import type { EventHub } from '../../services/events.ts';
import type { SearchService } from '../../services/search.ts';
import type { TranscriptService } from '../../services/transcripts/index.ts';
import { validate } from '../add-route.ts';
import type { Renderings } from '../long/renderings.ts';

export type McpServices = {
  readonly transcripts: TranscriptService;
  readonly renderings: Renderings;
  readonly search: SearchService;
  readonly events: EventHub;
  readonly version: string;
};

type Context = McpServices & { readonly user: Caller['user'] };

/** Most characters of one answer, so that it fits an assistant's context. */
const MAX_CHARACTERS = 40_000;
/** Clients wait a minute for a tool by default; the answer comes before, finished or not. */
const WAIT_SECONDS = 45;

const text = (words: string, structuredContent?: Record<string, unknown>): CallToolResult => ({
  content: [{ type: 'text', text: words }],
  ...(structuredContent === undefined ? {} : { structuredContent }),
});

/** Returns an error that the model can correct as the tool's result; any other one is the protocol's. */
const withToolErrors = async (work: () => Promise<CallToolResult>): Promise<CallToolResult> => {
  try {
    return await work();
  } catch (error) {
    if (isAppError(error) && error.status < 500) return { ...text(error.message), isError: true };
    throw error;
  }
};

/** The request to which progress is sent, if it asked for progress. */
type ProgressSink = Pick<
  RequestHandlerExtra<ServerRequest, ServerNotification>,
  '_meta' | 'sendNotification'
>;

/** Sends a transcription's progress to a waiting client until the returned function is called. */
const sendProgress = (
  events: EventHub,
  userId: string,
  id: string,
  { _meta, sendNotification }: ProgressSink,
): (() => void) => {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let sent = -1;
  return events.subscribe(userId, ({ event }) => {
    if (event?.type !== 'transcript.progress' || event.id !== id || event.progress.percent <= sent) return;
    sent = event.progress.percent;
    const params = { progressToken, progress: sent, total: 100, message: event.progress.stage };
    // The client may have disconnected.
    sendNotification({ method: 'notifications/progress', params }).catch(() => {});
  });
};

const statusText = (transcript: Transcription): string => {
  if (transcript.error !== undefined) return `The transcription failed: ${transcript.error.message}`;
  const { percent = 0, stage = 'queued' } = transcript.progress ?? {};
  return (
    `Still at work (${stage}, ${Math.floor(percent)} %). It goes on by itself: ` +
    `call read with id ${transcript.id} later.`
  );
};

const factsOf = (transcript: Transcription) => ({
  id: transcript.id,
  name: transcript.name,
  status: transcript.status,
  language: transcript.language,
  duration: transcript.duration,
  created_at: transcript.created_at,
});

const FACTS = {
  id: z.string(),
  name: z.string(),
  status: z.enum(['processing', 'completed', 'failed']),
  language: z.string().nullable(),
  duration: z.number().describe('Seconds.'),
  created_at: z.string(),
};

const ID = z.string().max(100).describe('Of a recording: `tr_…`, from search, recordings or transcribe.');

const Passage = z.object({ text: z.string(), nextFrom: z.number().nullable() });

/** What is known of a transcription without its segments. */
const stateOf = ({ transcripts, user }: Context, id: string): Transcription =>
  transcripts.outline(user.id, id, 'asked').transcription;

const readPassage = async (
  { renderings, user }: Context,
  transcript: Transcription,
  from: number,
  to: number,
): Promise<CallToolResult> => {
  const rendering = { kind: 'passage', from, to, maxCharacters: MAX_CHARACTERS } as const;
  const json = await renderings.text(user.id, transcript.id, rendering);
  const { text: words, nextFrom } = Passage.parse(JSON.parse(json));
  const more = nextFrom === null ? '' : `\n\nThere is more: read on with from ${round(nextFrom, 3)}.`;
  const warnings = transcript.warnings.map((warning) => `Note: ${warning}\n`).join('');
  const body = words === '' ? 'Nothing is spoken here.' : words;
  return text(`${warnings}${transcript.name}\n\n${body}${more}`, {
    ...factsOf(transcript),
    next_from: nextFrom,
  });
};

const READ_ONLY = { readOnlyHint: true, openWorldHint: false };

const addTranscribe = (server: McpServer, context: Context): void => {
  const { transcripts, events, user } = context;
  server.registerTool(
    'transcribe',
    {
      title: 'Transcribe a recording',
      description:
        'Turns the speech of a recording into text with times, on this computer. Short recordings are answered ' +
        'with the text; for long ones the answer is an id to read later.',
      inputSchema: {
        source: z
          .string()
          .min(1)
          .max(8192)
          .describe(
            'An http(s) URL of audio or video, or `storage:{key}` of a stored file. Through `earshot mcp` also the path of a file.',
          ),
        language: z.string().max(10).default('auto').describe('ISO 639-1 code of what is spoken, or `auto`.'),
        model: z.string().max(200).default('mini').describe('`nano`, `mini`, `pro` or an installed model.'),
        diarize: z.boolean().default(false).describe('Tell who speaks when.'),
        multichannel: z
          .boolean()
          .default(false)
          .describe(
            'Recognize each audio channel by itself, as one speaker: calls with a channel for each side.',
          ),
        translate: z.boolean().default(false).describe('Write English, whatever is spoken.'),
        wait_seconds: z.int().min(0).max(3600).default(WAIT_SECONDS),
      },
      outputSchema: { ...FACTS, next_from: z.number().nullable().optional() },
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
    },
    ({ source, wait_seconds, ...options }, extra) =>
      withToolErrors(async () => {
        const fields = { audio_url: source, ...options, timestamp_style: 'word' };
        const created = transcripts.create(user, validate(CreateTranscript, fields, 'arguments'), undefined);
        const stop = sendProgress(events, user.id, created.id, extra satisfies ProgressSink);
        const patience = AbortSignal.any([extra.signal, AbortSignal.timeout(wait_seconds * 1000)]);
        await transcripts.wait(created.id, patience).finally(stop);
        const transcript = stateOf(context, created.id);
        if (transcript.status === 'completed')
          return readPassage(context, transcript, 0, Number.POSITIVE_INFINITY);
        return {
          ...text(statusText(transcript), factsOf(transcript)),
          isError: transcript.status === 'failed',
        };
      }),
  );
};

const addRead = (server: McpServer, context: Context): void => {
  server.registerTool(
    'read',
    {
      title: 'Read a transcript',
      description: 'The text of a recording with times and speakers, whole or between two times.',
      inputSchema: {
        id: ID,
        from: z.number().min(0).default(0).describe('Seconds.'),
        to: z.number().min(0).optional().describe('Seconds; default: the end.'),
      },
      outputSchema: { ...FACTS, next_from: z.number().nullable().optional().describe('Read on from here.') },
      annotations: READ_ONLY,
    },
    ({ id, from, to }) =>
      withToolErrors(async () => {
        const state = stateOf(context, id);
        if (state.status !== 'completed') return text(statusText(state), factsOf(state));
        return readPassage(context, state, from, to ?? Number.POSITIVE_INFINITY);
      }),
  );
};

const addSummary = (server: McpServer, { renderings, user }: Context): void => {
  server.registerTool(
    'summarise',
    {
      title: 'Summarize a recording',
      description: 'The most important sentences of a recording, in its own language and words.',
      inputSchema: { id: ID, type: z.enum(SUMMARY_TYPES).default('bullets') },
      outputSchema: { id: z.string(), summary: z.string(), language: z.string(), engine: z.string() },
      annotations: READ_ONLY,
    },
    ({ id, type }) =>
      withToolErrors(async () => {
        const json = await renderings.text(user.id, id, { kind: 'summary', type });
        const { text: summary, language, engine } = Summary.parse(JSON.parse(json));
        return text(summary === '' ? 'There is nothing to summarize.' : summary, {
          id,
          summary,
          language,
          engine,
        });
      }),
  );
};

const addSearch = (server: McpServer, { search, user }: Context): void => {
  const hit = z.object({ start: z.number().describe('Seconds.'), snippet: z.string() });
  const found = z.object({ id: z.string(), name: z.string(), created_at: z.string(), hits: z.array(hit) });
  server.registerTool(
    'search',
    {
      title: 'Search the recordings',
      description:
        'Full text over all transcribed recordings, best first, with the time of each place. All words must occur; ' +
        '"a phrase", prefix*, AND, OR, NOT and parentheses are understood.',
      inputSchema: { query: z.string().min(1).max(500), limit: z.int().min(1).max(50).default(10) },
      outputSchema: { total: z.int(), results: z.array(found) },
      annotations: READ_ONLY,
    },
    ({ query, limit }) =>
      withToolErrors(async () => {
        const { results, pagination } = search.search(user.id, query, 1, limit);
        const lines = results.map(({ id, name, hits }) =>
          [
            `${name} (${id})`,
            ...hits.map(({ start, snippet }) => `  at ${round(start, 1)} s: ${snippet}`),
          ].join('\n'),
        );
        const short = results.map(({ id, name, created_at, hits }) => ({
          id,
          name,
          created_at,
          hits: hits.map(({ start, snippet }) => ({ start, snippet })),
        }));
        const words = lines.length === 0 ? 'Nothing was found.' : lines.join('\n\n');
        return text(words, { total: pagination.total, results: short });
      }),
  );
};

const addRecordings = (server: McpServer, { transcripts, user }: Context): void => {
  server.registerTool(
    'recordings',
    {
      title: 'List the recordings',
      description: 'The latest recordings with their ids, newest first.',
      inputSchema: { page: z.int().min(1).default(1), limit: z.int().min(1).max(100).default(20) },
      outputSchema: { total: z.int(), recordings: z.array(z.object(FACTS)) },
      annotations: READ_ONLY,
    },
    ({ page, limit }) =>
      withToolErrors(async () => {
        const list = transcripts.list(user.id, { page, limit, sort: 'created_at', order: 'desc' });
        const recordings = list.transcriptions.map(
          ({ id, name, status, language, duration, created_at }) => ({
            id,
            name,
            status,
            language,
            duration,
            created_at,
          }),
        );
        const lines = recordings.map(
          ({ id, name, status, duration }) => `${id}  ${name}  ${round(duration, 0)} s  ${status}`,
        );
        return text(lines.join('\n') || 'There are no recordings yet.', {
          total: list.pagination.total,
          recordings,
        });
      }),
  );
};

/** A server of the Model Context Protocol for one caller, limited to that user's recordings. */
export const createMcpServer = (services: McpServices, user: Caller['user']): McpServer => {
  const server = new McpServer(
    { name: 'earshot', title: 'Earshot', version: services.version },
    {
      instructions:
        'Earshot turns recordings into text on this computer. Find recordings with search or recordings, read them ' +
        'with read (times are in seconds), make new ones with transcribe.',
    },
  );
  const context = { ...services, user };
  addTranscribe(server, context);
  addRead(server, context);
  addSummary(server, context);
  addSearch(server, context);
  addRecordings(server, context);
  return server;
};
