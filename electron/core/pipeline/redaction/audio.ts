import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { PiiPolicy } from '../../../contract/analysis.ts';
import type { RedactionReport } from '../../../contract/transcript.ts';
import { type StoredWarning, warningOf } from '../../../contract/warnings.ts';
import type { RedactedWord } from '../../analysis/types.ts';
import { throwIfAborted } from '../../base/abort.ts';
import { isAppError } from '../../base/errors.ts';
import type { Span } from '../../engines/ffmpeg/types.ts';
import type { JobContext, PipelineDeps, PipelineModel } from '../deps.ts';
import { PEAKS_FILE, writePeaks } from '../recognition/peaks.ts';
import { recognizeAgain } from '../recognition/recognizer.ts';
import { ENCODED_FILE, type PlaybackAudio, type Recording, transcriptFolder } from '../source/recording.ts';
import { workFolder } from '../source/work-folder.ts';

/** A redacted value: consecutive words under one policy. */
type SecretValue = Span & { readonly policy: PiiPolicy; readonly words: readonly string[] };

/** Word times are up to a few tenths of a second off. */
const MARGIN = 0.2;
/** Covers closer than this are merged. */
const MIN_GAP = 0.3;
/** The longest gap between two words of one value. */
const MAX_WORD_GAP = 1.5;

/** Groups consecutive words under the same policy. */
const secretValues = (words: readonly RedactedWord[]): SecretValue[] => {
  const values: SecretValue[] = [];
  for (const word of words.toSorted((a, b) => a.start - b.start)) {
    const last = values.at(-1);
    if (last !== undefined && last.policy === word.policy && word.start - last.end < MAX_WORD_GAP) {
      values[values.length - 1] = {
        ...last,
        end: Math.max(last.end, word.end),
        words: [...last.words, word.word],
      };
    } else values.push({ policy: word.policy, start: word.start, end: word.end, words: [word.word] });
  }
  return values;
};

/** The spans to cover: padded by `margin`, merged and in order. */
const coverSpans = (values: readonly Span[], margin = MARGIN): Span[] => {
  const spans: Span[] = [];
  for (const { start, end } of values.toSorted((a, b) => a.start - b.start)) {
    const span = { start: Math.max(0, start - margin), end: end + margin };
    const last = spans.at(-1);
    if (last !== undefined && span.start - last.end < MIN_GAP) {
      spans[spans.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
    } else spans.push(span);
  }
  return spans;
};

const lettersAndDigits = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '');

/** Digits in a row, or letters of a word, that give a value away. */
const MIN_TELLING_LENGTH = 4;

/** Every run of MIN_TELLING_LENGTH consecutive digits of a text. */
const digitRuns = (text: string): Set<string> => {
  const digits = text.replaceAll(/\D+/g, '');
  const runs = new Set<string>();
  for (let i = 0; i + MIN_TELLING_LENGTH <= digits.length; i++)
    runs.add(digits.slice(i, i + MIN_TELLING_LENGTH));
  return runs;
};

/**
 * Whether a value is recognizable in the words recognized in its place: as a whole, by a word of at least four letters, or
 * by four digits in a row.
 */
