import { useEffect, useState } from 'react';
import { useServices } from '../../hooks/services.tsx';
import type { Source } from '../../stores/dialogs.ts';
import { readDuration, readStoredDuration } from './audio-preview.ts';

/** The lengths of several sources in seconds, 0 for unknown; those that are not measured yet are missing. */
export const useLengths = (sources: readonly Source[]): ReadonlyMap<Source, number> => {
  const { client, baseUrl } = useServices();
  const [lengths, setLengths] = useState<ReadonlyMap<Source, number>>(new Map());
  const next = sources.length < 2 ? undefined : sources.find((source) => !lengths.has(source));
  // One after the other: browsers limit how many media elements load at once.
  useEffect(() => {
    if (next === undefined) return;
    const controller = new AbortController();
    const { signal } = controller;
    const measure = async (): Promise<number> => {
      // A link is opened by the service alone.
      if (next.kind === 'url') return 0;
      if (next.kind === 'stored') return readStoredDuration(client, baseUrl, next.key, signal);
      const url = URL.createObjectURL(next.file);
      return readDuration(url).finally(() => URL.revokeObjectURL(url));
    };
    void measure()
      .catch(() => 0)
      .then((seconds) => {
        if (!signal.aborted) setLengths((before) => new Map(before).set(next, seconds));
      });
    return () => controller.abort();
  }, [next, client, baseUrl]);
  return lengths;
};
