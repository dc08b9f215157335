import { createContext, type ReactNode, useCallback, useContext } from 'react';
import { createStore } from 'zustand/vanilla';
import type { Player } from './player.ts';
import type { TranscriptEditor } from './transcript-editor.ts';

export type ReaderView = {
  readonly panel: 'none' | 'find' | 'review';
  readonly query: string;
  readonly matchIndex: number;
  readonly spanIndex: number;
  /** Block that is being edited. */
  readonly editedParagraph: number | undefined;
  /** Entity types that are not marked. */
  readonly hiddenEntityTypes: ReadonlySet<string>;
  readonly acceptedWords: ReadonlySet<number>;
  readonly isFollowing: boolean;
  readonly isExporting: boolean;
  /** Further analyses are being chosen. */
  readonly isAnalyzing: boolean;
  /** The findings are open over the text, where a narrow window has no room beside it. */
  readonly isSidePanelOpen: boolean;
};

export const createReaderView = (accepted: ReadonlySet<number>) =>
  createStore<ReaderView>(() => ({
    panel: 'none',
    query: '',
    matchIndex: 0,
    spanIndex: 0,
    editedParagraph: undefined,
    hiddenEntityTypes: new Set(),
    acceptedWords: accepted,
    isFollowing: true,
    isExporting: false,
    isAnalyzing: false,
    isSidePanelOpen: false,
  }));

/** What the parts of an open transcript share. */
export type Reader = {
  readonly id: string;
  readonly editor: TranscriptEditor;
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
export const editParagraph = ({ editor, view }: Reader, block: number): void => {
  if (editor.store.getState().transcript?.status === 'completed') view.setState({ editedParagraph: block });
};

/** The same for a part of the page. */
export const useEditParagraph = () => {
  const reader = useReader();
  return useCallback((block: number) => editParagraph(reader, block), [reader]);
};

export const useReader = (): Reader => {
  const reader = useContext(ReaderContext);
  if (reader === undefined) throw new Error('useReader needs a ReaderProvider above it');
  return reader;
};
