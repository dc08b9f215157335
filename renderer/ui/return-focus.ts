/**
 * For Radix's `onCloseAutoFocus`: lets what closed give the focus back to its trigger unless a Tab stop has it by then. Radix
 * does so in a timer, which may come after the next key or after a field that the closing opened.
 */
export const returnFocus = (event: Event): void => {
  const focused = document.activeElement;
  if (focused instanceof HTMLElement && focused.tabIndex >= 0) event.preventDefault();
};
