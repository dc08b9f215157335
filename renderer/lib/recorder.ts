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
