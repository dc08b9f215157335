import { useEffect, useState } from 'react';

/** The value once it has stayed the same for a moment: what is typed is searched when the typing pauses. */
export const useDebouncedValue = <T>(value: T, milliseconds: number): T => {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return debounced;
};
