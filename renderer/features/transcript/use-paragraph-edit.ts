import { useCallback, useEffect, useMemo, useRef } from 'react';
import { debounce } from '../../lib/debounce.ts';
import { type Doc, type Paragraph, paragraphOfWord, wordSpans } from './model/document.ts';
import { type SegmentText, segmentTexts } from './model/edit.ts';
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

/** Where a word begins in the edited parts. */
const placeOfWord = (paragraph: Paragraph, parts: readonly Part[], word: number) => {
  let at = word - paragraph.firstWord;
  for (const { segment, from, to, before } of parts) {
    if (at < to - from)
      return { segment: segment.id, offset: (wordSpans(segment)[from + at]?.from ?? 0) - before.length };
    at -= to - from;
  }
  return undefined;
};

type Edited = { readonly doc: Doc; readonly index: number; readonly paragraph: Paragraph };

/** Fills the edited element, saves drafts while the user types, and applies the edit at its end. */
export const useParagraphEdit = (edited: Edited) => {
  const { editor, view } = useReader();
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
      const ids = changes.map((each) => each.id);
      editor.edit(changes, segmentTexts(initial.current.doc, ids));
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

  /** Begins a paragraph at the caret; false if one begins or ends there. */
  const split = useCallback(() => {
    const caret = root.current === null ? undefined : readCaret(root.current, parts);
    if (caret === undefined) return;
    let word = -1;
    const changes = readChanges();
    const { doc } = initial.current;
    const segment = doc.segments.findIndex((each) => each.id === caret.segment);
    let isSplit = false;
    const edits = thenEdit(doc, changes, (next) => {
      word = wordFrom(next, segment, caret.offset);
      const splits = splitParagraph(next, word);
      isSplit = splits.length > 0;
      return splits;
    });
    if (isSplit) apply(edits, word);
  }, [apply, parts, readChanges]);

  const canMerge = initial.current.index > 0 && !initial.current.paragraph.showsSpeaker;
  /** Joins this paragraph with the one before. */
  const merge = useCallback(() => {
    const { doc, index, paragraph } = initial.current;
    let isMerged = false;
    const edits = thenEdit(doc, readChanges(), (next) => {
      const merges = mergeParagraph(next, index);
      isMerged = merges.length > 0;
      return merges;
    });
    if (isMerged) apply(edits, paragraph.firstWord);
    return isMerged;
  }, [apply, readChanges]);
  const mergeAtStart = useCallback(
    () => root.current !== null && isCaretAtStart(root.current) && merge(),
    [merge],
  );

  useEffect(() => {
    const element = root.current;
    if (element === null) return;
    isFinished.current = false;
    editedElement.current = element;
    editor.setEditing(true);
    renderParts(element, parts);
    const { paragraph } = initial.current;
    const word = view.getState().edited?.word;
    placeCaret(element, word === undefined ? undefined : placeOfWord(paragraph, parts, word));
    const onHide = () => saveSoon.flush();
    window.addEventListener('pagehide', onHide);
    return () => {
      window.removeEventListener('pagehide', onHide);
      saveSoon.flush();
      editor.setEditing(false);
    };
  }, [saveSoon, editor, view, parts]);

  return { root, saveSoon, finish, split, canMerge, merge, mergeAtStart };
};
