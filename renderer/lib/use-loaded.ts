import { useCallback, useEffect, useRef, useState } from 'react';
import { isAbort } from './errors.ts';

export type Loaded<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly error: unknown }
  | { readonly state: 'ready'; readonly value: T };

/**
 * Loads something when the screen opens and whenever `load` changes (wrap it in useCallback); `again` loads anew
 * and keeps what is shown meanwhile. Loading stops when the screen goes.
 */
export const useLoaded = <T>(load: (signal: AbortSignal) => Promise<T>) => {
  const [loaded, setLoaded] = useState<Loaded<T>>({ state: 'loading' });
  const current = useRef<AbortController>(undefined);

  const again = useCallback(() => {
    current.current?.abort();
    const controller = new AbortController();
    current.current = controller;
    load(controller.signal).then(
      (value) => {
        if (!controller.signal.aborted) setLoaded({ state: 'ready', value });
      },
      (error: unknown) => {
        if (!controller.signal.aborted && !isAbort(error)) setLoaded({ state: 'failed', error });
      },
    );
  }, [load]);

  useEffect(() => {
    again();
    return () => current.current?.abort();
  }, [again]);

  const set = useCallback((value: T) => setLoaded({ state: 'ready', value }), []);
  return { loaded, again, set };
};
