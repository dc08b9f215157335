import type { Span } from '../../engines/ffmpeg/types.ts';
import type { PipelineDeps, PipelineModel } from '../deps.ts';
import { recognizeAgain } from '../recognition/recognizer.ts';
import { isAudible, type SecretValue } from './spans.ts';

type Check = {
  readonly deps: Pick<PipelineDeps, 'media' | 'engine' | 'settings'>;
  /** The covered audio. */
  readonly path: string;
  /** Where it begins on the timeline of the values, and how long it is; seconds. */
  readonly offset: number;
  readonly duration: number;
  readonly values: readonly SecretValue[];
  readonly model: PipelineModel;
  readonly language: string;
  readonly signal: AbortSignal;
  readonly onProgress: (share: number) => void;
};

type HeardWord = Span & { readonly word: string };

/** What stands around a value helps a recogniser, so it is heard along; seconds. */
const AROUND = 3;
/** Words heard this far from where a value had been said are not it; seconds. */
const NEAR = 1;

const windowsOf = (values: readonly Span[], offset: number, duration: number): Span[] => {
  const windows: Span[] = [];
  for (const value of values.toSorted((a, b) => a.start - b.start)) {
    const start = Math.max(0, value.start - offset - AROUND);
    const end = Math.min(duration, value.end - offset + AROUND);
    const last = windows.at(-1);
    if (last !== undefined && start <= last.end) {
      windows[windows.length - 1] = { start: last.start, end: Math.max(last.end, end) };
    } else if (end > start) windows.push({ start, end });
  }
  return windows;
};

const hear = async (check: Check, range: Span): Promise<HeardWord[]> => {
  const { deps, path, offset, model, language, signal } = check;
  const words: HeardWord[] = [];
  const how = { model, language, range, signal, translate: false };
  for await (const segments of recognizeAgain(deps, { kind: 'file', path }, how)) {
    for (const { word, start, end } of segments.flatMap((segment) => segment.words)) {
      words.push({ word, start: start + offset, end: end + offset });
    }
  }
  return words;
};

/** Recognises the covered audio again around each value. Answers the values that can still be made out. */
export const findAudible = async (check: Check): Promise<SecretValue[]> => {
  const windows = windowsOf(check.values, check.offset, check.duration);
  const heard: HeardWord[] = [];
  for (const [index, window] of windows.entries()) {
    heard.push(...(await hear(check, window)));
    check.onProgress((index + 1) / windows.length);
  }
  return check.values.filter((value) => {
    const near = heard.filter((word) => word.end > value.start - NEAR && word.start < value.end + NEAR);
    return isAudible(
      value,
      near.map(({ word }) => word),
    );
  });
};
