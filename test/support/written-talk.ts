import type { StoredAnalysis } from '../../electron/core/stores/codecs.ts';
import type { StoredSegment } from '../../electron/core/stores/segments.ts';
import { storeTranscript } from './long-transcript.ts';

const SECONDS_A_WORD = 0.4;

/** A speaker and what they say, a segment each; words in `?…?` are recognized with low confidence. */
export type Turn = readonly [speaker: string, ...segments: string[]];

const segmentsOf = (turns: readonly Turn[]): StoredSegment[] => {
  let at = 0;
  const segments: StoredSegment[] = [];
  for (const [speaker, ...texts] of turns) {
    for (const text of texts) {
      const words = text.split(' ').map((marked) => {
        const start = at;
        at = Number((at + SECONDS_A_WORD).toFixed(3));
        const word = marked.replace(/^\?(.*)\?$/, '$1');
        return { word, start, end: at, confidence: word === marked ? 0.95 : 0.3, speaker_id: speaker };
      });
      segments.push({
        id: segments.length,
        text: words.map(({ word }) => word).join(' '),
        start: words[0]?.start ?? at,
        end: at,
        speaker_id: speaker,
        words,
      });
    }
  }
  return segments;
};

/** Stores a written talk, with its speakers but no audio, in a data folder that no server has open; returns its id. */
export const storeTalk = (
  dataDir: string,
  name: string,
  turns: readonly Turn[],
  found: Partial<StoredAnalysis> = {},
): string => {
  const segments = segmentsOf(turns);
  const labels = [...new Set(turns.map(([speaker]) => speaker))];
  const seconds = (label: string) =>
    segments.reduce((sum, { speaker_id, start, end }) => sum + (speaker_id === label ? end - start : 0), 0);
  const total = segments.at(-1)?.end ?? 1;
  const speakers = Object.fromEntries(
    labels.map((label) => [
      label,
      { name: `Speaker ${label}`, talk_seconds: seconds(label), share: seconds(label) / total },
    ]),
  );
  return storeTranscript(
    dataDir,
    segments,
    { timestamp_style: 'word', name },
    { analysis: { speakers, ...found } },
  );
};
