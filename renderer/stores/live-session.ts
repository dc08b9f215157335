import { z } from 'zod';
import { createStore } from 'zustand/vanilla';
import { ApiError, type Client, createClient } from '../../electron/contract/client.ts';
import type { LiveOptions, RealtimeWord, ServerMessage } from '../../electron/contract/realtime.ts';
import type { Mark } from '../../electron/contract/transcript.ts';
import { createLastClient } from '../api/last-client.ts';
import { debounce } from '../lib/debounce.ts';
import { askBeforeLeaving } from '../lib/leaving.ts';
import { levelOf, type Microphone, openMicrophone } from '../lib/microphone.ts';
import { createRealtime, type Realtime } from '../lib/realtime.ts';
import { readStored } from '../lib/storage.ts';
import { LEVEL_COUNT } from './recording.ts';

export type LiveTurn = { readonly start: number; readonly text: string; readonly language: string | null };

type LiveSessionState = {
  /** `starting` until the microphone is open and the service listens, `finishing` until the last words have come. */
  readonly state: 'none' | 'starting' | 'running' | 'paused' | 'finishing';
  /** Of the transcription; undefined before the service has said it. */
  readonly id: string | undefined;
  readonly isConnected: boolean;
  /** Why there is no session, or no more of it: the microphone, or an error of the service. */
  readonly failure: 'microphone' | 'unreachable' | ApiError | undefined;
  /** The service is slower than the speech, or could not recognize a part. */
  readonly notice: 'behind' | 'skipped' | 'recognition_failed' | undefined;
  /** Recorded seconds, without pauses. */
  readonly seconds: number;
  /** The latest levels, 0 to 1, oldest first. */
  readonly levels: readonly number[];
  readonly turns: readonly LiveTurn[];
  /** The words of the open turn that do not change any more, and those behind them that may. */
  readonly committed: readonly RealtimeWord[];
  readonly tentative: readonly RealtimeWord[];
  /** Moments that somebody marked, in order of time. */
  readonly marks: readonly Mark[];
  /** The service could not take the latest of them yet. */
  readonly hasUnsavedMarks: boolean;
};

const NONE: LiveSessionState = {
  state: 'none',
  id: undefined,
  isConnected: true,
  failure: undefined,
  notice: undefined,
  seconds: 0,
  levels: [],
  turns: [],
  committed: [],
  tentative: [],
  marks: [],
  hasUnsavedMarks: false,
};

export const isListening = ({ state }: Pick<LiveSessionState, 'state'>): boolean =>
  state === 'running' || state === 'paused';

/** What a reload of the page needs to go on. */
const Resumed = z.object({ id: z.string(), rate: z.number(), seconds: z.number() });
const STORAGE_KEY = 'earshot.live-session';

const roundMs = (seconds: number): number => Math.round(seconds * 1000) / 1000;

const SAVE_MARKS_MS = 400;
const RETRY_MARKS_MS = 3000;

type Options = { readonly baseUrl: string; readonly key: string; readonly storage: Storage };

/** The change of state after a message of the service; undefined for none. */
const reduce = (state: LiveSessionState, message: ServerMessage): Partial<LiveSessionState> | undefined => {
  switch (message.type) {
    case 'words.tentative':
      return { tentative: message.words };
    case 'words.committed':
      return { committed: [...state.committed, ...message.words] };
    case 'turn.ended': {
      const { start, text, language } = message;
      return { turns: [...state.turns, { start, text, language }], committed: [], tentative: [] };
    }
    case 'notice':
      return { notice: message.code === 'caught_up' ? undefined : message.code };
    default:
      return undefined;
  }
};

