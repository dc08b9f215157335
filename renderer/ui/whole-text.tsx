import { type FocusEvent, type KeyboardEvent, type PointerEvent, useState } from 'react';
import { cx } from '../lib/classes.ts';

/** Of a link or a button. */
type Handlers = {
  readonly onPointerEnter: (event: PointerEvent) => void;
  readonly onPointerLeave: () => void;
  readonly onFocus: (event: FocusEvent) => void;
  readonly onBlur: () => void;
  readonly onKeyDownCapture: (event: KeyboardEvent) => void;
};

/**
 * For a text that its column cuts: shows the whole of it below while the pointer or the focus is on it, until Escape.
 * Screen readers read the text itself, which is whole.
 */
export const useWholeText = (text: string) => {
  const [isShown, setIsShown] = useState(false);
  const show = ({ currentTarget }: FocusEvent | PointerEvent) =>
    setIsShown(currentTarget.scrollWidth > currentTarget.clientWidth);
  const hide = () => setIsShown(false);
  const handlers: Handlers = {
    onPointerEnter: show,
    onPointerLeave: hide,
    onFocus: show,
    onBlur: hide,
    onKeyDownCapture: ({ key }) => {
      if (key === 'Escape') hide();
    },
  };
  return { handlers, popup: isShown && <WholeText text={text} /> };
};

const WholeText = ({ text }: { text: string }) => (
  <span
    aria-hidden
    data-whole-text
    className={cx(
      'fade pointer-events-none absolute inset-x-0 top-full z-20 w-fit max-w-full rounded-ctl bg-ink px-2 py-1',
      'text-xs font-medium whitespace-normal text-surface wrap-anywhere',
    )}
  >
    {text}
  </span>
);
