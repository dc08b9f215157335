import { useEffect } from 'react';
import { useServices } from '../hooks/services.tsx';
import { isTyping } from '../lib/keys.ts';

/** The shortcuts of every screen: Ctrl K, N and `?`. */
export const useGlobalShortcuts = () => {
  const { dialogs } = useServices();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const open = dialogs.store.getState().open.kind;
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        if (open === 'palette') dialogs.close();
        else dialogs.open({ kind: 'palette' });
        return;
      }
      if (open !== 'none' || isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === 'n' || event.key === 'N') {
        event.preventDefault();
        dialogs.open({ kind: 'create', sources: [] });
      } else if (event.key === '?') {
        event.preventDefault();
        dialogs.open({ kind: 'shortcuts' });
      }
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [dialogs]);
};
