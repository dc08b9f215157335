import type { DesktopTexts } from './texts/index.ts';

/** The parts of Electron that this module uses. */
type Deps = {
  readonly app: {
    on(event: 'before-quit', listener: (event: { preventDefault(): void }) => void): unknown;
    quit(): void;
  };
  /** Resolves with the index of the chosen button. */
  readonly ask: (question: {
    type: 'question';
    message: string;
    detail: string;
    buttons: string[];
    defaultId: number;
    cancelId: number;
  }) => Promise<{ response: number }>;
  readonly texts: DesktopTexts;
  readonly runningJobs: () => number;
  /** Returns running jobs to the queue at their checkpoints. */
  readonly close: () => Promise<void>;
};

/**
 * Asks once before jobs are interrupted, and closes the service before the program ends. Returns a function that quits
 * without a question, for a system that shuts down.
 */
export const quitGracefully = ({ app, ask, texts, runningJobs, close }: Deps): (() => void) => {
  let state: 'running' | 'asking' | 'closing' | 'closed' = 'running';
  const end = () => {
    if (state === 'closing' || state === 'closed') return;
    state = 'closing';
    void close().finally(() => {
      state = 'closed';
      app.quit();
    });
  };
  const askFirst = async (jobs: number) => {
    state = 'asking';
    const { response } = await ask({
      type: 'question',
      message: texts.quitTitle(jobs),
      detail: texts.quitText,
      buttons: [texts.quit, texts.keepRunning],
      defaultId: 0,
      cancelId: 1,
    });
    // The system may have ended the program meanwhile.
    if (state !== 'asking') return;
    state = 'running';
    if (response === 0) end();
  };
  app.on('before-quit', (event) => {
    if (state === 'closed') return;
    event.preventDefault();
    if (state !== 'running') return;
    const jobs = runningJobs();
    if (jobs === 0) end();
    else void askFirst(jobs);
  });
  return end;
};
