import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef } from 'react';
import { useI18n } from '../../app/services.tsx';
import { debounce } from '../../lib/debounce.ts';
import { Kbd } from '../../ui/kbd.tsx';
import type { Doc, Paragraph } from './model/document.ts';
import type { SegmentText } from './model/edit.ts';
import { SEEK_STEP_SECONDS } from './player-bar.tsx';
import { useReader } from './reader.tsx';

const DRAFT_DEBOUNCE_MS = 1000;

/** A textarea cannot keep the segments apart that a paragraph is made of: hence an element that is edited itself. */
const textboxProps = (label: string) =>
  ({ role: 'textbox', tabIndex: 0, 'aria-multiline': true, 'aria-label': label }) as const;

const collapseWhitespace = (text: string) => text.replace(/\s+/g, ' ').trim();

/**
 * The texts of the segments inside an edited paragraph. Each segment is a span; what was typed between two spans
 * belongs to the one before. A span that was deleted whole leaves an empty text.
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

/** Fills the paragraph once; from then on it belongs to the person who types. */
const renderSegments = (root: HTMLElement, doc: Doc, block: Paragraph) => {
  root.replaceChildren();
  for (const segment of doc.segments.slice(block.firstSegment, block.endSegment)) {
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

/** A paragraph as text to type in. React stays out of it while it is open, so that typing never waits. */
export const ParagraphEditor = ({ doc, block }: { doc: Doc; block: Paragraph }) => {
  const { editor, view, player } = useReader();
  const { t } = useI18n();
  const root = useRef<HTMLDivElement>(null);
  // What was typed is read once more when the page goes, and React has let go of the element by then.
  const editedElement = useRef<HTMLElement>(null);
  const first = useRef({ doc, block });
  const before = useMemo<SegmentText[]>(
    () =>
      first.current.doc.segments
        .slice(first.current.block.firstSegment, first.current.block.endSegment)
        .map((segment) => ({ id: segment.id, text: segment.text })),
    [],
  );

  const changed = useCallback((): SegmentText[] => {
    if (editedElement.current === null) return [];
    const old = new Map(before.map((each) => [each.id, each.text]));
    return readSegmentTexts(
      editedElement.current,
      before.map((each) => each.id),
    ).filter((each) => old.get(each.id) !== each.text);
  }, [before]);

  const saveSoon = useMemo(
    () =>
      debounce(() => {
        const changes = changed();
        if (changes.length > 0) editor.saveDraft(changes);
      }, DRAFT_DEBOUNCE_MS),
    [changed, editor],
  );

  const isFinished = useRef(false);
  const finish = useCallback(() => {
    if (isFinished.current) return;
    isFinished.current = true;
    saveSoon.cancel();
    editor.setEditing(false);
    const changes = changed();
    const ids = new Set(changes.map((each) => each.id));
    if (changes.length > 0)
      editor.edit(
        changes,
        before.filter((each) => ids.has(each.id)),
      );
    view.setState({ editedParagraph: undefined });
  }, [before, changed, saveSoon, editor, view]);

  useEffect(() => {
    const element = root.current;
    if (element === null) return;
    isFinished.current = false;
    editedElement.current = element;
    editor.setEditing(true);
    renderSegments(element, first.current.doc, first.current.block);
    placeCaretAtEnd(element);
    const onHide = () => saveSoon.flush();
    window.addEventListener('pagehide', onHide);
    return () => {
      window.removeEventListener('pagehide', onHide);
      saveSoon.flush();
      editor.setEditing(false);
    };
  }, [saveSoon, editor]);

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
