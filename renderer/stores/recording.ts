import { createStore } from 'zustand/vanilla';
import { createClient } from '../../electron/contract/client.ts';
import { createLastClient } from '../api/last-client.ts';
import { askBeforeLeaving } from '../lib/leaving.ts';
import {
  createRecorder,
  createRecordingUpload,
  type Recorder,
  type RecordingUpload,
} from '../lib/recording-upload.ts';

type RecordingState = {
  /** `starting` while the microphone is asked for. */
  readonly state: 'none' | 'starting' | 'running' | 'paused';
  /** The microphone could not be opened. */
  readonly hasFailed: boolean;
  /** Why the service does not have the recording as far as it goes. */
  readonly unsaved: unknown;
  /** Recorded seconds, without pauses. */
  readonly seconds: number;
  /** The latest levels, 0 to 1, oldest first. */
  readonly levels: readonly number[];
};

export const isRecording = ({ state }: RecordingState): boolean => state === 'running' || state === 'paused';

/** A finished recording, and its id among those that this window has to store or to discard. */
export type FinishedRecording = { readonly file: File; readonly recording: string };

export const LEVEL_COUNT = 48;
const TICK_MS = 100;
const NONE = { state: 'none', hasFailed: false, unsaved: undefined, seconds: 0, levels: [] } as const;

const fileName = (at: number) =>
  `recording-${new Date(at).toISOString().slice(0, 16).replace('T', '-').replace(':', '')}.webm`;

type Options = { readonly baseUrl: string; readonly key: string };

/** The microphone recording of this window, which goes on while other screens and dialogs are open. */
export const createRecording = (options: Options) => {
  const client = createClient(options);
  const lastClient = createLastClient(options);
  const store = createStore<RecordingState>(() => NONE);
  let current: { readonly recorder: Recorder; readonly id: string; readonly name: string } | undefined;
  /** The recordings that are neither stored nor discarded yet. */
  const uploads = new Map<string, RecordingUpload>();
  let timer: ReturnType<typeof setInterval> | undefined;

  const end = () => {
    clearInterval(timer);
    askBeforeLeaving(false);
    current = undefined;
    store.setState(NONE);
  };
  const tick = () => {
    if (current === undefined || store.getState().state !== 'running') return;
    const { recorder } = current;
    store.setState((before) => ({
      seconds: recorder.seconds(),
      levels: [...before.levels.slice(1 - LEVEL_COUNT), recorder.level()],
    }));
  };
  const take = (id: string): RecordingUpload | undefined => {
    const upload = uploads.get(id);
    uploads.delete(id);
    return upload;
  };
  const warnOfLeaving = (error: unknown) => console.warn('The recording could not be left at once.', error);
  window.addEventListener('pagehide', () => {
    for (const id of uploads.keys()) take(id)?.leaveNow().catch(warnOfLeaving);
  });

  const start = async (deviceId: string): Promise<void> => {
    if (store.getState().state !== 'none') return;
    store.setState({ ...NONE, state: 'starting' });
    const id = crypto.randomUUID();
    const name = fileName(Date.now());
    const upload = createRecordingUpload({
      client,
      lastClient,
      fileName: name,
      onAttempt: (error) => {
        if (current?.id === id) store.setState({ unsaved: error });
      },
    });
    uploads.set(id, upload);
    try {
      current = { recorder: await createRecorder(deviceId, upload.add), id, name };
      askBeforeLeaving(true);
      timer = setInterval(tick, TICK_MS);
      store.setState({ ...NONE, state: 'running' });
    } catch (error) {
      console.info('The microphone could not be opened.', error instanceof Error ? error.name : '');
      void take(id)?.discard();
      store.setState({ ...NONE, hasFailed: true });
    }
  };

  const finish = async (): Promise<FinishedRecording | undefined> => {
    if (current === undefined) return undefined;
    const { recorder, id, name } = current;
    const data = await recorder.finish();
    end();
    return { file: new File([data], name, { type: 'audio/webm' }), recording: id };
  };
  const leave = async (id: string): Promise<void> => {
    await take(id)?.leave().catch(warnOfLeaving);
  };

  return {
    store,
    /** Starts with a microphone, or with the system's for an empty id. */
    start,
    setPaused: (on: boolean) => {
      current?.recorder.setPaused(on);
      store.setState({ state: on ? 'paused' : 'running' });
    },
    finish,
    /** Ends the recording without a result. */
    discard: async (): Promise<void> => {
      if (current === undefined) return;
      const { recorder, id } = current;
      recorder.discard();
      end();
      await take(id)?.discard();
    },
    /** Makes a finished recording a stored file; undefined if the service lacks a part of it. */
    keep: async (id: string): Promise<string | undefined> => {
      try {
        return await take(id)?.finish();
      } catch (error) {
        console.warn('The recording is sent as a whole.', error);
        return undefined;
      }
    },
    /** Leaves a recording that is not wanted now; it is offered as a recovered one. */
    leave,
    /** Ends a recording whose window is about to be closed, and leaves it. */
    save: async (): Promise<void> => {
      const finished = await finish();
      if (finished !== undefined) await leave(finished.recording);
    },
    /** Forgets a finished recording that no one wants. */
    remove: async (id: string): Promise<void> => {
      await take(id)?.discard();
    },
  };
};
export type Recording = ReturnType<typeof createRecording>;
