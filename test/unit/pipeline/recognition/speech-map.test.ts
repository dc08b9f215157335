import { describe, expect, it } from 'vitest';
import { SAMPLE_RATE } from '../../../../electron/core/base/audio.ts';
import {
  audible,
  joinSpans,
  levelled,
  speechSpans,
  without,
} from '../../../../electron/core/pipeline/recognition/speech-map.ts';

const FRAME = 512 / SAMPLE_RATE;

/** Probabilities of so many frames each. */
const frames = (...stretches: readonly (readonly [probability: number, count: number])[]): Float32Array =>
  Float32Array.from(stretches.flatMap(([probability, count]) => Array(count).fill(probability)));

const spansOf = (probabilities: Float32Array) =>
  speechSpans(probabilities, probabilities.length * FRAME).map(({ start, end }) => [
    Math.round(start / FRAME),
    Math.round(end / FRAME),
  ]);

describe('speechSpans', () => {
  it('begin where speech is likely and end where it is not, with a margin', () => {
    expect(spansOf(frames([0, 50], [0.9, 20], [0.4, 10], [0.1, 50]))).toEqual([[47, 83]]);
    // Nothing goes on that never began.
    expect(spansOf(frames([0, 50], [0.4, 50]))).toEqual([]);
  });

  it('are never only a doubtful frame or two, as music gives them', () => {
    expect(spansOf(frames([0, 50], [0.6, 3], [0, 50]))).toEqual([]);
    expect(spansOf(frames([0, 50], [0.6, 3], [0.95, 1], [0, 50]))).toEqual([[47, 57]]);
  });

  it('join over a stop consonant, not over a pause', () => {
    expect(spansOf(frames([0, 20], [1, 20], [0, 5], [1, 20], [0, 20]))).toEqual([[17, 68]]);
    expect(spansOf(frames([0, 20], [1, 20], [0, 10], [1, 20], [0, 20]))).toHaveLength(2);
  });

  it('stay inside the audio', () => {
    expect(spansOf(frames([1, 30]))).toEqual([[0, 30]]);
    expect(spansOf(new Float32Array())).toEqual([]);
  });
});

describe('spans', () => {
  it('join, and leave gaps', () => {
    const spans = [
      { start: 1, end: 2 },
      { start: 2.2, end: 3 },
      { start: 5, end: 6 },
    ];
    expect(joinSpans(spans, 0.5)).toEqual([
      { start: 1, end: 3 },
      { start: 5, end: 6 },
    ]);
    expect(without({ start: 0, end: 5.5 }, spans)).toEqual([
      { start: 0, end: 1 },
      { start: 2, end: 2.2 },
      { start: 3, end: 5 },
    ]);
    expect(without({ start: 1.2, end: 1.8 }, spans)).toEqual([]);
    expect(without({ start: 1, end: 2 }, [])).toEqual([{ start: 1, end: 2 }]);
  });
});

const sine = (seconds: number, amplitude: number): Float32Array =>
  Float32Array.from({ length: seconds * SAMPLE_RATE }, (_, i) => amplitude * Math.sin(i / 5));
const loudest = (pcm: Float32Array, from: number, to: number): number =>
  pcm.subarray(from * SAMPLE_RATE, to * SAMPLE_RATE).reduce((max, sample) => Math.max(max, sample), 0);

describe('quiet audio', () => {
  it('is raised, by no more than 40 dB; loud audio stays as it is, in the same memory', () => {
    const loud = sine(4, 0.3);
    expect(audible(loud)).toBe(loud);
    expect(levelled(loud, [{ start: 0, end: 4 }])).toBe(loud);
    expect(loudest(audible(sine(4, 0.001)), 1, 3)).toBeCloseTo(0.045, 2);
    expect(loudest(audible(sine(4, 0.00001)), 1, 3)).toBeCloseTo(0.001, 4);
    expect(audible(new Float32Array(1000)).every((sample) => sample === 0)).toBe(true);
  });

  it('is raised span by span, so that a second voice is as loud as the first', () => {
    const pcm = new Float32Array([...sine(3, 0.3), ...new Float32Array(SAMPLE_RATE), ...sine(3, 0.001)]);
    const raised = levelled(pcm, [
      { start: 0, end: 3 },
      { start: 4, end: 7 },
    ]);
    expect(loudest(raised, 0, 2.9)).toBeCloseTo(0.3, 3);
    expect(loudest(raised, 4.1, 7)).toBeCloseTo(0.045, 2);
  });
});
