/**
 * Keeps what the program is asked to open until it can: a file or link may arrive before the service runs, on macOS even
 * before Electron is ready.
 */
export const createInbox = () => {
  let open: ((args: readonly string[]) => void) | undefined;
  const waiting: (readonly string[])[] = [];
  return {
    /** Recordings and links among a program's arguments. */
    put: (args: readonly string[]): void => {
      if (open === undefined) waiting.push(args);
      else open(args);
    },
    /** Hands over what has arrived, and from now on at once. */
    openWith: (handler: (args: readonly string[]) => void): void => {
      open = handler;
      for (const args of waiting.splice(0)) handler(args);
    },
  };
};
export type Inbox = ReturnType<typeof createInbox>;
