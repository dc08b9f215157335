import { type RefObject, useCallback, useEffect, useMemo, useRef } from 'react';
import { debounce } from '../../lib/debounce.ts';
import { type Doc, type Paragraph, paragraphOfWord, wordSpans } from './model/document.ts';
import type { SegmentText } from './model/edit.ts';
import {
  mergeParagraph,
  type Part,
  partsOf,
  splitParagraph,
  thenEdit,
  wordFrom,
} from './model/paragraphs.ts';
import { isCaretAtStart, placeCaret, readCaret, readEdits, renderParts } from './paragraph-text.ts';
import { useReader } from './reader.tsx';

const DRAFT_DEBOUNCE_MS = 1000;

/** Where a word begins, or ends, in the edited parts. */
const placeOfWord = (paragraph: Paragraph, parts: readonly Part[], word: number, side: 'from' | 'to') => {
  let at = word - paragraph.firstWord;
  for (const { segment, from, to, before } of parts) {
    if (at < to - from)
      return { segment: segment.id, offset: (wordSpans(segment)[from + at]?.[side] ?? 0) - before.length };
    at -= to - from;
  }
  return undefined;
};

type Edited = { readonly doc: Doc; readonly index: number; readonly paragraph: Paragraph };

type EditSteps = {
  readonly readChanges: () => SegmentText[];
  readonly apply: (changes: readonly SegmentText[], word?: number) => void;
};

/** Splits and merges the edited paragraph, in one step with what was typed. */
const paragraphBreaks = (
  root: RefObject<HTMLElement | null>,
  { doc, index, paragraph }: Edited,
  parts: readonly Part[],
  { readChanges, apply }: EditSteps,
) => {
  /** Begins a paragraph at the caret, unless one begins or ends there. */
  const split = () => {
    const caret = root.current === null ? undefined : readCaret(root.current, parts);
    if (caret === undefined) return;
    const segment = doc.segments.findIndex((each) => each.id === caret.segment);
    let word: number | undefined;
    const edits = thenEdit(doc, readChanges(), (next) => {
      const at = wordFrom(next, segment, caret.offset);
      const splits = splitParagraph(next, at);
      if (splits.length > 0) word = at;
      return splits;
    });
    if (word !== undefined) apply(edits, word);
  };
  /** Joins this paragraph with the one before; false if that has another speaker. */
  const merge = (): boolean => {
    let isMerged = false;
    const edits = thenEdit(doc, readChanges(), (next) => {
      const merges = mergeParagraph(next, index);
      isMerged = merges.length > 0;
      return merges;
    });
    if (isMerged) apply(edits, paragraph.firstWord);
    return isMerged;
  };
  return {
    split,
    merge,
    canMerge: index > 0 && !paragraph.showsSpeaker,
    mergeAtStart: () => root.current !== null && isCaretAtStart(root.current) && merge(),
  };
};

/** Fills the edited element, saves drafts while the user types, and applies the edit at its end. */
export const useParagraphEdit = (edited: Edited) => {
  const { editor, view, focusParagraph } = useReader();
  const root = useRef<HTMLDivElement>(null);
  // The content is read once more on unmount, after React has cleared `root`.
  const editedElement = useRef<HTMLElement>(null);
  // What is edited does not change while it is: a save's answer is shown afterwards.
  const initial = useRef(edited);
  const parts = useMemo(() => partsOf(initial.current.doc, initial.current.paragraph), []);

  const readChanges = useCallback(
    (): SegmentText[] =>
      editedElement.current === null ? [] : readEdits(editedElement.current, initial.current.doc, parts),
    [parts],
  );
  const saveSoon = useMemo(
    () =>
      debounce(() => {
        const changes = readChanges();
        if (changes.length > 0) editor.saveDraft(changes);
      }, DRAFT_DEBOUNCE_MS),
    [readChanges, editor],
  );

  const isFinished = useRef(false);
  /** Applies these changes as one; editing goes on before `word`, or ends. */
  const apply = useCallback(
    (changes: readonly SegmentText[], word?: number) => {
      isFinished.current = true;
      saveSoon.cancel();
      editor.setEditing(false);
      editor.finishEdit(changes);
      const { doc } = editor.store.getState();
      view.setState({
        edited:
          doc === undefined || word === undefined
            ? undefined
            : { paragraph: paragraphOfWord(doc, word), word },
      });
    },
    [saveSoon, editor, view],
  );
  const finish = useCallback(() => {
    if (!isFinished.current) apply(readChanges());
  }, [apply, readChanges]);
  const origin = useRef<Element>(null);
  /** Ends editing and returns the focus to where it was: a button elsewhere, else the paragraph. */
  const finishByKey = useCallback(() => {
    const text = editedElement.current?.closest('[role="feed"]');
    finish();
    const from = origin.current;
    if (from instanceof HTMLElement && from.isConnected && from !== document.body && !text?.contains(from))
      from.focus();
    else focusParagraph.current(initial.current.index);
  }, [finish, focusParagraph]);

  useEffect(() => {
    const element = root.current;
    if (element === null) return;
    isFinished.current = false;
    editedElement.current = element;
    editor.setEditing(true);
    origin.current = document.activeElement;
    renderParts(element, parts);
    const { paragraph } = initial.current;
    const { word, lastWord } = view.getState().edited ?? {};
    placeCaret(
      element,
      word === undefined ? undefined : placeOfWord(paragraph, parts, word, 'from'),
      lastWord === undefined ? undefined : placeOfWord(paragraph, parts, lastWord, 'to'),
    );
    const onHide = () => saveSoon.flush();
    window.addEventListener('pagehide', onHide);
    return () => {
      window.removeEventListener('pagehide', onHide);
      saveSoon.flush();
      editor.setEditing(false);
    };
  }, [saveSoon, editor, view, parts]);

  return {
    root,
    saveSoon,
    finish,
    finishByKey,
    ...paragraphBreaks(root, initial.current, parts, { readChanges, apply }),
  };
};
