type Debounced<A extends unknown[]> = ((...args: A) => void) & {
  flush: () => void;
  /** Returns whether a call was waiting. */
  cancel: () => boolean;
};

/** Calls `work` with the latest arguments after `milliseconds` without a call. */
export const debounce = <A extends unknown[]>(
  work: (...args: A) => void,
  milliseconds: number,
): Debounced<A> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last: A | undefined;
  const cancel = () => {
    const isWaiting = last !== undefined;
    clearTimeout(timer);
    last = undefined;
    return isWaiting;
  };
  const flush = () => {
    const args = last;
    cancel();
    if (args !== undefined) work(...args);
  };
  const call = (...args: A) => {
    last = args;
    clearTimeout(timer);
    timer = setTimeout(flush, milliseconds);
  };
  return Object.assign(call, { flush, cancel });
};
