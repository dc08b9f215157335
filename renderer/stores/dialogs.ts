import { createStore } from 'zustand/vanilla';
import type { StoredFile } from '../../electron/contract/storage.ts';

/** Input of a new transcription. */
export type Source =
  | {
      readonly kind: 'file';
      readonly file: File;
      /** The id of a microphone recording, of which the service has what was recorded so far. */
      readonly recording?: string;
    }
  | { readonly kind: 'url'; readonly url: string }
  | {
      readonly kind: 'stored';
      readonly key: string;
      readonly name: string;
      /** A recording that was left behind, and its metadata once it is not any more. */
      readonly recovered?: { readonly metadata: StoredFile['metadata'] };
    };

type DialogState =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'create';
      readonly sources: readonly Source[];
      /** How many of those that were added last were there already. */
      readonly repeated?: number;
    }
  | { readonly kind: 'record' }
  | { readonly kind: 'palette' }
  | { readonly kind: 'shortcuts' };

/** The same for a source that is given twice: a file has no path in the browser. */
const identityOf = (source: Source): string => {
  if (source.kind === 'url') return source.url;
  if (source.kind === 'stored') return source.key;
  const { name, size, lastModified } = source.file;
  return `${name} ${size} ${lastModified}`;
};

/** The window-wide dialogs, of which at most one is open. */
export const createDialogs = () => {
  const store = createStore<{ readonly open: DialogState }>(() => ({ open: { kind: 'none' } }));
  return {
    store,
    open: (open: DialogState) => store.setState({ open }),
    /** Adds sources to the New dialog, each once; opens the dialog if it is not open. */
    addSources: (added: readonly Source[]) =>
      store.setState(({ open }) => {
        const all = [...(open.kind === 'create' ? open.sources : []), ...added];
        // The first of each: those that are shown already stay.
        const byIdentity = new Map(all.toReversed().map((source) => [identityOf(source), source]));
        const sources = all.filter((source) => byIdentity.get(identityOf(source)) === source);
        return { open: { kind: 'create', sources, repeated: all.length - sources.length } };
      }),
    close: () => store.setState({ open: { kind: 'none' } }),
  };
};
export type Dialogs = ReturnType<typeof createDialogs>;
