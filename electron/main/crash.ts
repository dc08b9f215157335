/** The part of Electron's `WebContents` that this module uses. */
type Contents = {
  getURL(): string;
  on(
    event: 'render-process-gone',
    listener: (event: unknown, details: { readonly reason: string }) => void,
  ): unknown;
};

/** Calls `onCrash` with the window's place, its address after the `#`, when the process that draws it has crashed. */
export const watchRenderer = (contents: Contents, onCrash: (place: string | undefined) => void): void => {
  contents.on('render-process-gone', (_event, { reason }) => {
    if (reason !== 'clean-exit') onCrash(/#(\/.*)$/.exec(contents.getURL())?.[1]);
  });
};

type ErrorSource = { on(event: 'uncaughtException', listener: (error: Error) => void): unknown };

/**
 * Calls `onStop` at the first error that nothing caught. The service runs in this process, and its state is unknown from
 * then on; what it has acknowledged is on the disk.
 */
export const watchService = (source: ErrorSource, onStop: (error: Error) => void): void => {
  let hasStopped = false;
  source.on('uncaughtException', (error) => {
    if (hasStopped) return;
    hasStopped = true;
    onStop(error);
  });
};
