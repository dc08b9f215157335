import { useEffect } from 'react';
import { useServices } from '../hooks/services.tsx';

/** Opens the first recording that was ever transcribed here when it is done, if its user still waits in the library. */
export const useFirstResult = (): void => {
  const { live, library, router, dialogs } = useServices();
  useEffect(
    () =>
      live.listen((event) => {
        const { awaited, search } = library.store.getState();
        if (event.type !== 'transcript.completed' || event.transcript.id !== awaited) return;
        library.store.setState({ awaited: undefined });
        const isIdle = search === '' && dialogs.store.getState().open.kind === 'none';
        if (isIdle && router.store.getState().screen === 'library')
          router.go({ screen: 'transcript', param: event.transcript.id });
      }),
    [live, library, router, dialogs],
  );
};
