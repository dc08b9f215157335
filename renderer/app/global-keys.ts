import { useEffect } from 'react';
import { useServices } from './services.tsx';

/** True where keys belong to what is being typed. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input, textarea, select, [role="combobox"]'));

/** The keys that work on every screen: N, Ctrl-K, `?`, and pasting a link or files. */
export const useGlobalKeys = () => {
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
    const onPaste = (event: ClipboardEvent) => {
      if (isTyping(event.target) || dialogs.store.getState().open.kind !== 'none') return;
      const files = [...(event.clipboardData?.files ?? [])];
      const urls = linksIn(event.clipboardData?.getData('text/plain') ?? '');
      const sources = [
        ...files.map((file) => ({ kind: 'file' as const, file })),
        ...urls.map((url) => ({ kind: 'url' as const, url })),
      ];
      if (sources.length > 0) dialogs.open({ kind: 'create', sources });
    };
    window.addEventListener('keydown', onKey);
    window.addEventListener('paste', onPaste);
    return () => {
      window.removeEventListener('keydown', onKey);
      window.removeEventListener('paste', onPaste);
    };
  }, [dialogs]);
};

/** The http(s) addresses in a text that holds nothing else. */
export const linksIn = (text: string): string[] => {
  const parts = text.trim().split(/\s+/);
  return parts.every((part) => /^https?:\/\/[^\s]+$/.test(part)) ? parts.filter((part) => part !== '') : [];
};
