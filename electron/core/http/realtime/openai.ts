import { ulid } from 'ulid';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import { LIVE_URL, SAMPLE_RATES, type ServerMessage } from '../../../contract/realtime.ts';
import { CreateTranscript } from '../../../contract/transcript.ts';
import { AppError, isAppError } from '../../base/errors.ts';
import { separatorBetween } from '../../base/text.ts';
import type { Caller } from '../../services/accounts.ts';
import type { StartOptions } from '../../services/live/service.ts';
import type { ModelService } from '../../services/models/index.ts';
import { validate } from '../add-route.ts';
import { openAiErrorBody } from '../openai/errors.ts';
import { hintsOf, modelOf } from '../openai/request.ts';
import { type RealtimeDeps, SessionClient } from './client.ts';
import { parseMessage, RealtimeConnection } from './connection.ts';

const DEFAULT_SILENCE_MS = 500;
/** No pause is this long: turns end at `input_audio_buffer.commit` alone. Seconds. */
const NEVER = 1e9;

const Format = z.looseObject({
  type: z.literal('audio/pcm', { error: 'must be audio/pcm' }).default('audio/pcm'),
  rate: z.int().min(SAMPLE_RATES.min).max(SAMPLE_RATES.max).default(24_000),
});
const Recognition = z.looseObject({
  model: z.string().max(200).optional(),
  language: z.string().max(20).optional(),
  prompt: z.string().optional(),
});
const TurnDetection = z.looseObject({
  type: z.enum(['server_vad', 'semantic_vad']).default('server_vad'),
  silence_duration_ms: z.number().min(100).max(10_000).default(DEFAULT_SILENCE_MS),
});

/** The settings of a transcription session, as of 2025-09. */
const Session = z.looseObject({
  type: z.literal('transcription', { error: 'must be transcription' }).optional(),
  audio: z
    .looseObject({
      input: z
        .looseObject({
          format: Format.optional(),
          transcription: Recognition.nullish(),
          turn_detection: TurnDetection.nullish(),
        })
        .optional(),
    })
    .optional(),
});
/** Those of the form before. */
const BetaSession = z.looseObject({
  input_audio_format: z.literal('pcm16', { error: 'must be pcm16' }).optional(),
  input_audio_transcription: Recognition.nullish(),
  turn_detection: TurnDetection.nullish(),
});

const Message = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('session.update'), session: Session }),
  z.looseObject({ type: z.literal('transcription_session.update'), session: BetaSession }),
  z.looseObject({ type: z.literal('input_audio_buffer.append'), audio: z.base64() }),
  z.looseObject({ type: z.literal('input_audio_buffer.commit') }),
  z.looseObject({ type: z.literal('input_audio_buffer.clear') }),
]);
type Message = z.output<typeof Message>;

type Configuration = {
  readonly rate: number;
  readonly transcription: z.output<typeof Recognition>;
  /** Null: the client ends the turns. */
  readonly turnDetection: z.output<typeof TurnDetection> | null;
};

const changed = (before: Configuration, message: Message): Configuration => {
  if (message.type === 'transcription_session.update') {
    const { input_audio_transcription: transcription, turn_detection: detection } = message.session;
    return {
      ...before,
      transcription: transcription ?? before.transcription,
      turnDetection: detection === undefined ? before.turnDetection : detection,
    };
  }
  if (message.type !== 'session.update') return before;
  const { format, transcription, turn_detection: detection } = message.session.audio?.input ?? {};
  return {
    rate: format?.rate ?? before.rate,
    transcription: transcription ?? before.transcription,
    turnDetection: detection === undefined ? before.turnDetection : detection,
  };
};

const pauseOf = ({ turnDetection }: Configuration): number =>
  turnDetection === null ? NEVER : turnDetection.silence_duration_ms / 1000;

type Item = { readonly id: string; text: string; isCommitted: boolean };

type Deps = RealtimeDeps & { readonly models: Pick<ModelService, 'published'> };

