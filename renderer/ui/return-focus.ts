import { useState } from 'react';

const tabStopHasFocus = (): boolean =>
  document.activeElement instanceof HTMLElement && document.activeElement.tabIndex >= 0;

/**
 * For Radix's `onCloseAutoFocus`: lets what closed give the focus back to its trigger unless a Tab stop has it by then. Radix
 * does so in a timer, which may come after the next key or after a field that the closing opened.
 */
export const returnFocus = (event: Event): void => {
  if (tabStopHasFocus()) event.preventDefault();
};

/** What keeps the place of `element`: of an item of a menu, which closes, the menu's trigger. */
const lastingElement = (element: Element | null): Element | null => {
  const trigger = element?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  return typeof trigger === 'string' ? document.getElementById(trigger) : element;
};

/** The same for a dialog without a trigger: gives the focus back to what had it before the dialog. */
export const useReturnFocus = (): ((event: Event) => void) => {
  const [before] = useState(() => lastingElement(document.activeElement));
  return (event) => {
    event.preventDefault();
    if (!tabStopHasFocus() && before instanceof HTMLElement) before.focus();
  };
};