const isAudible = (value: SecretValue, heard: readonly string[]): boolean => {
  const all = heard.map(lettersAndDigits).join('');
  const whole = lettersAndDigits(value.words.join(''));
  if (whole.length >= MIN_TELLING_LENGTH && all.includes(whole)) return true;
  const telling = value.words
    .flatMap((word) => word.split(/[^\p{L}\p{N}]+/u))
    .map(lettersAndDigits)
    .filter((word) => word.length >= MIN_TELLING_LENGTH || word === whole);
  const heardWords = new Set(heard.flatMap((word) => word.split(/[^\p{L}\p{N}]+/u)).map(lettersAndDigits));
  if (telling.some((word) => word !== '' && heardWords.has(word))) return true;
  const runs = digitRuns(heard.join(''));
  return [...digitRuns(value.words.join(''))].some((run) => runs.has(run));
};

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
const findAudible = async (options: CheckOptions): Promise<SecretValue[]> => {
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

type RedactAudioInput = {
  /** Null if no audio is on this machine. */
  readonly recording: Recording | null;
  /** Checks the covered audio by recognizing it; null if it is no longer installed. */
  readonly model: PipelineModel | null;
  readonly language: string | null;
  readonly secrets: readonly RedactedWord[];
};

/** For the second cover of a value that is still audible: word times are estimates. Seconds. */
const WIDER_MARGIN = 0.8;
/** Of the whole job. */
const START_PERCENT = 97;
const END_PERCENT = 99;

const NO_AUDIO = warningOf('audio_not_bleepable');
const NOT_COVERED = warningOf('audio_not_covered');
const NOT_CHECKED = warningOf('bleeps_not_checked');
const AUDIBLE = warningOf('value_audible');

/** Covers the secrets, checks the result by recognizing it, and covers audible values once more with wider margins. */
class AudioRedaction {
  readonly #deps: PipelineDeps;
  readonly #context: JobContext;
  readonly #input: RedactAudioInput;
  readonly #recording: Recording;
  readonly #values: readonly SecretValue[];
  /** The covered audio. */
  readonly path: string;

  constructor(deps: PipelineDeps, context: JobContext, input: RedactAudioInput, recording: Recording) {
    this.#deps = deps;
    this.#context = context;
    this.#input = input;
    this.#recording = recording;
    this.#values = secretValues(input.secrets);
    this.path = join(workFolder(deps, context.transcript), 'bleeped.m4a');
  }

  async run(): Promise<{ report: RedactionReport; warnings: StoredWarning[] }> {
    this.#reportProgress(0);
    const spans = coverSpans(this.#values);
    const { duration } = await this.#cover(spans);
    const report = { checked: true, spans: spans.length };
    if (spans.length === 0) return { report: { ...report, audible: [] }, warnings: [] };
    const unchecked = { report: { ...report, checked: false, audible: [] }, warnings: [NOT_CHECKED] };
    const { model } = this.#input;
    if (model === null) return unchecked;
    try {
      const audible = await this.#findAudible(model, this.#values, duration);
      if (audible.length === 0) return { report: { ...report, audible: [] }, warnings: [] };
      await this.#cover(coverSpans([...spans, ...coverSpans(audible, WIDER_MARGIN)], 0));
      const stillAudible = await this.#findAudible(model, audible, duration);
      const policies = [...new Set(stillAudible.map((value) => value.policy))];
      return {
        report: { ...report, audible: policies },
        warnings: stillAudible.length === 0 ? [] : [AUDIBLE],
      };
    } catch (error) {
      throwIfAborted(this.#context.signal);
      if (!isAppError(error)) throw error;
      this.#deps.logger.warn(
        { transcript: this.#context.transcript.id, code: error.code },
        'The bleeped audio was not checked',
      );
      return unchecked;
    }
  }

  /** `share` of the check that is done, 0 to 1. */
  #reportProgress(share: number): void {
    const percent = START_PERCENT + share * (END_PERCENT - START_PERCENT);
    this.#context.onProgress({ stage: 'analyzing', percent, etaSeconds: null, speed: null });
  }

  #cover(spans: readonly Span[]): Promise<{ readonly duration: number }> {
    const { input, shift, range } = this.#recording;
    return this.#deps.media.bleep({
      input,
      output: this.path,
      spans: spans.map((span) => ({ start: Math.max(0, span.start - shift), end: span.end - shift })),
      format: 'm4a',
      // The words of every track are in the text.
      tracks: this.#context.transcript.options.multichannel ? 'all' : 'first',
      signal: this.#context.signal,
      ...(range === undefined ? {} : { range }),
    });
  }

  #findAudible(
    model: PipelineModel,
    values: readonly SecretValue[],
    duration: number,
  ): Promise<SecretValue[]> {
    return findAudible({
      deps: this.#deps,
      path: this.path,
      offset: this.#recording.offset,
      duration,
      values,
      model,
      language: this.#input.language ?? 'en',
      signal: this.#context.signal,
      onProgress: (share) => this.#reportProgress(share),
    });
  }
}

