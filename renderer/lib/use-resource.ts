import { useCallback, useEffect, useRef, useState } from 'react';
import { isAbort } from './errors.ts';

export type Resource<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly error: unknown }
  | { readonly state: 'ready'; readonly value: T };

/**
 * Loads a value on mount and whenever `load` changes, so wrap it in useCallback. `reload` keeps the current value
 * until the new one arrives. Unmounting aborts the signal.
 */
export const useResource = <T>(load: (signal: AbortSignal) => Promise<T>) => {
  const [resource, setResource] = useState<Resource<T>>({ state: 'loading' });
  const controllerRef = useRef<AbortController>(undefined);

  const reload = useCallback(() => {
    controllerRef.current?.abort();
    const controller = new AbortController();
    controllerRef.current = controller;
    load(controller.signal).then(
      (value) => {
        if (!controller.signal.aborted) setResource({ state: 'ready', value });
      },
      (error: unknown) => {
        if (!controller.signal.aborted && !isAbort(error)) setResource({ state: 'failed', error });
      },
    );
  }, [load]);

  useEffect(() => {
    reload();
    return () => controllerRef.current?.abort();
  }, [reload]);

  const setValue = useCallback((value: T) => setResource({ state: 'ready', value }), []);
  return { resource, reload, setValue };
};
