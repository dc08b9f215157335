import type { WebSocket } from 'ws';
import { z } from 'zod';
import {
  type CloseReason,
  LIVE_URL,
  type RealtimeWord,
  SAMPLE_RATES,
  type ServerMessage,
} from '../../../contract/realtime.ts';
import type { AssemblyAiStreamingQuery } from '../../../contract/routes/realtime.ts';
import { CreateTranscript } from '../../../contract/transcript.ts';
import { toTerms } from '../../../contract/vocabulary.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { joinTexts } from '../../base/text.ts';
import type { Caller } from '../../services/accounts.ts';
import type { StartOptions } from '../../services/live/service.ts';
import { validate } from '../add-route.ts';
import { type RealtimeDeps, SessionClient } from './client.ts';
import { parseMessage, RealtimeConnection } from './connection.ts';

/** A session may last so long; seconds. */
const MAX_SECONDS = 3 * 3600;
const DEFAULT_SILENCE_MS = 700;

/** AssemblyAI's codes, which its clients name and retry by. */
const CLOSE_CODES: Partial<Readonly<Record<CloseReason, number>>> = {
  unauthorized: 4001,
  invalid_message: 3006,
  too_large: 3007,
  silent: 3008,
  too_many: 3009,
  internal_error: 3005,
};

const milliseconds = z.coerce.number().min(0).max(60_000);
const terms = z.array(z.string());
const list = z
  .string()
  .transform((text, context) => {
    try {
      return z.array(z.string()).parse(JSON.parse(text));
    } catch {
      context.addIssue({ code: 'custom', message: 'must be a JSON array of strings' });
      return z.NEVER;
    }
  })
  .optional();
const flag = z.stringbool().optional();

/** The parameters that have an effect here; others are AssemblyAI's own. */
const Parameters = z.looseObject({
  sample_rate: z.coerce.number().int().min(SAMPLE_RATES.min).max(SAMPLE_RATES.max).default(16_000),
  encoding: z.literal('pcm_s16le', { error: 'must be pcm_s16le' }).default('pcm_s16le'),
  format_turns: flag,
  include_partial_turns: flag,
  keyterms_prompt: list,
  prompt: z.string().optional(),
  language_code: z.string().optional(),
  language_codes: list,
  min_turn_silence: milliseconds.optional(),
  min_end_of_turn_silence_when_confident: milliseconds.optional(),
  max_turn_silence: milliseconds.optional(),
  speaker_labels: flag,
  max_speakers: z.coerce.number().int().optional(),
  // A live text cannot be redacted before it is sent: to refuse that is safer than to ignore it.
  redact_pii: z
    .literal('false', { error: 'is not available in a live session; redact the transcription afterwards' })
    .optional(),
});
type Parameters = z.output<typeof Parameters>;

const Message = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('Terminate') }),
  z.looseObject({ type: z.literal('ForceEndpoint') }),
  z.looseObject({ type: z.literal('KeepAlive') }),
  z.looseObject({
    type: z.literal('UpdateConfiguration'),
    keyterms_prompt: terms.optional(),
    prompt: z.string().optional(),
    min_turn_silence: milliseconds.optional(),
    min_end_of_turn_silence_when_confident: milliseconds.optional(),
    max_turn_silence: milliseconds.optional(),
  }),
]);
type Message = z.output<typeof Message>;
type Update = Extract<Message, { type: 'UpdateConfiguration' }>;

/** The longest silence within a turn: no model here says sooner that somebody has finished. */
const pauseOf = ({
  max_turn_silence: longest,
  min_turn_silence: shortest,
  min_end_of_turn_silence_when_confident: before,
}: Parameters | Update): number | undefined => {
  const silence = longest ?? shortest ?? before;
  return silence === undefined ? undefined : Math.max(0.2, silence / 1000);
};

