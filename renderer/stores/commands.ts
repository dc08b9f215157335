import { createStore } from 'zustand/vanilla';
import type { MessageKey } from '../i18n/index.ts';

/** What the open screen can do, for the command palette. */
export type ScreenCommand = {
  readonly label: MessageKey;
  /** Its keys: `Ctrl E`. */
  readonly keys?: string;
  readonly run: () => void;
};

type ScreenCommands = { readonly heading: MessageKey; readonly list: readonly ScreenCommand[] };

/** The commands of the open screen; undefined if it has none. */
export const createCommands = () =>
  createStore<{ readonly screen: ScreenCommands | undefined }>(() => ({ screen: undefined }));
export type Commands = ReturnType<typeof createCommands>;
