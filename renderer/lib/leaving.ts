const warn = (event: BeforeUnloadEvent) => event.preventDefault();

/** Asks before the window is closed: the browser does, or the desktop program, where the event keeps it open silently. */
export const askBeforeLeaving = (isOn: boolean): void => {
  if (window.earshot !== undefined) window.earshot.setRecording(isOn);
  else if (isOn) window.addEventListener('beforeunload', warn);
  else window.removeEventListener('beforeunload', warn);
};
