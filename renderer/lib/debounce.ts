type Debounced<A extends unknown[]> = ((...args: A) => void) & {
  flush: () => void;
  cancel: () => void;
};

/** Calls `work` with the latest arguments after `milliseconds` without a call. */
export const debounce = <A extends unknown[]>(
  work: (...args: A) => void,
  milliseconds: number,
): Debounced<A> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last: A | undefined;
  const cancel = () => {
    clearTimeout(timer);
    last = undefined;
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