const vocabularyOf = (keyterms: readonly string[] | undefined) =>
  keyterms === undefined ? {} : { vocabulary: toTerms(keyterms) };

const bodyOf = (parameters: Parameters): StartOptions['body'] => {
  const { language_code, language_codes = [], prompt, speaker_labels, max_speakers } = parameters;
  const [only, ...others] = language_code === undefined ? language_codes : [language_code];
  const isOne = only !== undefined && others.length === 0;
  const { audio_url: _, ...body } = validate(
    CreateTranscript,
    {
      audio_url: LIVE_URL,
      timestamp_style: 'word',
      ...(isOne ? { language: only } : {}),
      ...(others.length > 0 ? { expected_languages: language_codes } : {}),
      ...vocabularyOf(parameters.keyterms_prompt),
      ...(prompt === undefined ? {} : { prompt: prompt.slice(-1000) }),
      ...(speaker_labels === true ? { diarize: true } : {}),
      ...(max_speakers === undefined ? {} : { max_speakers }),
    },
    'query',
  );
  return body;
};

/** As AssemblyAI's model writes words before they are formatted. */
const unformatted = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}\p{M}\s'’-]+/gu, '');

const presentWord = ({ word, start, end, confidence }: RealtimeWord, isFinal: boolean) => ({
  text: word,
  start: Math.round(start * 1000),
  end: Math.round(end * 1000),
  confidence,
  word_is_final: isFinal,
});

/** Speaks the messages of AssemblyAI's Universal Streaming on a connection. */
class AssemblyAiConnection {
  readonly #parameters: Parameters;
  readonly #clock: Clock;
  readonly #connection: RealtimeConnection;
  readonly #client: SessionClient;
  readonly #startedAt: number;
  #turn = 0;
  #committed: RealtimeWord[] = [];
  #tentative: readonly RealtimeWord[] = [];

