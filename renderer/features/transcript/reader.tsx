import { createContext, type ReactNode, useCallback, useContext } from 'react';
import { createStore } from 'zustand/vanilla';
import { paragraphOfWord } from './model/document.ts';
import { ANYWHERE, type FindOptions } from './model/find.ts';
import type { Player } from './player.ts';
import type { TranscriptEditor } from './transcript-editor.ts';

/** The paragraph that is being edited, by its index. */
type EditedParagraph = {
  readonly paragraph: number;
  /** The word before which the caret is placed first; without it, at the end. */
  readonly word?: number | undefined;
  /** The last of the words that are selected first, from `word` on; without it, none is. */
  readonly lastWord?: number | undefined;
};

/** Words of the document, from the first to the last. */
export type WordSpan = { readonly first: number; readonly last: number };

export type TimedWord = { readonly word: number; readonly kind: 'word' | 'subtitle' };

type ReaderView = {
  readonly panel: 'none' | 'find' | 'review';
  readonly query: string;
  readonly findOptions: FindOptions;
  readonly matchIndex: number;
  readonly spanIndex: number;
  readonly edited: EditedParagraph | undefined;
  /** The paragraph that Tab leads to, by its index. */
  readonly activeParagraph: number;
  /** Entity types that are not marked in the text. */
  readonly hiddenEntityTypes: ReadonlySet<string>;
  readonly acceptedWords: ReadonlySet<number>;
  readonly isFollowing: boolean;
  /** Index into ZOOM_SECONDS, of the detail of a long recording. */
  readonly zoom: number;
  readonly isExporting: boolean;
  /** Whether the analyze dialog is open. */
  readonly isAnalyzing: boolean;
  /** The words that the dialog gives to another speaker. */
  readonly assigned: WordSpan | undefined;
  /** The words that the dialog hides, or shows again. */
  readonly redacted: (WordSpan & { readonly isPrivate: boolean }) | undefined;
  /** The word whose times, or whose subtitle's, are adjusted. */
  readonly timed: TimedWord | undefined;
  /** The word from which on the dialog identifies the speakers again. */
  readonly diarizedFrom: number | undefined;
  /** Whether the side panel is open as a dialog, in a narrow window. */
  readonly isSidePanelOpen: boolean;
};

export const createReaderView = (acceptedWords: ReadonlySet<number>) =>
  createStore<ReaderView>(() => ({
    panel: 'none',
    query: '',
    findOptions: ANYWHERE,
    matchIndex: 0,
    spanIndex: 0,
    edited: undefined,
    activeParagraph: 0,
    hiddenEntityTypes: new Set(),
    acceptedWords,
    isFollowing: true,
    zoom: 1,
    isExporting: false,
    isAnalyzing: false,
    assigned: undefined,
    redacted: undefined,
    timed: undefined,
    diarizedFrom: undefined,
    isSidePanelOpen: false,
  }));

/** Shared by the parts of the transcript screen. */
export type Reader = {
  readonly id: string;
  readonly editor: TranscriptEditor;
  readonly player: Player;
  readonly view: ReturnType<typeof createReaderView>;
  /** Scrolls to a word. Set by the text view while it is mounted. */
  readonly reveal: { current: (word: number) => void };
  /** Moves the focus to a paragraph. Set by the text view while it is mounted. */
  readonly focusParagraph: { current: (paragraph: number) => void };
};

const ReaderContext = createContext<Reader | undefined>(undefined);

export const ReaderProvider = ({ value, children }: { value: Reader; children: ReactNode }) => (
  <ReaderContext value={value}>{children}</ReaderContext>
);

/** Opens a paragraph for editing, unless a job is running; the caret goes before `word`, or `word` to `lastWord` are selected. */
export const editParagraph = (
  { editor, view }: Reader,
  paragraph: number,
  word?: number,
  lastWord?: number,
): void => {
  if (editor.store.getState().transcript?.status === 'completed')
    view.setState({ edited: { paragraph, word, lastWord } });
};

/** Asks who speaks these words, unless a job is running. */
export const askForSpeaker = ({ editor, view }: Reader, assigned: WordSpan): void => {
  if (editor.store.getState().transcript?.status === 'completed') view.setState({ assigned });
};

/** Asks whether these words are hidden for good, or shown again, unless a job is running. */
export const askToRedact = ({ editor, view }: Reader, span: WordSpan, isPrivate: boolean): void => {
  if (editor.store.getState().transcript?.status === 'completed')
    view.setState({ redacted: { ...span, isPrivate } });
};

/** Enlarges the waveform around a word to adjust its times, unless a job is running. */
export const adjustTimes = ({ editor, view }: Reader, word: number): void => {
  if (editor.store.getState().transcript?.status !== 'completed') return;
  view.setState(({ timed }) => ({ timed: { word, kind: timed?.kind ?? 'word' } }));
};

/** Closes the times and moves the focus to the paragraph of their word. */
export const closeTimes = ({ editor, view, focusParagraph }: Reader): void => {
  const word = view.getState().timed?.word ?? 0;
  view.setState({ timed: undefined });
  const { doc } = editor.store.getState();
  if (doc !== undefined) focusParagraph.current(paragraphOfWord(doc, word));
};

/** Asks for the number of speakers from a word on, unless a job is running or the channels are the speakers. */
export const askToDiarize = ({ editor, view }: Reader, diarizedFrom: number): void => {
  const { transcript } = editor.store.getState();
  if (transcript?.status === 'completed' && transcript.channels === undefined)
    view.setState({ diarizedFrom });
};

export const useEditParagraph = () => {
  const reader = useReader();
  return useCallback(
    (paragraph: number, word?: number, lastWord?: number) => editParagraph(reader, paragraph, word, lastWord),
    [reader],
  );
};

export const useReader = (): Reader => {
  const reader = useContext(ReaderContext);
  if (reader === undefined) throw new Error('useReader needs a ReaderProvider above it');
  return reader;
};
