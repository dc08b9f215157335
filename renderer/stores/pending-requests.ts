import { createStore } from 'zustand/vanilla';

/** What is answered sooner needs no sign. */
const SHOW_AFTER_MS = 80;

/** Loads show placeholders of what comes; these change something, or make a file, and show nothing until they are answered. */
const isSilent = (input: RequestInfo | URL, method = 'GET'): boolean =>
  method !== 'GET' || /\/export(?:\?|$)/.test(String(input));

/** Says while a request that nothing else shows is not answered. */
export const createPendingRequests = () => {
  const store = createStore(() => ({ isWaiting: false }));
  let pending = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const add = (change: 1 | -1) => {
    pending += change;
    if (pending === 0) {
      clearTimeout(timer);
      timer = undefined;
      store.setState({ isWaiting: false });
    } else timer ??= setTimeout(() => store.setState({ isWaiting: true }), SHOW_AFTER_MS);
  };
  const follow: typeof globalThis.fetch = async (input, init) => {
    if (!isSilent(input, init?.method)) return globalThis.fetch(input, init);
    add(1);
    try {
      return await globalThis.fetch(input, init);
    } finally {
      add(-1);
    }
  };
  return { store, fetch: follow };
};
export type PendingRequests = ReturnType<typeof createPendingRequests>;
