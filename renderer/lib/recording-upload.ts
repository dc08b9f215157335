import { ApiError, type Client } from '../../electron/contract/client.ts';
import { openSound } from './microphone.ts';

export type Recorder = {
  /** Recorded seconds, without pauses. */
  readonly seconds: () => number;
  /** Current level, 0 to 1. */
  readonly level: () => number;
  readonly setPaused: (on: boolean) => void;
  /** Ends the recording and returns it. */
  readonly finish: () => Promise<Blob>;
  /** Ends the recording without a result. */
  readonly discard: () => void;
};

/**
 * Starts recording from a microphone, as `openSound` does. `onChunk` gets each second of it.
 */
export const createRecorder = async (deviceId: string, onChunk: (data: Blob) => void): Promise<Recorder> => {
  const stream = await openSound(deviceId);
  const media = new MediaRecorder(stream, { mimeType: 'audio/webm;codecs=opus' });
  const chunks: Blob[] = [];
  let isDiscarded = false;
  media.addEventListener('dataavailable', ({ data }) => {
    if (isDiscarded || data.size === 0) return;
    chunks.push(data);
    onChunk(data);
  });

  const context = new AudioContext();
  const meter = context.createAnalyser();
  meter.fftSize = 512;
  context.createMediaStreamSource(stream).connect(meter);
  const samples = new Float32Array(meter.fftSize);

  const release = () => {
    for (const track of stream.getTracks()) track.stop();
    void context.close();
  };
  let recordedMs = 0;
  let resumedAt: number | undefined = performance.now();
  const seconds = () => (recordedMs + (resumedAt === undefined ? 0 : performance.now() - resumedAt)) / 1000;
  media.start(1000);

  return {
    seconds,
    level: () => {
      meter.getFloatTimeDomainData(samples);
      const peak = samples.reduce((max, sample) => Math.max(max, Math.abs(sample)), 0);
      return Math.min(1, peak * 1.8);
    },
    setPaused: (on) => {
      recordedMs = seconds() * 1000;
      resumedAt = on ? undefined : performance.now();
      if (on) media.pause();
      else media.resume();
    },
    finish: () =>
      new Promise((resolve) => {
        media.addEventListener('stop', () => {
          release();
          resolve(new Blob(chunks, { type: 'audio/webm' }));
        });
        media.stop();
      }),
    discard: () => {
      isDiscarded = true;
      if (media.state !== 'inactive') media.stop();
      release();
    },
  };
};

const SEND_EVERY_MS = 2_000;
/** A paused recording has no chunks, so that empty ones say that it goes on. */
const SIGN_OF_LIFE_MS = 20_000;
const MAX_CHUNK_BYTES = 4 * 1024 * 1024;

type Options = {
  readonly client: Client;
  /** As `client`, for requests that outlive the page. */
  readonly lastClient: Client;
  readonly fileName: string;
  /** Called after each attempt: with the reason if the recording could not be stored as far as it goes. */
  readonly onAttempt: (error: unknown) => void;
};

const TYPE = 'audio/webm';

/**
 * Stores a recording in the service while it is made. What the service could not take yet waits in memory; whatever the
 * service has when the window is gone becomes a recovered recording there.
 */
export const createRecordingUpload = ({ client, lastClient, fileName, onAttempt }: Options) => {
  const chunks: Blob[] = [];
  let id: string | undefined;
  /** Bytes that the service has stored. */
  let stored = 0;
  let answeredAt = 0;
  let attempt: Promise<boolean> | undefined;

  const begin = async (): Promise<string> => {
    const body = { filename: fileName, contentType: TYPE, folder: 'recordings' };
    const { data } = await client.call('startRecording', { body });
    stored = 0;
    return data.id;
  };
  const sendRest = async (): Promise<void> => {
    id ??= await begin();
    const params = { id };
    const all = new Blob(chunks);
    do {
      const body = all.slice(stored, stored + MAX_CHUNK_BYTES, 'application/octet-stream');
      const { data } = await client.call('appendRecording', {
        params,
        query: { offset: stored },
        body,
      });
      stored = data.offset;
    } while (stored < all.size);
    answeredAt = performance.now();
  };
  /** Finds out what the service has after an answer that was lost, or a recording that it ended. */
  const resync = async (error: unknown): Promise<void> => {
    if (!(error instanceof ApiError) || !['file_not_found', 'conflict'].includes(error.code)) throw error;
    if (error.code === 'file_not_found' || id === undefined) {
      id = undefined;
      return;
    }
    const { data } = await client.call('getRecording', { params: { id } });
    stored = data.offset;
  };
  const trySending = async (): Promise<boolean> => {
    try {
      await sendRest().catch(async (error: unknown) => {
        await resync(error);
        await sendRest();
      });
      onAttempt(undefined);
      return true;
    } catch (error) {
      onAttempt(error);
      return false;
    }
  };
  const send = (): Promise<boolean> => {
    attempt ??= trySending().finally(() => {
      attempt = undefined;
    });
    return attempt;
  };
  const timer = setInterval(() => {
    const hasNews = new Blob(chunks).size > stored;
    if (hasNews || performance.now() - answeredAt > SIGN_OF_LIFE_MS) void send();
  }, SEND_EVERY_MS);
  const stop = async (): Promise<void> => {
    clearInterval(timer);
    await attempt;
  };

  return {
    add: (chunk: Blob): void => {
      chunks.push(chunk);
    },
    /** Makes it a file and returns its key; undefined if the service does not have all of it. */
    finish: async (): Promise<string | undefined> => {
      await stop();
      if (!(await send()) || id === undefined) return undefined;
      const { data } = await client.call('finishRecording', { params: { id }, body: {} });
      return data.file.key;
    },
    discard: async (): Promise<void> => {
      await stop();
      if (id !== undefined) await client.call('discardRecording', { params: { id } });
    },
    /** Leaves it as a recovered recording. */
    leave: async (): Promise<void> => {
      await stop();
      await send();
      if (id !== undefined)
        await client.call('finishRecording', { params: { id }, body: { interrupted: true } });
    },
    /** Leaves what is stored as a recovered recording, from a page that goes now and can wait for nothing. */
    leaveNow: async (): Promise<void> => {
      clearInterval(timer);
      if (id !== undefined)
        await lastClient.call('finishRecording', { params: { id }, body: { interrupted: true } });
    },
  };
};
export type RecordingUpload = ReturnType<typeof createRecordingUpload>;