/** Writes the waveform of a redacted copy, which starts at `offset` of the transcript's timeline. */
const writeOwnPeaks = async (
  deps: PipelineDeps,
  { transcript, signal }: JobContext,
  path: string,
  offset: number,
): Promise<string> => {
  const peaks = join(workFolder(deps, transcript), 'peaks.bin');
  const start = Math.max(0, transcript.audioStartFrom - offset);
  const { chunks } = deps.media.decodeChunks({ kind: 'file', path }, { start, signal });
  for await (const chunk of chunks) await writePeaks(peaks, { stream: 0, chunk }, start);
  return peaks;
};

/** Makes a redacted copy the audio that the transcript plays, and its waveform that which is drawn. */
const putInPlace = async (deps: PipelineDeps, context: JobContext, path: string, offset: number) => {
  const folder = transcriptFolder(deps, context.transcript.id);
  await mkdir(folder, { recursive: true });
  const peaks = await writeOwnPeaks(deps, context, path, offset);
  await rename(path, join(folder, ENCODED_FILE));
  await rename(peaks, join(folder, PEAKS_FILE));
};

/**
 * Keeps a copy of the audio in which the redacted words are covered, and nothing else of it. An upload stays the
 * user's own, but the transcript plays only the copy. Audio that cannot be covered is not kept.
 */
export const keepRedactedAudio = async (
  deps: PipelineDeps,
  context: JobContext,
  input: RedactAudioInput,
): Promise<PlaybackAudio> => {
  const none = { file: null, offset: 0, report: { checked: false, spans: 0, audible: [] } };
  const { recording } = input;
  if (recording === null) return { ...none, warnings: [NO_AUDIO] };
  const { transcript, signal } = context;
  await mkdir(workFolder(deps, transcript), { recursive: true });
  const redaction = new AudioRedaction(deps, context, input, recording);
  try {
    const { report, warnings } = await redaction.run();
    await putInPlace(deps, context, redaction.path, recording.offset);
    return { file: ENCODED_FILE, offset: recording.offset, warnings, report };
  } catch (error) {
    throwIfAborted(signal);
    if (!isAppError(error)) throw error;
    deps.logger.warn({ transcript: transcript.id, code: error.code }, 'The audio was not covered');
    return { ...none, warnings: [NOT_COVERED] };
  }
};

/** Lets the words in `spans` be heard again, from the stored original; seconds on the transcript's timeline. */
export const restoreAudio = async (
  deps: PipelineDeps,
  context: JobContext,
  recording: Recording,
  original: string,
  spans: readonly Span[],
): Promise<void> => {
  const { transcript, signal } = context;
  const output = join(workFolder(deps, transcript), 'restored.m4a');
  await mkdir(workFolder(deps, transcript), { recursive: true });
  await deps.media.bleep({
    input: recording.input,
    output,
    spans: [],
    restore: { input: { kind: 'file', path: original }, spans, offset: recording.offset },
    format: 'm4a',
    tracks: transcript.options.multichannel ? 'all' : 'first',
    signal,
  });
  await putInPlace(deps, context, output, recording.offset);
};

/** The report of all redactions of a recording, the earlier ones included. */
export const joinReports = (now: RedactionReport, earlier: RedactionReport | undefined): RedactionReport =>
  earlier === undefined
    ? now
    : {
        ...now,
        checked: now.checked && (earlier.checked || earlier.spans === 0),
        spans: earlier.spans + now.spans,
        audible: [...new Set([...earlier.audible, ...now.audible])],
      };
