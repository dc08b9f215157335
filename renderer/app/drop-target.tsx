import { type ReactNode, useEffect, useState } from 'react';
import { linksIn } from './global-keys.ts';
import { useI18n, useServices } from './services.tsx';

/** Takes files and links that are dropped anywhere on the window. */
export const DropTarget = ({ children }: { children: ReactNode }) => {
  const { dialogs } = useServices();
  const { t } = useI18n();
  const [isOver, setOver] = useState(false);

  useEffect(() => {
    let depth = 0;
    const hasMedia = (event: DragEvent) =>
      (event.dataTransfer?.types ?? []).some((type) => type === 'Files' || type === 'text/uri-list');
    const onEnter = (event: DragEvent) => {
      if (!hasMedia(event)) return;
      depth++;
      setOver(true);
    };
    const onLeave = (event: DragEvent) => {
      if (!hasMedia(event)) return;
      depth = Math.max(0, depth - 1);
      if (depth === 0) setOver(false);
    };
    const onOver = (event: DragEvent) => {
      if (hasMedia(event)) event.preventDefault();
    };
    const onDrop = (event: DragEvent) => {
      if (!hasMedia(event)) return;
      event.preventDefault();
      depth = 0;
      setOver(false);
      const files = [...(event.dataTransfer?.files ?? [])];
      const sources = [
        ...files.map((file) => ({ kind: 'file' as const, file })),
        ...(files.length > 0
          ? []
          : linksIn(event.dataTransfer?.getData('text/uri-list') ?? '').map((url) => ({
              kind: 'url' as const,
              url,
            }))),
      ];
      if (sources.length > 0) dialogs.open({ kind: 'create', sources });
    };
    window.addEventListener('dragenter', onEnter);
    window.addEventListener('dragleave', onLeave);
    window.addEventListener('dragover', onOver);
    window.addEventListener('drop', onDrop);
    return () => {
      window.removeEventListener('dragenter', onEnter);
      window.removeEventListener('dragleave', onLeave);
      window.removeEventListener('dragover', onOver);
      window.removeEventListener('drop', onDrop);
    };
  }, [dialogs]);

  return (
    <>
      {children}
      {isOver && (
        <div className="fade pointer-events-none fixed inset-0 z-50 grid place-items-center bg-ground/85 p-6">
          <div className="grid size-full place-items-center rounded-sheet border-2 border-dashed border-accent">
            <p className="font-serif text-xl font-semibold">{t('drop.here')}</p>
          </div>
        </div>
      )}
    </>
  );
};
