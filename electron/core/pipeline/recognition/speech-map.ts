import { SAMPLE_RATE } from '../../base/audio.ts';
import { AppError } from '../../base/errors.ts';
import { clamp } from '../../base/numbers.ts';
import type { Span } from '../../engines/ffmpeg/types.ts';

/** The share of `seconds` that segments cover, 0 to 1; where channels speak at once, it counts once. */
export const speechShare = (segments: readonly Span[], seconds: number): number => {
  let covered = 0;
  let reached = -Infinity;
  for (const { start, end } of segments.toSorted((a, b) => a.start - b.start)) {
    covered += Math.max(0, end - Math.max(start, reached));
    reached = Math.max(reached, end);
  }
  return seconds === 0 ? 0 : Math.min(1, covered / seconds);
};

/** Throws `too_little_speech` if less than `threshold` of a recording of `seconds` is speech. */
export const requireSpeech = (segments: readonly Span[], seconds: number, threshold = 0): void => {
  const share = speechShare(segments, seconds);
  if (share >= threshold) return;
  throw new AppError(
    'too_little_speech',
    `Words are heard in ${Math.floor(share * 100)} % of this recording, and the request asks for ${Math.floor(threshold * 100)} %.`,
  );
};

/** Samples of one probability of Silero VAD. */
export const FRAME_SAMPLES = 512;
const FRAME_SECONDS = FRAME_SAMPLES / SAMPLE_RATE;
/** Speech begins with a frame at least this probable, and goes on until frames stay below `STOP`: Silero's own hysteresis. */
const START = 0.5;
const STOP = 0.35;
/** Music, animals and machines reach 0.6 for a frame; a voice, however short, exceeds 0.9. */
const CERTAIN = 0.7;
/** A stretch below `STOP` that is shorter than this is a stop consonant or a breath. Seconds. */
const MIN_PAUSE = 0.2;
/** The detector hears a voice a little late, and misses its fading. Seconds. */
const MARGIN = 0.1;

/** Half of the time over which a recording's level is judged; frames. */
const LEVEL_FRAMES = Math.round(1.5 / FRAME_SECONDS);
/** The share of that time's frames that are quieter than its level: speech is not loud throughout. */
const LEVEL_SHARE = 0.9;
/** Speech below this is raised to it; decibels of full scale, and how much that may be. */
const TARGET_DB = -30;
const MAX_GAIN_DB = 40;

/** The spans, in seconds from the beginning of the audio, in which its frames' probabilities show speech. */
export const speechSpans = (probabilities: Float32Array, seconds: number): Span[] => {
  const spans: { start: number; end: number; certainty: number }[] = [];
  let isSpeech = false;
  for (const [frame, probability] of probabilities.entries()) {
    isSpeech = probability >= (isSpeech ? STOP : START);
    if (!isSpeech) continue;
    const start = frame * FRAME_SECONDS;
    const last = spans.at(-1);
    if (last === undefined || start - last.end >= MIN_PAUSE) {
      spans.push({ start, end: start + FRAME_SECONDS, certainty: probability });
    } else {
      last.end = start + FRAME_SECONDS;
      last.certainty = Math.max(last.certainty, probability);
    }
  }
  return joinSpans(
    spans
      .filter(({ certainty }) => certainty >= CERTAIN)
      .map(({ start, end }) => ({
        start: Math.max(0, start - MARGIN),
        end: Math.min(seconds, end + MARGIN),
      })),
    0,
  );
};

/** Joins spans, in order of time, that are at most `gap` seconds apart. */
export const joinSpans = (spans: readonly Span[], gap: number): Span[] => {
  const joined: Span[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (last === undefined || span.start - last.end > gap) joined.push(span);
    else joined[joined.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
  }
  return joined;
};

/** The parts of `span` that none of `spans`, in order of time, covers. */
export const without = (span: Span, spans: readonly Span[]): Span[] => {
  const rest: Span[] = [];
  let from = span.start;
  for (const { start, end } of spans) {
    if (start > from) rest.push({ start: from, end: Math.min(start, span.end) });
    from = Math.max(from, end);
    if (from >= span.end) break;
  }
  if (from < span.end) rest.push({ start: from, end: span.end });
  return rest.filter(({ start, end }) => end > start);
};

/** Seconds that two spans share. */
export const overlap = (a: Span, b: Span): number =>
  Math.max(0, Math.min(a.end, b.end) - Math.max(a.start, b.start));

/** The power of each frame of 32 ms; a last part of one is left out. */
const powersOf = (pcm: Float32Array): Float32Array =>
  Float32Array.from({ length: Math.floor(pcm.length / FRAME_SAMPLES) }, (_, frame) => {
    let sum = 0;
    const end = (frame + 1) * FRAME_SAMPLES;
    for (let i = frame * FRAME_SAMPLES; i < end; i++) sum += (pcm[i] ?? 0) ** 2;
    return sum / FRAME_SAMPLES;
  });

/** How much frames have to be raised to be as loud as speech usually is; decibels. */
const gainFor = (powers: Float32Array): number => {
  const level = powers.toSorted()[Math.floor((powers.length - 1) * LEVEL_SHARE)] ?? 0;
  return clamp(TARGET_DB - 10 * Math.log10(level + 1e-12), 0, MAX_GAIN_DB);
};

const amplify = (pcm: Float32Array, decibelsAt: (sample: number) => number): Float32Array =>
  pcm.map((sample, index) => clamp(sample * 10 ** (decibelsAt(index) / 20), -1, 1));

/** The same audio, its quiet parts as loud as the detector knows speech. If nothing is quiet, the samples as they are. */
export const audible = (pcm: Float32Array): Float32Array => {
  const powers = powersOf(pcm);
  const gains = powers.map((_, frame) =>
    gainFor(powers.subarray(Math.max(0, frame - LEVEL_FRAMES), frame + LEVEL_FRAMES + 1)),
  );
  if (gains.every((gain) => gain === 0)) return pcm;
  return amplify(pcm, (sample) => gains[Math.min(gains.length - 1, Math.floor(sample / FRAME_SAMPLES))] ?? 0);
};

/**
 * The same audio, each span of speech as loud as speech usually is: a second person far from the microphone may be 40 dB
 * quieter than the first, which a recognizer does not hear. Between two spans the gain changes evenly. `speech` in seconds
 * from its beginning. If nothing is quiet, the samples as they are.
 */
export const levelled = (pcm: Float32Array, speech: readonly Span[]): Float32Array => {
  const points = speech.flatMap(({ start, end }) => {
    const [from, to] = [Math.floor(start * SAMPLE_RATE), Math.ceil(end * SAMPLE_RATE)];
    const gain = gainFor(powersOf(pcm.subarray(from, to)));
    return [
      { at: from, gain },
      { at: to, gain },
    ];
  });
  if (points.every(({ gain }) => gain === 0)) return pcm;
  let next = 0;
  return amplify(pcm, (sample) => {
    while (next < points.length && (points[next]?.at ?? 0) <= sample) next++;
    const before = points[next - 1] ?? points[next];
    const after = points[next] ?? before;
    if (before === undefined || after === undefined) return 0;
    if (after.at === before.at) return before.gain;
    return before.gain + ((after.gain - before.gain) * (sample - before.at)) / (after.at - before.at);
  });
};
