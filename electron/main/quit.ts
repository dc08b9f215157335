import type { DesktopTexts } from './texts/index.ts';

/** What an end of the program interrupts. */
export type Work = {
  readonly jobs: number;
  readonly isRecording: boolean;
  /** Files are being uploaded, or wait for it. */
  readonly isUploading: boolean;
};

type Cancelable = { preventDefault(): void };

type Question = {
  type: 'question';
  message: string;
  detail: string;
  buttons: string[];
  defaultId: number;
  cancelId: number;
  noLink: boolean;
};

/** The parts of Electron that this module uses. */
type Deps = {
  readonly app: {
    on(event: 'before-quit', listener: (event: Cancelable) => void): unknown;
    quit(): void;
  };
  /** Asks in the program's window; resolves with the index of the chosen button. */
  readonly ask: (question: Question) => Promise<{ response: number }>;
  /** Brings the window forward, with a question that is open in it. */
  readonly front: () => void;
  readonly texts: DesktopTexts;
  readonly work: () => Work;
  /** Whether the program ends with its window: not on macOS. */
  readonly endsWithWindow: boolean;
  /** Ends a recording and stores what it has. */
  readonly saveRecording: () => Promise<void>;
  /** Closes the window, and the service, which returns running jobs to the queue at their checkpoints. */
  readonly close: () => Promise<void>;
};

const titleOf = ({ jobs, isRecording, isUploading }: Work, texts: DesktopTexts): string => {
  if (isRecording) return texts.quitRecordingTitle(jobs);
  return isUploading ? texts.quitUploadTitle : texts.quitTitle(jobs);
};

const keepOf = ({ isRecording, isUploading }: Work, texts: DesktopTexts): string => {
  if (isRecording) return texts.keepRecording;
  return isUploading ? texts.keepUploading : texts.keepRunning;
};

const questionOf = (work: Work, texts: DesktopTexts, doIt: string): Question => ({
  type: 'question',
  message: titleOf(work, texts),
  detail: [
    ...(work.isRecording ? [texts.quitRecordingText] : []),
    ...(work.isUploading ? [texts.quitUploadText] : []),
    ...(work.jobs > 0 ? [texts.quitText] : []),
  ].join(' '),
  buttons: [doIt, keepOf(work, texts)],
  defaultId: 0,
  cancelId: 1,
  noLink: true,
});

const isNone = ({ jobs, isRecording, isUploading }: Work): boolean =>
  jobs === 0 && !isRecording && !isUploading;

/** Asks once before a recording, uploads or jobs are interrupted, and closes window and service before the program ends. */
export const quitGracefully = (deps: Deps) => {
  const { app, ask, front, texts, work, endsWithWindow, saveRecording, close } = deps;
  let state: 'running' | 'asking' | 'closing' | 'closed' = 'running';
  const end = async () => {
    if (state === 'closing' || state === 'closed') return;
    state = 'closing';
    try {
      await saveRecording();
      await close();
    } finally {
      state = 'closed';
      app.quit();
    }
  };
  /** Whether the person wants to interrupt the work; without work, yes. */
  const mayInterrupt = async (interrupted: Work, doIt: string): Promise<boolean> => {
    if (isNone(interrupted)) return true;
    state = 'asking';
    front();
    const { response } = await ask(questionOf(interrupted, texts, doIt));
    // The system may have ended the program meanwhile.
    if (state !== 'asking') return false;
    state = 'running';
    return response === 0;
  };
  app.on('before-quit', async (event) => {
    if (state === 'closed') return;
    event.preventDefault();
    if (state === 'asking') front();
    if (state === 'running' && (await mayInterrupt(work(), texts.quit))) await end();
  });
  return {
    /** Quits without a question, for a system that shuts down. */
    now: (): void => void end(),
    /** Asks before a window is closed in a recording, in uploads, or in jobs that end with it. `closeWindow` does not ask again. */
    onWindowClose: async (event: Cancelable, closeWindow: () => void): Promise<void> => {
      const { jobs, isRecording, isUploading } = work();
      const interrupted = { jobs: endsWithWindow ? jobs : 0, isRecording, isUploading };
      if (state === 'asking') event.preventDefault();
      if (state !== 'running' || isNone(interrupted)) return;
      event.preventDefault();
      const isWanted = await mayInterrupt(interrupted, endsWithWindow ? texts.quit : texts.close);
      if (isWanted && endsWithWindow) await end();
      else if (isWanted) {
        await saveRecording();
        closeWindow();
        // The jobs go on in the tray.
      } else if (!isRecording && !isUploading) closeWindow();
    },
  };
};
