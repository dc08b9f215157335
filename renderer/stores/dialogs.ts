import { createStore } from 'zustand/vanilla';

/** Input of a new transcription. */
export type Source =
  | {
      readonly kind: 'file';
      readonly file: File;
      /** The id of a microphone recording that is kept in this browser alone until it is uploaded. */
      readonly recording?: string;
    }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'stored'; readonly key: string; readonly name: string };

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