  constructor(deps: RealtimeDeps, caller: Caller, socket: WebSocket, parameters: Parameters) {
    this.#parameters = parameters;
    this.#clock = deps.clock;
    this.#startedAt = deps.clock.monotonic();
    this.#connection = connectionOf(socket, {
      // No audio is taken before the session is open.
      onAudio: (bytes) => started.then(() => this.#client.push(bytes)),
      onText: (text) => started.then(() => this.#handle(validate(Message, parseMessage(text), 'message'))),
      onClose: () => this.#leave(),
    });
    this.#client = new SessionClient({
      ...deps,
      caller,
      connection: this.#connection,
      onMessage: (message) => this.#onMessage(message),
    });
    const started = this.#start();
    started.catch((error: unknown) => this.#connection.fail(error));
  }

  async #start(): Promise<void> {
    const { sample_rate: sampleRate, encoding } = this.#parameters;
    const pause = pauseOf(this.#parameters) ?? DEFAULT_SILENCE_MS / 1000;
    const body = bodyOf(this.#parameters);
    const { id } = await this.#client.start({ body, sampleRate, encoding, pause, finalize: 'batch' });
    const expires_at = Math.floor(this.#clock.now() / 1000) + MAX_SECONDS;
    this.#connection.send({ type: 'Begin', id, expires_at });
    this.#client.attach();
  }

  async #handle(message: Message): Promise<void> {
    const { session } = this.#client;
    switch (message.type) {
      case 'Terminate':
        return session.end('finished');
      case 'ForceEndpoint':
        return session.flush();
      case 'KeepAlive':
        return this.#client.push(Buffer.alloc(0));
      case 'UpdateConfiguration': {
        const { prompt, keyterms_prompt } = message;
        session.configure({
          pause: pauseOf(message),
          recognition: { ...vocabularyOf(keyterms_prompt), ...(prompt === undefined ? {} : { prompt }) },
        });
      }
    }
  }

  #onMessage(message: ServerMessage): void {
    switch (message.type) {
      case 'speech.started':
        this.#connection.send({ type: 'SpeechStarted', timestamp: Math.round(message.start * 1000) });
        break;
      case 'words.committed':
        this.#committed.push(...message.words);
        this.#tentative = [];
        this.#sendPartial();
        break;
      case 'words.tentative':
        this.#tentative = message.words;
        this.#sendPartial();
        break;
      case 'turn.ended':
        this.#endTurn(message);
        break;
      case 'session.ended':
        this.#terminate(message);
        break;
      default:
    }
  }

  #sendPartial(): void {
    if (this.#parameters.include_partial_turns === false) return;
    if (this.#committed.length + this.#tentative.length > 0)
      this.#sendTurn({ isEnd: false, isFormatted: false });
  }

  #endTurn({ language }: Extract<ServerMessage, { type: 'turn.ended' }>): void {
    this.#tentative = [];
    this.#sendTurn({ isEnd: true, isFormatted: false, language });
    if (this.#parameters.format_turns === true) this.#sendTurn({ isEnd: true, isFormatted: true, language });
    this.#committed = [];
    this.#turn++;
  }

  #sendTurn({
    isEnd,
    isFormatted,
    language,
  }: {
    readonly isEnd: boolean;
    readonly isFormatted: boolean;
    readonly language?: string | null;
  }): void {
    const written = (word: RealtimeWord) => (isFormatted ? word : { ...word, word: unformatted(word.word) });
    const committed = this.#committed.map(written);
    const transcript = joinTexts(committed.map(({ word }) => word));
    this.#connection.send({
      type: 'Turn',
      turn_order: this.#turn,
      turn_is_formatted: isFormatted,
      end_of_turn: isEnd,
      end_of_turn_confidence: isEnd ? 1 : 0,
      transcript,
      utterance: isEnd ? transcript : '',
      words: [
        ...committed.map((word) => presentWord(word, true)),
        ...this.#tentative.map(written).map((word) => presentWord(word, false)),
      ],
      ...(language == null ? {} : { language_code: language }),
    });
  }

  #terminate({ duration, reason }: Extract<ServerMessage, { type: 'session.ended' }>): void {
    const seconds = (this.#clock.monotonic() - this.#startedAt) / 1000;
    this.#connection.send({
      type: 'Termination',
      audio_duration_seconds: Math.round(duration),
      session_duration_seconds: Math.round(seconds),
    });
    if (reason === 'silent')
      this.#connection.close('silent', 'No audio came. What was said until then is kept.');
    else this.#connection.close('finished');
  }

  /** AssemblyAI's connections cannot be taken up again: the session ends with its connection. */
  #leave(): void {
    this.#client.leave();
    if (this.#client.hasSession) this.#client.session.end('disconnected').catch(() => {});
  }
}

const connectionOf = (
  socket: WebSocket,
  handlers: Pick<ConstructorParameters<typeof RealtimeConnection>[1], 'onAudio' | 'onText' | 'onClose'>,
): RealtimeConnection => {
  const connection: RealtimeConnection = new RealtimeConnection(socket, {
    ...handlers,
    closeCodes: CLOSE_CODES,
    sendError: ({ message }, reason) =>
      connection.send({ type: 'Error', error: message, error_code: CLOSE_CODES[reason] ?? 3005 }),
  });
  return connection;
};

/** Its clients read no status of a refused upgrade, and try again: without a caller, a code and a sentence say why. */
export const serveAssemblyAi = (
  deps: RealtimeDeps,
  caller: Caller | undefined,
  socket: WebSocket,
  query: AssemblyAiStreamingQuery,
): void => {
  try {
    if (caller === undefined)
      throw new AppError('unauthorized', 'The API key or token is missing or not valid.');
    new AssemblyAiConnection(deps, caller, socket, validate(Parameters, query, 'query'));
  } catch (error) {
    connectionOf(socket, { onAudio: () => {}, onText: () => {}, onClose: () => {} }).fail(error);
  }
};
