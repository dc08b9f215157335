import { lazy, Suspense } from 'react';
import { useStore } from 'zustand';
import { useServices } from './services.tsx';

const CreateDialog = lazy(() => import('../features/create/create-dialog.tsx'));
const RecordDialog = lazy(() => import('../features/create/record-dialog.tsx'));
const Palette = lazy(() => import('../features/palette/command-palette.tsx'));
const Shortcuts = lazy(() => import('../features/palette/shortcuts-dialog.tsx'));

/** The dialog that is open, if any; each is loaded when it is first asked for. */
export const Dialogs = () => {
  const { dialogs } = useServices();
  const open = useStore(dialogs.store, (state) => state.open);
  return (
    <Suspense fallback={null}>
      {open.kind === 'create' && <CreateDialog key={open.sources.length} initialSources={open.sources} />}
      {open.kind === 'record' && <RecordDialog />}
      {open.kind === 'palette' && <Palette />}
      {open.kind === 'shortcuts' && <Shortcuts />}
    </Suspense>
  );
};
