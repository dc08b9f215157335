export type Recorder = {
  /** Recorded seconds, without pauses. */
  readonly seconds: () => number;
  /** Current level, 0 to 1. */
  readonly level: () => number;
  readonly setPaused: (on: boolean) => void;
  /** Ends the recording and returns it as a file. */
  readonly finish: () => Promise<File>;
  /** Ends the recording without a result. */
  readonly discard: () => void;
};

const fileName = (now: Date) =>
  `recording-${now.toISOString().slice(0, 16).replace('T', '-').replace(':', '')}.webm`;

/** Starts recording from the microphone. Rejects if there is none or access is denied. */
export const createRecorder = async (): Promise<Recorder> => {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  const media = new MediaRecorder(stream, { mimeType: 'audio/webm;codecs=opus' });
  const chunks: Blob[] = [];
  media.addEventListener('dataavailable', (event) => chunks.push(event.data));

  const context = new AudioContext();
  const analyser = context.createAnalyser();
  analyser.fftSize = 512;
  context.createMediaStreamSource(stream).connect(analyser);
  const samples = new Float32Array(analyser.fftSize);

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
      analyser.getFloatTimeDomainData(samples);
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
          resolve(new File(chunks, fileName(new Date()), { type: 'audio/webm' }));
        });
        media.stop();
      }),
    discard: () => {
      if (media.state !== 'inactive') media.stop();
      release();
    },
  };
};