/** The live session of this window, which goes on while other screens are open, and after a reload. */
export const createLiveSession = ({ baseUrl, key, storage }: Options) => {
  const client = createClient({ baseUrl, key });
  const lastClient = createLastClient({ baseUrl, key });
  const store = createStore<LiveSessionState>(() => NONE);
  let microphone: Microphone | undefined;
  let realtime: Realtime | undefined;
  let onEnded: (id: string | undefined) => void = () => {};

  const address = async (): Promise<string> => {
    const { data } = await client.call('realtimeToken', { body: {} });
    const url = new URL('/v1/realtime', baseUrl);
    url.protocol = url.protocol.replace('http', 'ws');
    url.searchParams.set('token', data.token);
    return url.href;
  };
  const closeMicrophone = (): void => {
    microphone?.close();
    microphone = undefined;
    askBeforeLeaving(false);
  };
  const end = (failure?: LiveSessionState['failure']): void => {
    closeMicrophone();
    realtime?.close();
    realtime = undefined;
    storage.removeItem(STORAGE_KEY);
    store.setState(failure === undefined ? NONE : { ...NONE, failure, turns: store.getState().turns });
  };
  const remember = (): void => {
    const { id, seconds } = store.getState();
    if (id !== undefined && microphone !== undefined)
      storage.setItem(STORAGE_KEY, JSON.stringify({ id, seconds, rate: microphone.rate }));
  };
  const onMessage = (message: ServerMessage): void => {
    if (message.type === 'session.started' || message.type === 'session.reconnected') {
      const { state } = store.getState();
      store.setState({ id: message.session_id, ...(state === 'starting' ? { state: 'running' } : {}) });
      remember();
    } else if (message.type === 'session.ended') {
      const id = message.kept ? message.session_id : undefined;
      end();
      onEnded(id);
    } else {
      const change = reduce(store.getState(), message);
      if (change !== undefined) store.setState(change);
    }
  };
  const hear = (samples: Int16Array<ArrayBuffer>, rate: number): void => {
    const { state, seconds, levels } = store.getState();
    if (state === 'paused' || state === 'finishing') return;
    realtime?.push(samples);
    store.setState({
      seconds: seconds + samples.length / rate,
      levels: [...levels.slice(1 - LEVEL_COUNT), levelOf(samples)],
    });
    if (Math.floor(seconds) !== Math.floor(seconds + samples.length / rate)) remember();
  };
  /** Opens the microphone, then the session: what is said from then on is heard. */
  const open = async (
    deviceId: string,
    begin: (rate: number) => Parameters<typeof createRealtime>[0]['begin'],
    rate?: number,
  ) => {
    try {
      const opened = await openMicrophone(deviceId, (samples) => hear(samples, opened.rate), rate);
      microphone = opened;
    } catch (error) {
      console.info('The microphone could not be opened.', error instanceof Error ? error.name : '');
      return end('microphone');
    }
    askBeforeLeaving(true);
    realtime = createRealtime({
      address,
      begin: begin(microphone.rate),
      onMessage,
      onConnection: (isConnected) => store.setState({ isConnected }),
      onLost: (reason) =>
        end(
          reason === undefined
            ? 'unreachable'
            : new ApiError(0, { error: reason.message, code: reason.code, request_id: '' }),
        ),
    });
  };

  const sendMarks = (by: Client) => {
    const { id, marks } = store.getState();
    if (id === undefined) return;
    by.call('putMarks', { params: { id }, body: { marks: [...marks] } }).then(
      () => store.setState({ hasUnsavedMarks: false }),
      (error: unknown) => {
        console.info('The marks were not saved.', error instanceof Error ? error.name : '');
        store.setState({ hasUnsavedMarks: true });
        if (store.getState().id === id) setTimeout(saveMarks, RETRY_MARKS_MS, client);
      },
    );
  };
  const saveMarks = debounce(sendMarks, SAVE_MARKS_MS);
  window.addEventListener('pagehide', () => {
    if (saveMarks.cancel()) sendMarks(lastClient);
  });
  const setMarks = (change: (marks: readonly Mark[]) => readonly Mark[]): void => {
    store.setState(({ marks }) => ({ marks: change(marks) }));
    saveMarks(client);
  };

  const setPaused = (on: boolean): void => {
    if (!isListening(store.getState())) return;
    realtime?.say({ type: on ? 'pause' : 'resume' });
    store.setState({ state: on ? 'paused' : 'running' });
  };
  /** Ends the session once its last words have come; resolves with the id of the transcription, if anything was heard. */
  const finish = (): Promise<string | undefined> => {
    if (!isListening(store.getState())) return Promise.resolve(undefined);
    closeMicrophone();
    saveMarks.flush();
    store.setState({ state: 'finishing' });
    return new Promise((resolve) => {
      onEnded = resolve;
      realtime?.say({ type: 'finish' });
    });
  };

  return {
    store,
    /** Starts with a microphone, or with the system's for an empty id. */
    start: async (deviceId: string, options: LiveOptions): Promise<void> => {
      const { state } = store.getState();
      if (state !== 'none') return;
      store.setState({ ...NONE, state: 'starting' }, true);
      await open(deviceId, (rate) => ({ type: 'start', ...options, sample_rate: rate }));
    },
    /** Goes on with the session that this window had before a reload, if it had one. */
    resume: async (deviceId: string): Promise<void> => {
      const stored = Resumed.safeParse(readStored(storage, STORAGE_KEY));
      if (!stored.success || store.getState().state !== 'none') return;
      const { id, rate, seconds } = stored.data;
      store.setState({ ...NONE, state: 'starting', id, seconds }, true);
      await open(deviceId, () => ({ session: id }), rate);
      const { marks = [] } = await client.call('getTranscript', { params: { id } });
      store.setState(({ marks: newer }) => ({ marks: [...marks, ...newer] }));
    },
    setPaused,
    finish,
    /** Marks this moment. */
    mark: (): void => {
      const { seconds } = store.getState();
      if (isListening(store.getState())) setMarks((marks) => [...marks, { at: roundMs(seconds), text: '' }]);
    },
    /** Writes the note of a mark. */
    note: (index: number, text: string): void =>
      setMarks((marks) => marks.map((mark, at) => (at === index ? { ...mark, text } : mark))),
    unmark: (index: number): void => setMarks((marks) => marks.filter((_, at) => at !== index)),
    /** Ends the session and deletes what was recorded. */
    discard: async (): Promise<void> => {
      const { id } = store.getState();
      end();
      if (id !== undefined) await client.call('deleteTranscript', { params: { id } });
    },
    dismissFailure: () => store.setState({ failure: undefined }),
  };
};
export type LiveSession = ReturnType<typeof createLiveSession>;
