import { MEDIA_EXTENSIONS } from '../../electron/contract/media-kinds.ts';

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
export const readDropped = async (
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
