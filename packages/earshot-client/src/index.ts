import { followMessages } from '../../../electron/contract/event-stream.ts';
import {
  ApiError,
  type ClientOptions,
  createSender,
  type Outgoing,
} from '../../../electron/contract/http-client.ts';
import { putFile } from '../../../electron/contract/put-file.ts';
import {
  type CreateTranscript,
  type Operations,
  operations,
  type Progress,
  type ServerEvent,
  type Transcription,
} from './operations.ts';

export type * from './operations.ts';
export { ApiError };

/** Options of every call. */
export type CallOptions = {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
};

type Input<Id extends keyof Operations> = Omit<Operations[Id], 'result'>;
type Arguments<Id extends keyof Operations> =
  Record<never, never> extends Input<Id> ? [call?: Input<Id> & CallOptions] : [call: Input<Id> & CallOptions];

/** A method per operation of the API. Rejects with `ApiError` for an error answer. */
export type Methods = {
  readonly [Id in keyof Operations]: (...call: Arguments<Id>) => Promise<Operations[Id]['result']>;
};

export type EarshotOptions = Partial<ClientOptions>;

export type UploadOptions = {
  /** Required for a Blob, which has no name. */
  readonly name?: string;
  readonly folder?: string;
  /** `transcription`: audio or video under whatever name. Default `storage`: the content must match the name. */
  readonly purpose?: 'storage' | 'transcription';
  /** Called with the uploaded share, 0 to 1. */
  readonly onProgress?: (share: number) => void;
  readonly signal?: AbortSignal;
};

export type WaitOptions = {
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
};

export type TranscribeOptions = Omit<CreateTranscript, 'audio_url' | 'wait_until_complete'> &
  WaitOptions & {
    /** Called with the uploaded share of a file, 0 to 1. */
    readonly onUpload?: (share: number) => void;
  };

/** A failed transcription. `transcript` has the text that was recognized before the failure. */
export class TranscriptionError extends Error {
  readonly code: string;
  readonly transcript: Transcription;

  constructor(transcript: Transcription) {
    super(transcript.error?.message ?? 'The transcription failed.');
    this.name = 'TranscriptionError';
    this.code = transcript.error?.code ?? 'internal_error';
    this.transcript = transcript;
  }
}

export type Earshot = Methods & {
  /** Uploads a file to a presigned address, which the upload limit does not count, and resolves to its storage key. */
  upload(file: Blob, options?: UploadOptions): Promise<string>;
  /** Yields the events of your transcripts and files. Reconnects after the last event if the connection breaks. */
  follow(options?: { readonly signal?: AbortSignal }): AsyncGenerator<ServerEvent, void, undefined>;
  /** Waits until a transcription has ended. Rejects with `TranscriptionError` if it failed. */
  waitFor(id: string, options?: WaitOptions): Promise<Transcription>;
  /** Transcribes a URL, a `storage:{key}` or a file, and waits for the text. */
  transcribe(source: string | Blob, options?: TranscribeOptions): Promise<Transcription>;
};

const nameOf = (file: Blob): string | undefined =>
  'name' in file && typeof file.name === 'string' ? file.name : undefined;

const completedOrThrow = (transcript: Transcription): Transcription => {
  if (transcript.status === 'failed') throw new TranscriptionError(transcript);
  return transcript;
};

const createMethods = (send: ReturnType<typeof createSender>): Methods => {
  const methods = Object.entries(operations).map(([id, endpoint]) => [
    id,
    async (call?: Outgoing): Promise<unknown> => {
      const response = await send(endpoint, call);
      return endpoint.json ? response.json() : response;
    },
  ]);
  // One method per key of `operations`, from which `Methods` is derived.
  return Object.fromEntries(methods) as Methods;
};

