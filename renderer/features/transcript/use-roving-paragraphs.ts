import {
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
} from 'react';
import { useEditParagraph, useReader } from './reader.tsx';

const indexOf = (target: EventTarget): number | undefined => {
  const row = target instanceof Element ? target.closest<HTMLElement>('[data-index]') : null;
  return row === null ? undefined : Number(row.dataset.index);
};

const nextParagraph = (key: string, index: number, count: number): number | undefined => {
  switch (key) {
    case 'ArrowUp':
      return Math.max(0, index - 1);
    case 'ArrowDown':
      return Math.min(count - 1, index + 1);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
};

/**
 * Makes the paragraphs one Tab stop with arrow keys inside (WAI-ARIA Authoring Practices, roving tabindex). The ring is
 * shown where the keyboard brought the focus: `:focus-visible` would frame a clicked paragraph at the next key.
 */
export const useRovingParagraphs = (
  content: RefObject<HTMLElement | null>,
  count: number,
  scrollTo: (paragraph: number) => void,
) => {
  const { view, focusParagraph } = useReader();
  const editParagraph = useEditParagraph();
  const requested = useRef<number>(undefined);

  const focus = useCallback(
    (paragraph: number) => {
      requested.current = paragraph;
      view.setState({ activeParagraph: paragraph });
      scrollTo(paragraph);
    },
    [view, scrollTo],
  );
  useEffect(() => {
    focusParagraph.current = focus;
    return () => {
      focusParagraph.current = () => undefined;
    };
  }, [focusParagraph, focus]);
  // After every render, because a paragraph out of view is rendered first.
  useLayoutEffect(() => {
    const turn = content.current?.querySelector<HTMLElement>(`[data-index="${requested.current}"] > .turn`);
    if (requested.current === undefined || !turn) return;
    requested.current = undefined;
    turn.focus({ preventScroll: true });
  });

  const onFocus = ({ target }: FocusEvent) => {
    const index = indexOf(target);
    if (index !== undefined) view.setState({ activeParagraph: index });
    if (target.matches('.turn:focus-visible')) target.setAttribute('data-ring', '');
  };
  const onBlur = ({ target }: FocusEvent) => target.removeAttribute('data-ring');
  const onKeyDown = (event: KeyboardEvent) => {
    const { target } = event;
    // Events of popovers arrive here as well: React passes them through portals.
    if (!(target instanceof Element) || !content.current?.contains(target)) return;
    const index = indexOf(target);
    if (index === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter' && target.matches('.turn')) editParagraph(index);
    else {
      const next = nextParagraph(event.key, index, count);
      if (next === undefined) return;
      focus(next);
    }
    event.preventDefault();
  };
  return { onFocus, onBlur, onKeyDown };
};
