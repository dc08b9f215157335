import { createContext, type ReactNode, useCallback, useContext } from 'react';
import { createStore } from 'zustand/vanilla';
import type { Player } from './player.ts';
import type { TranscriptStore } from './transcript-store.ts';

export type ReaderView = {
  readonly panel: 'none' | 'find' | 'review';
  readonly query: string;
  readonly hit: number;
  readonly doubt: number;
  /** Block that is being edited. */
  readonly editing: number | undefined;
  /** Entity types that are not marked. */
  readonly unmarked: ReadonlySet<string>;
  readonly accepted: ReadonlySet<number>;
  readonly following: boolean;
  readonly exporting: boolean;
  /** Further analyses are being chosen. */
  readonly analysing: boolean;
  /** The findings are open over the text, where a narrow window has no room beside it. */
  readonly findings: boolean;
};

export const createReaderView = (accepted: ReadonlySet<number>) =>
  createStore<ReaderView>(() => ({
    panel: 'none',
    query: '',
    hit: 0,
    doubt: 0,
    editing: undefined,
    unmarked: new Set(),
    accepted,
    following: true,
    exporting: false,
    analysing: false,
    findings: false,
  }));

/** What the parts of an open transcript share. */
export type Reader = {
  readonly id: string;
  readonly transcripts: TranscriptStore;
  readonly player: Player;
  readonly view: ReturnType<typeof createReaderView>;
  /** Brings a word into view. Set by the text as long as it is on the screen. */
  readonly reveal: { current: (word: number) => void };
};

const ReaderContext = createContext<Reader | undefined>(undefined);

export const ReaderProvider = ({ value, children }: { value: Reader; children: ReactNode }) => (
  <ReaderContext value={value}>{children}</ReaderContext>
);

/** Opens a paragraph for editing, unless the transcript is being worked on. */
export const startEditing = ({ transcripts, view }: Reader, block: number): void => {
  if (transcripts.store.getState().transcript?.status === 'completed') view.setState({ editing: block });
};

/** The same for a part of the page. */
export const useEdit = () => {
  const reader = useReader();
  return useCallback((block: number) => startEditing(reader, block), [reader]);
};

export const useReader = (): Reader => {
  const reader = useContext(ReaderContext);
  if (reader === undefined) throw new Error('useReader needs a ReaderProvider above it');
  return reader;
};
