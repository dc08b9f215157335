import { type ReactNode, useEffect, useState } from 'react';
import { MEDIA_EXTENSIONS } from '../../electron/contract/media-kinds.ts';
import { useI18n, useServices } from '../hooks/services.tsx';
import { parseLinks } from '../lib/format.ts';
import { isTyping } from '../lib/keys.ts';
import type { Source } from '../stores/dialogs.ts';
import { storedInHash } from '../stores/router.ts';

const ENDINGS = new Set(MEDIA_EXTENSIONS);

const isRecording = ({ name, type }: File): boolean =>
  /^(?:audio|video)\//.test(type) || ENDINGS.has(name.slice(name.lastIndexOf('.') + 1).toLowerCase());

const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;
const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;

const entriesOf = async (folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> => {
  const reader = folder.createReader();
  const entries: FileSystemEntry[] = [];
  for (;;) {
    // Chromium answers at most 100 entries at a time, and none at the end.
    const next = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (next.length === 0) break;
    entries.push(...next);
  }
  // Hidden files are the system's, such as the halves that macOS writes beside files.
  return entries
    .filter(({ name }) => !name.startsWith('.'))
    .toSorted((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }));
};

/** Adds the recordings of a folder and its subfolders to `found`; what can't be read is left out. */
const walk = async (
  folder: FileSystemDirectoryEntry,
  found: File[],
  onFound: (count: number) => void,
): Promise<void> => {
  for (const entry of await entriesOf(folder)) {
    try {
      if (isFolder(entry)) await walk(entry, found, onFound);
      else if (isFile(entry)) {
        const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
        if (isRecording(file)) found.push(file);
      }
    } catch (error) {
      console.info('A part of the folder could not be read.', error instanceof Error ? error.name : '');
    }
    onFound(found.length);
  }
};

/**
 * The dropped files, and of dropped folders the recordings. Must be called in the `drop` event, after which the browser
 * empties the list. `onFound` gets the number of files so far, once a folder is being read.
 */
const readDropped = async (
  items: Iterable<DataTransferItem>,
  onFound: (count: number) => void,
): Promise<File[]> => {
  const dropped = [...items].map((item) => {
    const entry = item.webkitGetAsEntry();
    return entry !== null && isFolder(entry) ? entry : item.getAsFile();
  });
  const found: File[] = [];
  for (const each of dropped) {
    if (each instanceof File) found.push(each);
    else if (each !== null) await walk(each, found, onFound);
  }
  return found;
};

const toSources = (files: readonly File[], links: string): Source[] => [
  ...files.map((file) => ({ kind: 'file' as const, file })),
  ...parseLinks(links).map((url) => ({ kind: 'url' as const, url })),
];

/** Opens the New dialog for pasted files and links, or adds them to the open one. */
export const usePastedSources = () => {
  const { dialogs } = useServices();
  useEffect(() => {
    const onPaste = ({ target, clipboardData }: ClipboardEvent) => {
      const { kind } = dialogs.store.getState().open;
      if (isTyping(target) || (kind !== 'none' && kind !== 'create')) return;
      const sources = toSources(
        [...(clipboardData?.files ?? [])],
        clipboardData?.getData('text/plain') ?? '',
      );
      if (sources.length > 0) dialogs.addSources(sources);
    };
    window.addEventListener('paste', onPaste);
    return () => window.removeEventListener('paste', onPaste);
  }, [dialogs]);
};

/**
 * Goes to the places that the desktop program is asked to open. `/new?stored=…` opens the New dialog for a file that the
 * program has stored: "Open with Earshot".
 */
export const useOpenedPlaces = () => {
  const { dialogs } = useServices();
  useEffect(() => {
    const openStored = (hash: string): boolean => {
      const stored = storedInHash(hash);
      if (stored === undefined) return false;
      // Several files arrive one by one and are collected in one dialog.
      dialogs.addSources([{ kind: 'stored', ...stored }]);
      return true;
    };
    // In a browser, `earshot open` puts the place into the address.
    const openAddress = () => {
      if (openStored(window.location.hash)) history.replaceState(null, '', '#/');
    };
    openAddress();
    window.addEventListener('hashchange', openAddress);
    const stop = window.earshot?.onPlace((place) => {
      if (!openStored(`#${place}`)) window.location.hash = place;
    });
    return () => {
      window.removeEventListener('hashchange', openAddress);
      stop?.();
    };
  }, [dialogs]);
};

const hasSources = ({ dataTransfer }: DragEvent) =>
  (dataTransfer?.types ?? []).some((type) => type === 'Files' || type === 'text/uri-list');

/** Opens the New dialog for files, folders and links that are dropped anywhere on the window, or adds them to the open one. */
export const DropTarget = ({ children }: { children: ReactNode }) => {
  const { dialogs, toasts } = useServices();
  const { t } = useI18n();
  const [isOver, setIsOver] = useState(false);
  /** Recordings found so far in a folder that is being read. */
  const [found, setFound] = useState<number>();

  useEffect(() => {
    // The drag enters and leaves every element on its way: it is over the window while the depth is above 0.
    let depth = 0;
    const setDepth = (next: number) => {
      depth = Math.max(0, next);
      setIsOver(depth > 0);
    };
    const onEnter = (event: DragEvent) => {
      if (hasSources(event)) setDepth(depth + 1);
    };
    const onLeave = (event: DragEvent) => {
      if (hasSources(event)) setDepth(depth - 1);
    };
    const onOver = (event: DragEvent) => {
      if (hasSources(event)) event.preventDefault();
    };
    const onDrop = (event: DragEvent) => {
      if (!hasSources(event)) return;
      event.preventDefault();
      setDepth(0);
      const items = [...(event.dataTransfer?.items ?? [])].filter(({ kind }) => kind === 'file');
      const links = items.length > 0 ? '' : (event.dataTransfer?.getData('text/uri-list') ?? '');
      const add = async () => {
        const files = await readDropped(items, setFound);
        setFound(undefined);
        const sources = toSources(files, links);
        if (sources.length > 0) dialogs.addSources(sources);
        else if (items.length > 0) toasts.show(t('drop.none'));
      };
      void add().catch(reportError);
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
  }, [dialogs, toasts, t]);

  return (
    <>
      {children}
      {(isOver || found !== undefined) && (
        <div className="fade pointer-events-none fixed inset-0 z-50 grid place-items-center bg-ground/85 p-6">
          <div className="grid size-full place-items-center rounded-sheet border-2 border-dashed border-accent">
            <p role="status" className="font-serif text-xl font-semibold">
              {found === undefined ? t('drop.here') : t('drop.reading', { count: found })}
            </p>
          </div>
        </div>
      )}
    </>
  );
};
