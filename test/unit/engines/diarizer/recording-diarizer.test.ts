import { describe, expect, it } from 'vitest';
import { concatSamples, SAMPLE_RATE } from '../../../../electron/core/base/audio.ts';
import {
  RecordingDiarizer,
  type SpeakerEngine,
} from '../../../../electron/core/engines/diarizer/recording-diarizer.ts';
import type { SpeakerTurn } from '../../../../electron/core/engines/diarizer/tasks.ts';

const SECOND = 100;
/** Voices 1 and 2 are bits of a sample's value; both together say 3. */
const VOICES = [1, 2];

/** Seconds of a voice; 0 is silence. */
const sound = (...parts: readonly (readonly [voice: number, seconds: number])[]): Float32Array =>
  concatSamples(parts.map(([voice, seconds]) => new Float32Array(seconds * SAMPLE_RATE).fill(voice)));

const speaks = (sample: number | undefined, voice: number): boolean => ((sample ?? 0) & voice) !== 0;

/** Hears the voices exactly; which number one gets changes from window to window, as with the real model. */
const exactEngine = () => {
  let windows = 0;
  let embedded = 0;
  let longest = 0;
  const engine: SpeakerEngine = {
    windowFrames: 10 * SECOND,
    turnsIn: (window) => {
      windows += 1;
      longest = Math.max(longest, window.length);
      return VOICES.flatMap((voice) => {
        const turns: SpeakerTurn[] = [];
        const speaker = (voice + windows) % 2;
        for (let at = 0; at < window.length; at += 160) {
          if (!speaks(window[at], voice)) continue;
          const [start, last] = [at / SAMPLE_RATE, turns.at(-1)];
          if (last !== undefined && Math.abs(last.end - start) < 1e-6)
            turns[turns.length - 1] = { ...last, end: start + 0.01 };
          else turns.push({ start, end: start + 0.01, speaker });
        }
        return turns;
      });
    },
    embed: (parts) => {
      const all = concatSamples(parts);
      embedded += all.length / SAMPLE_RATE;
      return Float32Array.from(VOICES, (voice) => all.filter((sample) => speaks(sample, voice)).length);
    },
  };
  return { engine, count: () => ({ windows, embedded, longest: longest / SAMPLE_RATE }) };
};

const thresholds = { clusteringThreshold: 0.45, sameSpeakerCosine: 0.6 };

const diarize = (pcm: Float32Array, speakers: number | null = null, chunkSeconds = 7) => {
  const { engine, count } = exactEngine();
  const diarizer = new RecordingDiarizer(engine, thresholds);
  const chunk = chunkSeconds * SAMPLE_RATE;
  for (let at = 0; at < pcm.length; at += chunk) diarizer.add(pcm.slice(at, at + chunk));
  const { turns, embeddings } = diarizer.finish(speakers);
  const rounded = turns.map(({ start, end, speaker }) => [
    Math.round(start * 100) / 100,
    Math.round(end * 100) / 100,
    speaker,
  ]);
  return { turns: rounded, embeddings, ...count() };
};

describe('RecordingDiarizer', () => {
  it('follows speakers from window to window, whatever number each window gives them', () => {
    const { turns } = diarize(sound([1, 4], [0, 1], [2, 6], [0, 2], [1, 9], [0, 1], [2, 3]));
    const [[, , first] = [], [, , second] = []] = turns;
    expect(first).not.toBe(second);
    expect(turns).toEqual([
      [0, 4, first],
      [5, 11, second],
      [13, 22, first],
      [23, 26, second],
    ]);
  });

  it('embeds every second of speech at most once, and silence never', () => {
    const { embedded, windows, longest } = diarize(sound([1, 30], [0, 20], [2, 10]));
    expect(embedded).toBeCloseTo(40, 1);
    expect(windows).toBe(11);
    expect(longest).toBeLessThanOrEqual(10);
  });

  it('gives the same whatever the length of the chunks', () => {
    const pcm = sound([1, 14], [2, 11], [1, 4]);
    expect(diarize(pcm, null, 60).turns).toEqual(diarize(pcm, null, 3).turns);
  });

  it('reports speech of two at once as a turn of each, and recognizes voices by what is said alone', () => {
    const { turns, embedded } = diarize(sound([1, 4], [3, 1], [2, 3]));
    expect(turns.map(([start, end]) => [start, end])).toEqual([
      [0, 5],
      [4, 8],
    ]);
    expect(embedded).toBeCloseTo(7, 1);
  });

  it('adds speech that is too short for a voice to the nearest turn', () => {
    const { turns } = diarize(sound([1, 3], [0, 2.3], [2, 0.2], [0, 0.6], [2, 3]));
    expect(turns.map(([start]) => start)).toEqual([0, 5.3, 6.1]);
    expect(turns[1]?.[2]).toBe(turns[2]?.[2]);
  });

  it('bridges short pauses of a speaker', () => {
    expect(diarize(sound([1, 3], [0, 0.4], [1, 2])).turns).toEqual([[0, 5.4, 0]]);
  });

  it('clusters recordings that are shorter than a window', () => {
    expect(diarize(sound([1, 2], [2, 2], [1, 2])).embeddings).toHaveLength(2);
  });

  it('finds a single speaker where one is given', () => {
    const { turns, embeddings } = diarize(sound([1, 5], [2, 5]), 1);
    expect(turns).toEqual([[0, 10, 0]]);
    expect(embeddings).toHaveLength(1);
  });

  it('knows speakers again after half an hour', () => {
    const { turns, embeddings } = diarize(sound([1, 60], [2, 60], [0, 1790], [2, 20], [1, 20]), null, 60);
    const [[, , a] = [], [, , b] = []] = turns;
    expect(turns.map(([, , speaker]) => speaker)).toEqual([a, b, b, a]);
    expect(embeddings).toHaveLength(2);
  });

  it('finds nobody in silence, and in nothing', () => {
    expect(diarize(sound([0, 30])).turns).toEqual([]);
    expect(diarize(new Float32Array())).toMatchObject({ turns: [], embeddings: [] });
  });
});
