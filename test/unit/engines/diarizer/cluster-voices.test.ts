import { describe, expect, it } from 'vitest';
import { clusterVoices } from '../../../../electron/core/engines/diarizer/recording-diarizer.ts';

const voice = (embedding: number[], seconds = 60) => ({
  embedding: Float32Array.from(embedding),
  seconds,
});
const voices = [voice([1, 0]), voice([0, 1]), voice([0.1, 1]), voice([1, 0.1])];
const unknown = { speakers: null, minCosine: 0.8 };
const countOf = (labels: readonly number[]): number => new Set(labels).size;

describe('clusterVoices', () => {
  it('joins similar voices', () => {
    const [a, b, again, first] = clusterVoices(voices, unknown);
    expect([first, again]).toEqual([a, b]);
    expect(a).not.toBe(b);
  });

  it('keeps voices apart that are less similar than the threshold', () => {
    expect(countOf(clusterVoices([voice([1, 0]), voice([0.7, 0.7])], unknown))).toBe(2);
    expect(countOf(clusterVoices([voice([1, 0]), voice([0.7, 0.7])], { ...unknown, minCosine: 0.7 }))).toBe(
      1,
    );
  });

  it('finds as many speakers as were given, joining different or leaving similar ones apart', () => {
    expect(countOf(clusterVoices([...voices, voice([0.7, 0.7])], { ...unknown, speakers: 3 }))).toBe(3);
    expect(countOf(clusterVoices(voices, { ...unknown, speakers: 1 }))).toBe(1);
    expect(countOf(clusterVoices(voices, { ...unknown, speakers: 4 }))).toBe(4);
    expect(countOf(clusterVoices(voices, { ...unknown, speakers: 9 }))).toBe(4);
  });

  it('adds a stray stretch to the most similar speaker, also where a number is given', () => {
    const stray = voice([0.8, -1], 0.5);
    for (const options of [unknown, { ...unknown, speakers: 2 }]) {
      const [a, b, , , last] = clusterVoices([...voices, stray], options);
      expect(last).toBe(a);
      expect(a).not.toBe(b);
    }
    expect(countOf(clusterVoices([...voices, { ...stray, seconds: 20 }], unknown))).toBe(3);
  });

  it('counts short voices where there are no longer ones', () => {
    expect(
      countOf(clusterVoices([voice([1, 0], 0.3), voice([0, 1], 0.4)], { ...unknown, speakers: 2 })),
    ).toBe(2);
    expect(clusterVoices([], unknown)).toEqual([]);
  });
});
