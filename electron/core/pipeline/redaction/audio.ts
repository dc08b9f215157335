import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { RedactionReport } from '../../../contract/transcript.ts';
import { throwIfAborted } from '../../base/abort.ts';
import { isAppError } from '../../base/errors.ts';
import type { MediaInput, Span } from '../../engines/ffmpeg/types.ts';
import type { Transcript } from '../../stores/transcript-record.ts';
import type { PipelineDeps, PipelineModel } from '../deps.ts';
import type { Analysed } from '../findings/analyze.ts';
import { ENCODED_FILE, type PlaybackAudio, transcriptFolder } from '../source/playback-audio.ts';
import type { RangeAudio } from '../source/range-audio.ts';
import { workFolder } from '../source/work-folder.ts';
import type { JobContext } from '../types.ts';
import { findAudible } from './check.ts';
import { coverSpans, type SecretValue, secretValues } from './spans.ts';

/** Sound that is to be covered before it is kept. */
export type Recording = {
  readonly input: MediaInput;
  /** Where the kept audio begins on the transcript's timeline. */
  readonly offset: number;
  /** Seconds that the input's own timeline lies behind the transcript's. */
  readonly shift: number;
  /** What to keep of it, where that is not all: nobody looked at the rest. */
  readonly range?: { readonly start: number; readonly end: number | null };
};

export type ToRedact = {
  /** Null where no sound is on this machine. */
  readonly recording: Recording | null;
  /** Hears the covered audio again; null where that model is not installed any more. */
  readonly model: PipelineModel | null;
  readonly language: string | null;
  readonly analysed: Analysed;
};

/** Covered once more when a value was still heard: word times are guesses. Seconds. */
const WIDER_MARGIN = 0.8;
const FROM_PERCENT = 97;
const TO_PERCENT = 99;

const NO_SOUND = 'No audio is kept for playback: there is none on this machine that could be bleeped.';
const NOT_COVERED =
  'The audio is not kept: the private data in it could not be covered, and nothing unredacted may stay.';
const NOT_CHECKED =
  'The bleeped audio was not recognised again, so nobody checked that nothing private is heard.';
const AUDIBLE = 'A redacted value may still be heard in the audio: see redaction_report.';

/** The sound of a job that was just recognised; null where a range was too long to be gathered. */
export const recordingOf = async (
  transcript: Pick<Transcript, 'audioStartFrom' | 'audioEndAt'>,
  input: MediaInput,
  gathered: RangeAudio | null,
): Promise<Recording | null> => {
  if (gathered !== null) {
    const file = await gathered.finish();
    return file && { input: file, offset: gathered.from, shift: gathered.from };
  }
  const { audioStartFrom: start, audioEndAt: end } = transcript;
  if (start === 0 && end === 0) return { input, offset: 0, shift: 0 };
  return { input, offset: start, shift: 0, range: { start, end: end === 0 ? null : end } };
};

/** Writes the covered audio and checks it, with wider covers where a value was still heard. */
class Redaction {
  readonly #deps: PipelineDeps;
  readonly #context: JobContext;
  readonly #asked: ToRedact;
  readonly #recording: Recording;
  readonly #values: readonly SecretValue[];
  readonly path: string;

  constructor(deps: PipelineDeps, context: JobContext, asked: ToRedact, recording: Recording) {
    this.#deps = deps;
    this.#context = context;
    this.#asked = asked;
    this.#recording = recording;
    this.#values = secretValues(asked.analysed.secrets);
    this.path = join(workFolder(deps, context.transcript), 'bleeped.m4a');
  }

  async run(): Promise<{ report: RedactionReport; warnings: string[] }> {
    this.#report(0);
    const spans = coverSpans(this.#values);
    const { duration } = await this.#cover(spans);
    const report = { checked: true, spans: spans.length };
    if (spans.length === 0) return { report: { ...report, audible: [] }, warnings: [] };
    const { model } = this.#asked;
    if (model === null)
      return { report: { ...report, checked: false, audible: [] }, warnings: [NOT_CHECKED] };
    try {
      const audible = await this.#check(model, this.#values, duration);
      if (audible.length === 0) return { report: { ...report, audible: [] }, warnings: [] };
      await this.#cover(coverSpans([...spans, ...coverSpans(audible, WIDER_MARGIN)], 0));
      const still = await this.#check(model, audible, duration);
      const policies = [...new Set(still.map((value) => value.policy))];
      return { report: { ...report, audible: policies }, warnings: still.length === 0 ? [] : [AUDIBLE] };
    } catch (error) {
      throwIfAborted(this.#context.signal);
      if (!isAppError(error)) throw error;
      this.#deps.logger.warn(
        { transcript: this.#context.transcript.id, code: error.code },
        'The bleeped audio was not checked',
      );
      return { report: { ...report, checked: false, audible: [] }, warnings: [NOT_CHECKED] };
    }
  }

  /** Share of the checking, 0 to 1. */
  #report(share: number): void {
    const percent = FROM_PERCENT + share * (TO_PERCENT - FROM_PERCENT);
    this.#context.onProgress({ stage: 'analyzing', percent, etaSeconds: null, speed: null });
  }

  #cover(spans: readonly Span[]): Promise<{ readonly duration: number }> {
    const { input, shift, range } = this.#recording;
    return this.#deps.media.bleep({
      input,
      output: this.path,
      spans: spans.map((span) => ({ start: Math.max(0, span.start - shift), end: span.end - shift })),
      format: 'm4a',
      signal: this.#context.signal,
      ...(range === undefined ? {} : { range }),
    });
  }

  #check(model: PipelineModel, values: readonly SecretValue[], duration: number): Promise<SecretValue[]> {
    return findAudible({
      deps: this.#deps,
      path: this.path,
      offset: this.#recording.offset,
      duration,
      values,
      model,
      language: this.#asked.language ?? 'en',
      signal: this.#context.signal,
      onProgress: (share) => this.#report(share),
    });
  }
}

/**
 * Keeps the audio with the redacted words covered, and nothing else of it: of a stored file too, which stays
 * the user's own, the transcript plays the covered copy alone. Audio that cannot be covered is not kept.
 */
export const keepRedactedAudio = async (
  deps: PipelineDeps,
  context: JobContext,
  asked: ToRedact,
): Promise<PlaybackAudio> => {
  const nothing = { file: null, offset: 0, report: { checked: false, spans: 0, audible: [] } };
  const { recording } = asked;
  if (recording === null) return { ...nothing, warnings: [NO_SOUND] };
  const { transcript, signal } = context;
  await mkdir(workFolder(deps, transcript), { recursive: true });
  const redaction = new Redaction(deps, context, asked, recording);
  try {
    const { report, warnings } = await redaction.run();
    const folder = transcriptFolder(deps, transcript.id);
    await mkdir(folder, { recursive: true });
    await rename(redaction.path, join(folder, ENCODED_FILE));
    return { file: ENCODED_FILE, offset: recording.offset, warnings, report };
  } catch (error) {
    throwIfAborted(signal);
    if (!isAppError(error)) throw error;
    deps.logger.warn({ transcript: transcript.id, code: error.code }, 'The audio was not covered');
    return { ...nothing, warnings: [NOT_COVERED] };
  }
};
