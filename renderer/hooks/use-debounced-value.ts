import { useEffect, useState } from 'react';

/** The value after it has not changed for `milliseconds`. */
export const useDebouncedValue = <T>(value: T, milliseconds: number): T => {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return debounced;
};
