import type { Clock } from '../../base/clock.ts';
import { isAppError } from '../../base/errors.ts';
import { clamp } from '../../base/numbers.ts';
import type { Span } from '../../engines/ffmpeg/types.ts';
import type { WhisperEngine } from '../../engines/whisper/engine.ts';
import { inOneScript } from '../findings/chinese-script.ts';
import { applySpelling, applyVocabulary } from '../recognition/custom-spelling.ts';
import { type RecognizeOptions, recognizeChunk, speechDetector } from '../recognition/recognizer.ts';
import { Agreement, type LiveWord } from './agreement.ts';
import { SpeechTrack } from './speech-track.ts';

/** What happens while somebody speaks. Times are seconds from the beginning of the audio. */
export type LiveEvent =
  | { readonly type: 'speech'; readonly start: number }
  /** Everything behind the committed words, in place of the tentative words before. */
  | { readonly type: 'tentative'; readonly words: readonly LiveWord[] }
  /** They follow those committed before, and never change. */
  | { readonly type: 'committed'; readonly words: readonly LiveWord[] }
  | {
      readonly type: 'turn';
      readonly start: number;
      readonly end: number;
      readonly words: readonly LiveWord[];
    }
  /** The machine is slower than the speech: `seconds` of it wait. 0: it has caught up. */
  | { readonly type: 'behind'; readonly seconds: number }
  /** Speech that gets no live text: too much of it waited, or the engine failed there. */
  | { readonly type: 'skipped'; readonly start: number; readonly end: number }
  /** The engine cannot go on; nothing follows. */
  | { readonly type: 'failed'; readonly error: unknown };

export type LiveRecognizerOptions = {
  readonly engine: Pick<WhisperEngine, 'transcribe' | 'detectLanguage' | 'speechProbabilities'>;
  readonly model: RecognizeOptions['model'];
  /** The path of the model that finds speech. */
  readonly speechModel: string;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** The options of files; those of closed regions are the same. */
  readonly recognition: Pick<
    RecognizeOptions,
    'language' | 'expected' | 'translate' | 'prompt' | 'vocabulary' | 'wordTimes'
  > & {
    readonly beamSize: () => number;
    readonly spelling?: Parameters<typeof applySpelling>[1];
    readonly chineseScript?: Parameters<typeof inOneScript>[2];
  };
  /** A silence this long ends a turn; seconds. */
  readonly pause: number;
  readonly signal: AbortSignal;
  readonly onEvent: (event: LiveEvent) => void;
};

/** What may change while somebody speaks. */
export type LiveConfiguration = {
  readonly pause?: number | undefined;
  readonly recognition?: Partial<LiveRecognizerOptions['recognition']> | undefined;
};

/** New audio that is worth another decoding, at least; seconds. */
const MIN_STEP = 0.8;
const MAX_STEP = 8;
/** After so much silence, what was said before is decoded without waiting for a whole step: nothing more of it comes. Seconds. */
const HESITATION = 0.2;
/** A step has at least this many times the audio that the decoding before took, so that others get their turn, too. */
const STEP_SHARE = 1.5;
/** New audio in which to look for speech; seconds. */
const LISTEN_STEP = 0.25;
/** Decoded audio that is longer than this begins anew behind a pause whose words are committed; seconds. */
const MAX_DECODED = 8;
const MIN_GAP = 0.1;
/** Nor is speech without a pause decoded at once that is longer than this: the window has 30 s. */
const MAX_REGION = 25;
/** Where such speech is cut, the words in its last part may be cut, too: they are decoded again. Seconds. */
const UNSURE_END = 1;
/** Less speech is only the end of what was recognized already; seconds. */
const MIN_SPEECH = 0.1;
/** Kept of silence, since the detector hears a voice late; seconds. */
const LEAD = 1;
/** Audio around a region that is decoded with it; `recognition` pads by as much. Seconds. */
const PADDING = 0.5;
/** Seconds of waiting audio from which on, and below which, the machine counts as too slow. */
const BEHIND = 10;
const CAUGHT_UP = 4;
/** More audio than this does not wait, seconds: the pass for files hears it. */
const MAX_WAITING = 300;
const MAX_CRASHES = 3;