const createUpload =
  (methods: Methods, baseUrl: string, fetch: EarshotOptions['fetch']): Earshot['upload'] =>
  async (file, options = {}) => {
    const { folder, purpose, signal, onProgress } = options;
    const filename = options.name ?? nameOf(file);
    if (filename === undefined) throw new TypeError('A Blob has no name: give one as `name`.');
    const type = file.type.split(';')[0]?.trim() || 'application/octet-stream';
    const { data } = await methods.presignUpload({
      body: {
        filename,
        contentType: type,
        ...(file.size > 0 ? { fileSize: file.size } : {}),
        ...(folder === undefined ? {} : { folder }),
        ...(purpose === undefined ? {} : { purpose }),
      },
      ...(signal === undefined ? {} : { signal }),
    });
    // The caller's base URL, since behind a forwarded port the server does not know its own address.
    const { pathname, search } = new URL(data.uploadUrl);
    await putFile(`${baseUrl}${pathname}${search}`, file, {
      type,
      fetch,
      signal,
      onSent: onProgress && ((bytes) => onProgress(file.size === 0 ? 1 : bytes / file.size)),
    });
    return data.fileKey;
  };

const createFollow = (methods: Methods): Earshot['follow'] =>
  async function* follow({ signal = new AbortController().signal } = {}) {
    // Aborts the request when the consumer stops iterating.
    const stop = new AbortController();
    const either = AbortSignal.any([signal, stop.signal]);
    try {
      const messages = followMessages({
        open: (lastId) =>
          methods.events({
            signal: either,
            ...(lastId === undefined ? {} : { headers: { 'last-event-id': lastId } }),
          }),
        signal: either,
        isFinal: (error) => error instanceof ApiError && error.status < 500 && error.status !== 429,
      });
      for await (const { event: type, data } of messages) {
        // The server serializes each event through the schema that this type is generated from.
        const event: ServerEvent = { ...JSON.parse(data), type };
        yield event;
      }
    } finally {
      stop.abort();
    }
  };

const createWaitFor =
  (methods: Methods, follow: Earshot['follow']): Earshot['waitFor'] =>
  async (id, { signal, onProgress } = {}) => {
    const options = signal === undefined ? {} : { signal };
    for await (const event of follow(options)) {
      if (event.type === 'snapshot') {
        // First event, also after missed events: the transcription may have ended in the meantime.
        const now = await methods.getTranscript({ params: { id }, ...options });
        if (now.status !== 'processing') return completedOrThrow(now);
        if (now.progress !== undefined) onProgress?.(now.progress);
      } else if (event.type === 'transcript.progress') {
        if (event.id === id) onProgress?.(event.progress);
      } else if (event.type === 'transcript.completed' || event.type === 'transcript.failed') {
        if (event.transcript.id === id) break;
      } else if (event.type === 'transcript.deleted' && event.id === id) {
        break;
      }
    }
    signal?.throwIfAborted();
    return completedOrThrow(await methods.getTranscript({ params: { id }, ...options }));
  };

/**
 * A client of an Earshot server.
 * @example
 * const earshot = createEarshot({ key: process.env.EARSHOT_API_KEY });
 * const { text } = await earshot.transcribe('https://example.com/talk.mp3');
 */
export const createEarshot = (options: EarshotOptions = {}): Earshot => {
  const baseUrl = (options.baseUrl ?? 'http://127.0.0.1:3277').replace(/\/+$/, '');
  const methods = createMethods(createSender({ ...options, baseUrl }));
  const upload = createUpload(methods, baseUrl, options.fetch);
  const follow = createFollow(methods);
  const waitFor = createWaitFor(methods, follow);
  return {
    ...methods,
    upload,
    follow,
    waitFor,
    transcribe: async (source, { onUpload, onProgress, signal, ...body } = {}) => {
      const stoppable = signal === undefined ? {} : { signal };
      const audio_url =
        typeof source === 'string'
          ? source
          : `storage:${await upload(source, {
              purpose: 'transcription',
              ...stoppable,
              ...(body.name === undefined || nameOf(source) !== undefined ? {} : { name: body.name }),
              ...(onUpload === undefined ? {} : { onProgress: onUpload }),
            })}`;
      const { id } = await methods.createTranscript({ body: { ...body, audio_url }, ...stoppable });
      return waitFor(id, { ...stoppable, ...(onProgress === undefined ? {} : { onProgress }) });
    },
  };
};
