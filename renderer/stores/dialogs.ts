import { createStore } from 'zustand/vanilla';

/** What a new transcription is made from. */
export type Source =
  | {
      readonly kind: 'file';
      readonly file: File;
      /** Just made with the microphone: it exists nowhere else. */
      readonly recorded?: true;
    }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'stored'; readonly key: string; readonly name: string };

export type OpenDialog =
  | { readonly kind: 'none' }
  | { readonly kind: 'create'; readonly sources: readonly Source[] }
  | { readonly kind: 'record' }
  | { readonly kind: 'palette' }
  | { readonly kind: 'shortcuts' };

/** Which of the window-wide dialogs is open: one at a time. */
export const createDialogs = () => {
  const store = createStore<{ readonly open: OpenDialog }>(() => ({ open: { kind: 'none' } }));
  return {
    store,
    open: (open: OpenDialog) => store.setState({ open }),
    close: () => store.setState({ open: { kind: 'none' } }),
  };
};
export type Dialogs = ReturnType<typeof createDialogs>;