type Region = {
  readonly start: number;
  readonly end: number;
  readonly speech: readonly Span[];
  /** How it ends: in the pause after a turn, in one within a turn that became too long, or in the middle of a word. */
  readonly ends: 'turn' | 'pause' | 'anywhere';
};

/** Silence between the spans of a region, in order. */
const gapsOf = (speech: readonly Span[]): Span[] =>
  speech.slice(1).map((span, index) => ({ start: speech[index]?.end ?? span.start, end: span.start }));

/**
 * Recognizes speech while it is spoken. A region opens where somebody speaks, and is decoded again and again as it grows; what two
 * decodings agree on is committed. A pause closes it: the rest is decoded once more as a file would be, and ends a turn.
 */
export class LiveRecognizer {
  #options: LiveRecognizerOptions;
  readonly #track: SpeechTrack;
  #agreement = new Agreement();
  /** Where the audio begins that is not settled yet. */
  #from = 0;
  /** The end of what was decoded last, and of the audio in which speech was looked for. */
  #decodedTo = 0;
  #heardTo = 0;
  #step = MIN_STEP;
  #turn: { readonly start: number; words: LiveWord[] } | undefined;
  #language: string | null = null;
  #isBehind = false;
  /** Audio up to here is not waited for: its region closes without a pause. */
  #flushTo = 0;
  #running: Promise<void> | undefined;

  constructor(options: LiveRecognizerOptions) {
    this.#options = options;
    const detect = speechDetector(options.engine, options.speechModel, options.signal);
    this.#track = new SpeechTrack(detect);
  }

  /** Seconds of audio that came in so far. */
  get end(): number {
    return this.#track.end;
  }

  /** Seconds of audio that still have to be recognized. */
  get waiting(): number {
    return this.#track.end - Math.max(this.#from, this.#decodedTo);
  }

  /** The language that was spoken last; null until one was found. */
  get language(): string | null {
    return this.#language;
  }

