import type { Doc } from './model/document.ts';
import type { SegmentText } from './model/edit.ts';
import { editPart, type Part } from './model/paragraphs.ts';

/** Writes the parts of segments into the edited element, a span each; afterwards the browser owns the content. */
export const renderParts = (root: HTMLElement, parts: readonly Part[]): void => {
  root.replaceChildren();
  for (const { segment, text } of parts) {
    const span = document.createElement('span');
    // Spelling is checked by the language of the element.
    if (segment.language !== null) span.lang = segment.language;
    span.dataset.segment = String(segment.id);
    span.textContent = `${text.trimEnd()} `;
    root.append(span);
  }
};

/**
 * The texts in the edited element by segment. Text between two spans belongs to the first, and a deleted span is
 * missing.
 */
const readTexts = (root: ParentNode, first: number): Map<number, string> => {
  const texts = new Map<number, string>();
  let current = first;
  for (const node of root.childNodes) {
    if (node instanceof HTMLElement && node.dataset.segment !== undefined)
      current = Number(node.dataset.segment);
    texts.set(current, (texts.get(current) ?? '') + (node.textContent ?? ''));
  }
  return texts;
};

const firstId = (parts: readonly Part[]) => parts[0]?.segment.id ?? 0;

/** The edits of the segments whose text was changed. */
export const readEdits = (root: ParentNode, doc: Doc, parts: readonly Part[]): SegmentText[] => {
  const texts = readTexts(root, firstId(parts));
  return parts
    .map((part) => editPart(doc, part, texts.get(part.segment.id) ?? ''))
    .filter((edit, index) => edit.text !== parts[index]?.segment.text);
};

/** The caret of a collapsed selection in the element, as what stands before it. */
const contentBeforeCaret = (root: HTMLElement): DocumentFragment | undefined => {
  const selection = window.getSelection();
  if (selection === null || !selection.isCollapsed || !root.contains(selection.anchorNode)) return undefined;
  const range = document.createRange();
  range.setStart(root, 0);
  if (selection.anchorNode !== null) range.setEnd(selection.anchorNode, selection.anchorOffset);
  return range.cloneContents();
};

export const isCaretAtStart = (root: HTMLElement): boolean => contentBeforeCaret(root)?.textContent === '';

/** The caret's place: a segment, and an offset in its text as `readEdits` reads it. */
export const readCaret = (
  root: HTMLElement,
  parts: readonly Part[],
): { readonly segment: number; readonly offset: number } | undefined => {
  const content = contentBeforeCaret(root);
  if (content === undefined) return undefined;
  const [segment, text] = [...readTexts(content, firstId(parts))].at(-1) ?? [firstId(parts), ''];
  const part = parts.find((each) => each.segment.id === segment);
  return { segment, offset: (part?.before.length ?? 0) + text.replace(/\s+/g, ' ').trimStart().length };
};

type Place = { readonly segment: number; readonly offset: number };

/** The text node and offset of a place; undefined for one that is not in the element. */
const boundaryOf = (root: HTMLElement, place: Place | undefined): readonly [Text, number] | undefined => {
  const text = place && root.querySelector(`[data-segment="${place.segment}"]`)?.firstChild;
  return place !== undefined && text instanceof Text
    ? [text, Math.min(place.offset, text.length)]
    : undefined;
};

/** The keys of the editor lie over so much of the end of the text; as `scroll-pb-14` in text-view.tsx. */
const HINTS_HEIGHT = 56;

/** Places the caret before a character of a segment's part, or at the end of the text; selects up to `end` where that is given. */
export const placeCaret = (root: HTMLElement, place: Place | undefined, end?: Place): void => {
  root.focus({ preventScroll: true });
  const range = document.createRange();
  const from = boundaryOf(root, place);
  const to = boundaryOf(root, end);
  if (from !== undefined) range.setStart(...from);
  else {
    range.selectNodeContents(root);
    range.collapse(false);
  }
  if (from !== undefined && to !== undefined) range.setEnd(...to);
  const selection = window.getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
  const scroller = root.closest('section');
  if (scroller === null) return;
  // A caret behind the last segment has no box.
  const line = range.getBoundingClientRect();
  const { bottom } = line.height > 0 ? line : root.getBoundingClientRect();
  const hidden = bottom + HINTS_HEIGHT - scroller.getBoundingClientRect().bottom;
  if (hidden > 0) scroller.scrollBy(0, hidden);
};
