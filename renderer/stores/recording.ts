import { createStore } from 'zustand/vanilla';
import { createRecorder, type Recorder } from '../lib/recorder.ts';
import { createRecordingStorage, type StoredRecording } from '../lib/recording-storage.ts';

type RecordingState = {
  readonly state: 'none' | 'running' | 'paused';
  /** Why it could not begin, or what is wrong with it. */
  readonly problem: 'microphone' | 'storage' | undefined;
  /** Recorded seconds, without pauses. */
  readonly seconds: number;
  /** The latest levels, 0 to 1, oldest first. */
  readonly levels: readonly number[];
  /** Recordings that a window left behind when it crashed or was closed. */
  readonly left: readonly StoredRecording[];
};

/** A finished recording, and its id in the browser's storage, where it stays until it is stored elsewhere. */
export type FinishedRecording = { readonly file: File; readonly recording: string };

export const LEVEL_COUNT = 48;
const TICK_MS = 100;
const NONE = { state: 'none', problem: undefined, seconds: 0, levels: [] } as const;

const fileName = (prefix: string, at: number) =>
  `${prefix}-${new Date(at).toISOString().slice(0, 16).replace('T', '-').replace(':', '')}.webm`;

/** The microphone recording of this window, which goes on while other screens and dialogs are open. */
export const createRecording = () => {
  const storage = createRecordingStorage();
  const store = createStore<RecordingState>(() => ({ ...NONE, left: [] }));
  let current: { readonly recorder: Recorder; readonly id: string; readonly startedAt: number } | undefined;
  /** Recordings of other windows, whose end is awaited. */
  const awaited = new Set<string>();
  let timer: ReturnType<typeof setInterval> | undefined;

  const warn = (event: BeforeUnloadEvent) => event.preventDefault();
  const end = () => {
    clearInterval(timer);
    window.removeEventListener('beforeunload', warn);
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
  const refresh = async () => {
    try {
      const { left, others } = await storage.list();
      store.setState({ left });
      for (const id of others) {
        if (awaited.has(id)) continue;
        awaited.add(id);
        void storage.whenLeft(id).then(() => {
          awaited.delete(id);
          return refresh();
        });
      }
    } catch (error) {
      console.warn('Recordings that were left behind could not be read.', error);
    }
  };
  const remove = async (id: string) => {
    await storage.remove(id);
    await refresh();
  };

  return {
    store,
    /** Looks for recordings that were left behind. */
    refresh,
    /** Starts with a microphone, or with the system's for an empty id. */
    start: async (deviceId: string): Promise<void> => {
      if (current !== undefined) return;
      const id = crypto.randomUUID();
      const startedAt = Date.now();
      let index = 0;
      const save = (data: Blob) => {
        storage.append({ id, index: index++, startedAt, data }).catch((error: unknown) => {
          console.warn('The recording could not be saved while it is made.', error);
          store.setState({ problem: 'storage' });
        });
      };
      try {
        const recorder = await createRecorder(deviceId, save);
        await storage.claim(id);
        current = { recorder, id, startedAt };
        window.addEventListener('beforeunload', warn);
        timer = setInterval(tick, TICK_MS);
        store.setState({ ...NONE, state: 'running' });
      } catch (error) {
        console.info('The microphone could not be opened.', error instanceof Error ? error.name : '');
        store.setState({ ...NONE, problem: 'microphone' });
      }
    },
    setPaused: (on: boolean) => {
      current?.recorder.setPaused(on);
      store.setState({ state: on ? 'paused' : 'running' });
    },
    finish: async (): Promise<FinishedRecording | undefined> => {
      if (current === undefined) return undefined;
      const { recorder, id, startedAt } = current;
      const data = await recorder.finish();
      end();
      return {
        file: new File([data], fileName('recording', startedAt), { type: 'audio/webm' }),
        recording: id,
      };
    },
    discard: async (): Promise<void> => {
      const id = current?.id;
      current?.recorder.discard();
      end();
      if (id !== undefined) await remove(id);
    },
    /** Takes up a recording that was left behind; undefined if another window has. */
    recover: async ({ id, startedAt, file }: StoredRecording): Promise<FinishedRecording | undefined> => {
      const isOurs = await storage.claim(id);
      await refresh();
      if (!isOurs) return undefined;
      return {
        file: new File([file], fileName('recovered-recording', startedAt), { type: 'audio/webm' }),
        recording: id,
      };
    },
    /** Forgets a recording that is stored elsewhere now, or that nobody wants. */
    remove,
  };
};
export type Recording = ReturnType<typeof createRecording>;
