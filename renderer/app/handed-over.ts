import { useEffect } from 'react';
import { storedInHash } from '../stores/router.ts';
import { useServices } from './services.tsx';

/** Opens the dialog for a recording that the desktop program has taken in for the person: "Open with Earshot". */
export const useHandedOver = () => {
  const { dialogs } = useServices();
  useEffect(() => {
    const look = () => {
      const stored = storedInHash(window.location.hash);
      if (stored === undefined) return;
      history.replaceState(null, '', '#/');
      const { open } = dialogs.store.getState();
      // Several files come one by one: they gather in one dialog.
      const before = open.kind === 'create' ? open.sources : [];
      dialogs.open({ kind: 'create', sources: [...before, { kind: 'stored', ...stored }] });
    };
    look();
    window.addEventListener('hashchange', look);
    return () => window.removeEventListener('hashchange', look);
  }, [dialogs]);
};
