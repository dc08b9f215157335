import { AppError, isAppError } from './errors.ts';

/** The error of an aborted signal: the AppError it was aborted with, else `cancelled`. */
export const cancellationError = (signal: AbortSignal | undefined): AppError =>
  isAppError(signal?.reason)
    ? signal.reason
    : new AppError('cancelled', 'The job was cancelled.', { cause: signal?.reason });

/** Throws an AppError, unlike the signal's own `throwIfAborted`. */
export const throwIfAborted = (signal: AbortSignal | undefined): void => {
  if (signal?.aborted) throw cancellationError(signal);
};

/** Calls `listener` once when the signal aborts. Returns the function that removes the listener. */
export const onAbort = (signal: AbortSignal | undefined, listener: () => void): (() => void) => {
  signal?.addEventListener('abort', listener, { once: true });
  return () => signal?.removeEventListener('abort', listener);
};