  /** Applies to what is decoded from now on. */
  configure({ pause = this.#options.pause, recognition }: LiveConfiguration): void {
    this.#options = {
      ...this.#options,
      pause,
      recognition: { ...this.#options.recognition, ...recognition },
    };
  }

  /** Mono, 16 kHz, within -1 to 1. */
  push(pcm: Float32Array): void {
    this.#track.push(pcm);
    if (this.#track.end - this.#heardTo < LISTEN_STEP || this.#running !== undefined) return;
    this.#run().catch((error: unknown) => this.#options.onEvent({ type: 'failed', error }));
  }

  /** Ends the turn here, and resolves once all audio until now is recognized. Rejects with what stopped the recognition. */
  async flush(): Promise<void> {
    this.#flushTo = this.#track.end;
    while (this.#from < this.#flushTo) await this.#run();
  }

  #run(): Promise<void> {
    this.#options.signal.throwIfAborted();
    this.#running ??= this.#steps().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #steps(): Promise<void> {
    do {
      this.#options.signal.throwIfAborted();
      this.#skipTooOld();
      // Audio that came meanwhile is heard without waiting for more.
    } while ((await this.#advance()) || this.#track.end - this.#heardTo >= LISTEN_STEP);
  }

  /** Does what can be done with the audio at hand. Returns whether there may be more to do. */
  async #advance(): Promise<boolean> {
    const isFlush = this.#flushTo > this.#from;
    const end = isFlush ? this.#flushTo : this.#track.end;
    this.#heardTo = this.#track.end;
    const speech = (await this.#track.speech())
      .map((span) => ({ start: Math.max(span.start, this.#from), end: Math.min(span.end, end) }))
      .filter((span) => span.end - span.start >= MIN_SPEECH);
    const [first] = speech;
    if (first === undefined) {
      this.#settle(isFlush ? end : Math.max(this.#from, end - LEAD), isFlush);
      return isFlush;
    }
    const region = this.#regionOf(speech, end, isFlush);
    if (this.#turn === undefined) {
      this.#turn = { start: first.start, words: [] };
      this.#options.onEvent({ type: 'speech', start: this.#turn.start });
    }
    if (region.end < Infinity) await this.#close(region);
    else if (this.#isDraftDue(region, end)) await this.#draft(region, end);
    else return false;
    this.#reportSpeed();
    return region.end < Infinity;
  }

  /** The first region of the unsettled audio up to `end`; its own end is infinite while it still grows. */
  #regionOf(speech: readonly Span[], end: number, isFlush: boolean): Region {
    const { pause } = this.#options;
    const gaps = gapsOf(speech);
    const split = gaps.findIndex((gap) => gap.end - gap.start >= pause);
    const own = split < 0 ? speech : speech.slice(0, split + 1);
    const last = own.at(-1)?.end ?? end;
    const start = Math.max(this.#from, (own[0]?.start ?? end) - PADDING);
    if (last - start > MAX_REGION) return this.#cutRegion(own, start);
    if (split < 0 && isFlush) return { start, end, speech: own, ends: 'turn' };
    if (split < 0 && end - last < pause) return { start, end: Infinity, speech: own, ends: 'turn' };
    const next = gaps[split]?.end ?? end;
    // Half of the pause belongs to what follows.
    return {
      start,
      end: Math.min(next, Math.max(last + PADDING, (last + next) / 2)),
      speech: own,
      ends: 'turn',
    };
  }

  /** Ends a region that is too long for one window: in its last pause, if it has one. */
  #cutRegion(speech: readonly Span[], start: number): Region {
    const latest = start + MAX_REGION;
    const pause = gapsOf(speech).findLast((gap) => gap.end <= latest && gap.start > start + MAX_REGION / 3);
    const end = pause === undefined ? latest : (pause.start + pause.end) / 2;
    const own = speech
      .filter((span) => span.start < end)
      .map((span) => ({ start: span.start, end: Math.min(span.end, end) }));
    return { start, end, speech: own, ends: pause === undefined ? 'anywhere' : 'pause' };
  }

  #isDraftDue({ speech }: Region, now: number): boolean {
    const last = speech.at(-1)?.end ?? 0;
    // Silence behind what was decoded has no words.
    if (last <= this.#decodedTo) return false;
    return now - last >= HESITATION || now - Math.max(this.#from, this.#decodedTo) >= this.#step;
  }

  async #draft(region: Region, now: number): Promise<void> {
    const { clock, onEvent } = this.#options;
    const startedAt = clock.monotonic();
    const words = await this.#recognize({ ...region, end: now }, true);
    const seconds = (clock.monotonic() - startedAt) / 1000;
    this.#step = clamp(STEP_SHARE * seconds, MIN_STEP, MAX_STEP);
    this.#decodedTo = now;
    // The engine failed; when the region closes, it gets another chance.
    if (words === undefined) return;
    this.#commit(this.#agreement.insert(words));
    onEvent({ type: 'tentative', words: this.#agreement.tentative });
    this.#shorten(region.speech, now);
  }

  /** Begins the decoded audio anew behind the last pause before which all words are committed. */
  #shorten(speech: readonly Span[], now: number): void {
    if (now - Math.max(this.#from, speech[0]?.start ?? now) <= MAX_DECODED) return;
    const [next = { start: now }] = this.#agreement.tentative;
    const { end } = this.#agreement;
    const gap = gapsOf(speech).findLast(
      (each) =>
        each.end - each.start >= MIN_GAP &&
        each.start <= end + MIN_GAP &&
        each.end >= end &&
        each.end <= next.start + MIN_GAP,
    );
    if (gap !== undefined && gap.start > this.#from) this.#settle((gap.start + gap.end) / 2, false);
  }

  async #close(region: Region): Promise<void> {
    const { onEvent } = this.#options;
    const words = await this.#recognize(region, false);
    const last = words ?? this.#agreement.tentative;
    if (words === undefined) onEvent({ type: 'skipped', start: region.start, end: region.end });
    const hadTentative = this.#agreement.tentative.length > 0;
    const isCut = region.ends === 'anywhere';
    const sure = isCut ? last.filter(({ end }) => end <= region.end - UNSURE_END) : last;
    this.#commit(this.#agreement.close(sure));
    if (hadTentative) onEvent({ type: 'tentative', words: [] });
    const next = last[sure.length]?.start ?? region.end;
    this.#settle(
      isCut && sure.length > 0 ? (this.#agreement.end + next) / 2 : region.end,
      region.ends === 'turn',
    );
  }

  #commit(words: readonly LiveWord[]): void {
    if (words.length === 0) return;
    this.#turn?.words.push(...words);
    this.#options.onEvent({ type: 'committed', words });
  }

  /** The audio before `time` is done; with `isTurnEnd`, so is what was being said. */
  #settle(time: number, isTurnEnd: boolean): void {
    this.#from = Math.max(this.#from, time);
    this.#agreement.forgetBefore(this.#from);
    this.#track.forgetBefore(this.#from - LEAD);
    const turn = this.#turn;
    if (!isTurnEnd || turn === undefined) return;
    this.#turn = undefined;
    const { words } = turn;
    if (words.length > 0) {
      const end = words.at(-1)?.end ?? turn.start;
      this.#options.onEvent({ type: 'turn', start: words[0]?.start ?? turn.start, end, words });
    }
  }

  /** The words of a region; undefined if the engine crashes over it again and again. */
  async #recognize(
    { start, end, speech }: Pick<Region, 'start' | 'end' | 'speech'>,
    isDraft: boolean,
  ): Promise<LiveWord[] | undefined> {
    const { engine, model, signal, recognition } = this.#options;
    const { beamSize, spelling, chineseScript, ...options } = recognition;
    const chunk = { start, end, speech, pcm: this.#track.cut(start, end) };
    for (let crashes = 0; crashes < MAX_CRASHES; ) {
      try {
        const found = await recognizeChunk(chunk, {
          ...options,
          engine,
          model,
          signal,
          crashes,
          isDraft,
          beamSize: isDraft ? 1 : beamSize(),
          previous: async () => this.#language,
        });
        if (!isDraft && found.segments.length > 0) this.#language = found.language;
        const corrected = applyVocabulary(found.segments, options.vocabulary);
        const spelled = applySpelling(corrected.segments, spelling);
        const numbered = spelled.map((segment, id) => ({ ...segment, id }));
        const written = options.translate
          ? numbered
          : await inOneScript(numbered, found.language, chineseScript);
        return written.flatMap(({ words, language }) => words.map((word) => ({ ...word, language })));
      } catch (error) {
        crashes++;
        if (!isAppError(error) || error.code !== 'engine_crashed') throw error;
      }
    }
    return undefined;
  }

  #reportSpeed(): void {
    const { waiting } = this;
    if (this.#isBehind ? waiting > CAUGHT_UP : waiting <= BEHIND) return;
    this.#isBehind = !this.#isBehind;
    this.#options.onEvent({ type: 'behind', seconds: this.#isBehind ? waiting : 0 });
  }

  #skipTooOld(): void {
    const end = this.#track.end - MAX_WAITING / 2;
    if (this.#track.end - this.#from <= MAX_WAITING) return;
    this.#options.onEvent({ type: 'skipped', start: this.#from, end });
    this.#settle(end, true);
  }
}