/** Speaks the messages of OpenAI's realtime transcription on a connection. */
class OpenAiConnection {
  readonly #deps: Deps;
  readonly #connection: RealtimeConnection;
  readonly #client: SessionClient;
  readonly #id = `sess_${ulid()}`;
  #configuration: Configuration = {
    rate: 24_000,
    transcription: {},
    turnDetection: { type: 'server_vad', silence_duration_ms: DEFAULT_SILENCE_MS },
  };
  #item: Item | undefined;
  #previousItem: string | null = null;
  /** Bytes since the last commit. */
  #buffered = 0;

  constructor(deps: Deps, caller: Caller, socket: WebSocket) {
    this.#deps = deps;
    this.#connection = new RealtimeConnection(socket, {
      onAudio: () => {
        throw new AppError('invalid_request', 'Audio is sent as input_audio_buffer.append.');
      },
      onText: (text) => this.#onText(text),
      onClose: () => this.#leave(),
      sendError: (error) => this.#send({ type: 'error', error: openAiErrorBody(error).error }),
    });
    this.#client = new SessionClient({
      ...deps,
      caller,
      connection: this.#connection,
      onMessage: (message) => this.#onMessage(message),
    });
    this.#send({ type: 'session.created', session: this.#presentSession() });
  }

  #send(message: { readonly type: string; readonly [field: string]: unknown }): void {
    this.#connection.send({ event_id: `event_${ulid()}`, ...message });
  }

  async #onText(text: string): Promise<void> {
    try {
      await this.#handle(validate(Message, parseMessage(text), 'event'));
    } catch (error) {
      // OpenAI's connections stay open after a request that is not valid.
      if (!isAppError(error) || error.code !== 'invalid_request') throw error;
      this.#send({ type: 'error', error: openAiErrorBody(error).error });
    }
  }

  async #handle(message: Message): Promise<void> {
    switch (message.type) {
      case 'session.update':
      case 'transcription_session.update':
        return this.#configure(message);
      case 'input_audio_buffer.append': {
        if (!this.#client.hasSession) await this.#start();
        const bytes = Buffer.from(message.audio, 'base64');
        this.#buffered += bytes.length;
        return this.#client.push(bytes);
      }
      case 'input_audio_buffer.commit':
        return this.#commit();
      case 'input_audio_buffer.clear':
        await this.#client.session.flush();
        this.#buffered = 0;
        this.#send({ type: 'input_audio_buffer.cleared' });
    }
  }

  #configure(message: Message): void {
    const next = changed(this.#configuration, message);
    const { vocabulary, prompt, language } = this.#bodyOf(next);
    if (this.#client.hasSession && next.rate !== this.#configuration.rate)
      throw new AppError('invalid_request', 'The rate cannot change once audio was sent.');
    this.#configuration = next;
    if (this.#client.hasSession)
      this.#client.session.configure({ pause: pauseOf(next), recognition: { vocabulary, prompt, language } });
    const type = message.type === 'session.update' ? 'session.updated' : 'transcription_session.updated';
    this.#send({ type, session: this.#presentSession() });
  }

  #bodyOf({ transcription }: Configuration): StartOptions['body'] {
    const { model = 'whisper-1', language = 'auto', prompt } = transcription;
    const { audio_url: _, ...body } = validate(
      CreateTranscript,
      {
        audio_url: LIVE_URL,
        model: modelOf(this.#deps.models, model),
        language,
        timestamp_style: 'word',
        ...hintsOf({ prompt }),
      },
      'session',
    );
    return body;
  }

  async #start(): Promise<void> {
    await this.#client.start({
      body: this.#bodyOf(this.#configuration),
      sampleRate: this.#configuration.rate,
      encoding: 'pcm_s16le',
      pause: pauseOf(this.#configuration),
      finalize: 'batch',
    });
    this.#client.attach();
  }

  async #commit(): Promise<void> {
    if (this.#buffered === 0)
      throw new AppError('invalid_request', 'The input audio buffer is empty: append audio before a commit.');
    const item = this.#openItem();
    this.#commitItem(item);
    await this.#client.session.flush();
    // Nobody spoke.
    if (this.#item === item) this.#complete(item, 0);
  }

  #onMessage(message: ServerMessage): void {
    switch (message.type) {
      case 'speech.started': {
        const { id } = this.#openItem();
        const start = Math.round(message.start * 1000);
        if (this.#configuration.turnDetection !== null)
          this.#send({ type: 'input_audio_buffer.speech_started', audio_start_ms: start, item_id: id });
        break;
      }
      case 'words.committed': {
        const item = this.#openItem();
        for (const { word } of message.words) this.#sendDelta(item, word);
        break;
      }
      case 'turn.ended':
        this.#endTurn(message);
        break;
      case 'session.ended':
        this.#connection.close(message.reason === 'silent' ? 'silent' : 'finished');
        break;
      default:
    }
  }

  #openItem(): Item {
    this.#item ??= { id: `item_${ulid()}`, text: '', isCommitted: false };
    return this.#item;
  }

  #sendDelta(item: Item, word: string): void {
    const delta = `${separatorBetween(item.text, word)}${word}`;
    item.text += delta;
    this.#send({
      type: 'conversation.item.input_audio_transcription.delta',
      item_id: item.id,
      content_index: 0,
      delta,
    });
  }

  #commitItem(item: Item): void {
    if (item.isCommitted) return;
    item.isCommitted = true;
    this.#buffered = 0;
    const previous_item_id = this.#previousItem;
    this.#previousItem = item.id;
    this.#send({ type: 'input_audio_buffer.committed', item_id: item.id, previous_item_id });
    const content = [{ type: 'input_audio', transcript: null }];
    const presented = {
      id: item.id,
      object: 'realtime.item',
      type: 'message',
      status: 'completed',
      role: 'user',
      content,
    };
    this.#send({ type: 'conversation.item.added', previous_item_id, item: presented });
    this.#send({ type: 'conversation.item.done', previous_item_id, item: presented });
  }

  #endTurn({ start, end }: Extract<ServerMessage, { type: 'turn.ended' }>): void {
    const item = this.#openItem();
    if (this.#configuration.turnDetection !== null) {
      const audio_end_ms = Math.round(end * 1000);
      this.#send({ type: 'input_audio_buffer.speech_stopped', audio_end_ms, item_id: item.id });
    }
    this.#commitItem(item);
    this.#complete(item, end - start);
  }

  #complete(item: Item, seconds: number): void {
    this.#item = undefined;
    this.#send({
      type: 'conversation.item.input_audio_transcription.completed',
      item_id: item.id,
      content_index: 0,
      transcript: item.text,
      usage: { type: 'duration', seconds },
    });
  }

  #presentSession() {
    const { rate, transcription, turnDetection } = this.#configuration;
    return {
      id: this.#id,
      object: 'realtime.transcription_session',
      type: 'transcription',
      audio: {
        input: {
          format: { type: 'audio/pcm', rate },
          transcription: { model: 'whisper-1', ...transcription },
          turn_detection: turnDetection,
          noise_reduction: null,
        },
      },
      include: null,
    };
  }

  /** OpenAI's connections cannot be taken up again: the session ends with its connection. */
  #leave(): void {
    this.#client.leave();
    if (this.#client.hasSession) this.#client.session.end('disconnected').catch(() => {});
  }
}

export const serveOpenAi = (deps: Deps, caller: Caller, socket: WebSocket): void => {
  new OpenAiConnection(deps, caller, socket);
};
