import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef } from 'react';
import { useI18n } from '../../app/services.tsx';
import { debounce } from '../../lib/debounce.ts';
import { Kbd } from '../../ui/kbd.tsx';
import type { Doc, Paragraph } from './model/document.ts';
import type { SegmentText } from './model/edit.ts';
import { SEEK_STEP_SECONDS } from './player-bar.tsx';
import { useReader } from './reader.tsx';

const DRAFT_DEBOUNCE_MS = 1000;

/** A contenteditable element rather than a textarea, because it keeps the segments apart. */
const textboxProps = (label: string) =>
  ({ role: 'textbox', tabIndex: 0, 'aria-multiline': true, 'aria-label': label }) as const;

const collapseWhitespace = (text: string) => text.replace(/\s+/g, ' ').trim();

/**
 * Reads the texts of the segments from the edited paragraph. Each segment is a span; text between two spans belongs
 * to the first, and a deleted span is an empty text.
 */
const readSegmentTexts = (root: HTMLElement, ids: readonly number[]): SegmentText[] => {
  const texts = new Map<number, string>(ids.map((id) => [id, '']));
  let current = ids[0] ?? 0;
  for (const node of root.childNodes) {
    if (node instanceof HTMLElement && node.dataset.segment !== undefined)
      current = Number(node.dataset.segment);
    texts.set(current, (texts.get(current) ?? '') + (node.textContent ?? ''));
  }
  return [...texts].map(([id, text]) => ({ id, text: collapseWhitespace(text) }));
};

/** Renders the segments once; afterwards the browser owns the content. */
const renderSegments = (root: HTMLElement, doc: Doc, paragraph: Paragraph) => {
  root.replaceChildren();
  for (const segment of doc.segments.slice(paragraph.firstSegment, paragraph.endSegment)) {
    const span = document.createElement('span');
    span.dataset.segment = String(segment.id);
    span.textContent = `${segment.text} `;
    root.append(span);
  }
};

const placeCaretAtEnd = (root: HTMLElement) => {
  root.focus({ preventScroll: true });
  const range = document.createRange();
  range.selectNodeContents(root);
  range.collapse(false);
  const selection = window.getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
};

type Props = { doc: Doc; paragraph: Paragraph };

/** Fills the edited element, saves drafts while the user types, and applies the edit at its end. */
const useParagraphEdit = ({ doc, paragraph }: Props) => {
  const { editor, view } = useReader();
  const root = useRef<HTMLDivElement>(null);
  // The content is read once more on unmount, after React has cleared `root`.
  const editedElement = useRef<HTMLElement>(null);
  const initial = useRef({ doc, paragraph });
  const before = useMemo<SegmentText[]>(
    () =>
      initial.current.doc.segments
        .slice(initial.current.paragraph.firstSegment, initial.current.paragraph.endSegment)
        .map((segment) => ({ id: segment.id, text: segment.text })),
    [],
  );

  const readChanges = useCallback((): SegmentText[] => {
    if (editedElement.current === null) return [];
    const originalTexts = new Map(before.map((each) => [each.id, each.text]));
    return readSegmentTexts(
      editedElement.current,
      before.map((each) => each.id),
    ).filter((each) => originalTexts.get(each.id) !== each.text);
  }, [before]);

  const saveSoon = useMemo(
    () =>
      debounce(() => {
        const changes = readChanges();
        if (changes.length > 0) editor.saveDraft(changes);
      }, DRAFT_DEBOUNCE_MS),
    [readChanges, editor],
  );

  const isFinished = useRef(false);
  const finish = useCallback(() => {
    if (isFinished.current) return;
    isFinished.current = true;
    saveSoon.cancel();
    editor.setEditing(false);
    const changes = readChanges();
    const ids = new Set(changes.map((each) => each.id));
    if (changes.length > 0)
      editor.edit(
        changes,
        before.filter((each) => ids.has(each.id)),
      );
    view.setState({ editedParagraph: undefined });
  }, [before, readChanges, saveSoon, editor, view]);

  useEffect(() => {
    const element = root.current;
    if (element === null) return;
    isFinished.current = false;
    editedElement.current = element;
    editor.setEditing(true);
    renderSegments(element, initial.current.doc, initial.current.paragraph);
    placeCaretAtEnd(element);
    const onHide = () => saveSoon.flush();
    window.addEventListener('pagehide', onHide);
    return () => {
      window.removeEventListener('pagehide', onHide);
      saveSoon.flush();
      editor.setEditing(false);
    };
  }, [saveSoon, editor]);

  return { root, saveSoon, finish };
};

/** Edits a paragraph. React does not render while the user types. */
export const ParagraphEditor = (props: Props) => {
  const { player } = useReader();
  const { t } = useI18n();
  const { root, saveSoon, finish } = useParagraphEdit(props);

  const onKey = (event: KeyboardEvent) => {
    event.stopPropagation();
    const command = event.ctrlKey || event.metaKey;
    if (event.key === 'Escape' || event.key === 'Enter') {
      event.preventDefault();
      finish();
    } else if (command && event.key === ' ') {
      event.preventDefault();
      player.toggle();
    } else if (command && event.key.toLowerCase() === 'j') {
      event.preventDefault();
      player.seekBy(-SEEK_STEP_SECONDS);
    }
  };
  return (
    <>
      <div
        {...textboxProps(t('edit.field'))}
        ref={root}
        className="edit"
        contentEditable="plaintext-only"
        suppressContentEditableWarning
        spellCheck
        {...{ onInput: () => saveSoon(), onBlur: finish, onKeyDown: onKey }}
      />
      <p className="!mt-2.5 flex flex-wrap gap-x-3 gap-y-1 !font-sans !text-xs text-ink-3">
        <span>
          <Kbd>Ctrl Space</Kbd> {t('edit.keyPlay')}
        </span>
        <span>
          <Kbd>Ctrl J</Kbd> {t('edit.keyBack')}
        </span>
        <span>
          <Kbd>Esc</Kbd> {t('edit.keyDone')}
        </span>
      </p>
    </>
  );
};
