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
  | { readonly kind: 'create'; readonly sources: readonly Source[] }
  | { readonly kind: 'record' }
  | { readonly kind: 'palette' }
  | { readonly kind: 'shortcuts' };

/** The window-wide dialogs, of which at most one is open. */
export const createDialogs = () => {
  const store = createStore<{ readonly open: DialogState }>(() => ({ open: { kind: 'none' } }));
  return {
    store,
    open: (open: DialogState) => store.setState({ open }),
    close: () => store.setState({ open: { kind: 'none' } }),
  };
};
export type Dialogs = ReturnType<typeof createDialogs>;
