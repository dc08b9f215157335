import type { Span } from '../../engines/ffmpeg/types.ts';
import type { PipelineDeps, PipelineModel } from '../deps.ts';
import { recognizeAgain } from '../recognition/recognizer.ts';
import { isAudible, type SecretValue } from './spans.ts';

type CheckOptions = {
  readonly deps: Pick<PipelineDeps, 'media' | 'engine' | 'settings' | 'speechModel'>;
  /** The covered audio. */
  readonly path: string;
  /** Where it starts on the timeline of the values; seconds. */
  readonly offset: number;
  /** Seconds. */
  readonly duration: number;
  readonly values: readonly SecretValue[];
  readonly model: PipelineModel;
  readonly language: string;
  readonly signal: AbortSignal;
  readonly onProgress: (share: number) => void;
};

type HeardWord = Span & { readonly word: string };

/** Audio recognized before and after a value, as context for the recognizer; seconds. */
const CONTEXT = 3;
/** The farthest from a value that a word may be recognized and still be part of it; seconds. */
const MAX_DISTANCE = 1;

/** The values with their context, merged where they overlap, on the timeline of the covered audio. */
const windowsOf = (values: readonly Span[], offset: number, duration: number): Span[] => {
  const windows: Span[] = [];
  for (const value of values.toSorted((a, b) => a.start - b.start)) {
    const start = Math.max(0, value.start - offset - CONTEXT);
    const end = Math.min(duration, value.end - offset + CONTEXT);
    const last = windows.at(-1);
    if (last !== undefined && start <= last.end) {
      windows[windows.length - 1] = { start: last.start, end: Math.max(last.end, end) };
    } else if (end > start) windows.push({ start, end });
  }
  return windows;
};

/** Recognizes a window; times are on the timeline of the values. */
const recognizeWindow = async (options: CheckOptions, range: Span): Promise<HeardWord[]> => {
  const { deps, path, offset, model, language, signal } = options;
  const words: HeardWord[] = [];
  const recognition = { model, language, range, signal, translate: false };
  for await (const segments of recognizeAgain(deps, { kind: 'file', path }, recognition)) {
    for (const { word, start, end } of segments.flatMap((segment) => segment.words)) {
      words.push({ word, start: start + offset, end: end + offset });
    }
  }
  return words;
};

/** Recognizes the covered audio around each value again. Returns the values that are still audible. */
export const findAudible = async (options: CheckOptions): Promise<SecretValue[]> => {
  const windows = windowsOf(options.values, options.offset, options.duration);
  const heard: HeardWord[] = [];
  for (const [index, window] of windows.entries()) {
    heard.push(...(await recognizeWindow(options, window)));
    options.onProgress((index + 1) / windows.length);
  }
  return options.values.filter((value) => {
    const near = heard.filter(
      (word) => word.end > value.start - MAX_DISTANCE && word.start < value.end + MAX_DISTANCE,
    );
    return isAudible(
      value,
      near.map(({ word }) => word),
    );
  });
};
