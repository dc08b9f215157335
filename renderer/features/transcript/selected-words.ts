import type { WordSpan } from './reader.tsx';

const wordOf = (node: Node | null, isEnd: boolean): number | undefined => {
  const element = node instanceof Element ? node : node?.parentElement;
  const own = element?.closest<HTMLElement>('[data-w]')?.dataset.w;
  if (own !== undefined) return Number(own);
  const row = element?.closest<HTMLElement>('[data-first]');
  if (row?.dataset.first === undefined || row.dataset.end === undefined) return undefined;
  return isEnd ? Number(row.dataset.end) - 1 : Number(row.dataset.first);
};

/** The words of the text that are selected, without those of which nothing is. */
export const selectedWords = (): WordSpan | undefined => {
  const selection = window.getSelection();
  if (selection === null || selection.isCollapsed || selection.rangeCount === 0) return undefined;
  const range = selection.getRangeAt(0);
  const [first, last] = [wordOf(range.startContainer, false), wordOf(range.endContainer, true)];
  if (first === undefined || last === undefined) return undefined;
  const { length } = range.startContainer.textContent ?? '';
  const isAfterFirst = range.startContainer.nodeType === Node.TEXT_NODE && range.startOffset >= length;
  const isBeforeLast = range.endContainer.nodeType === Node.TEXT_NODE && range.endOffset === 0;
  const span = { first: isAfterFirst ? first + 1 : first, last: isBeforeLast ? last - 1 : last };
  return span.first <= span.last ? span : undefined;
};
