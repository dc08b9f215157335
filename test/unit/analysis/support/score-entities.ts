import { detectEntities } from '../../../../electron/core/analysis/detect.ts';
import { toEntities } from '../../../../electron/core/analysis/spans.ts';
import type { Marked, Score } from './corpus.ts';

export type Miss = {
  kind: 'missed' | 'wrong';
  type: string;
  text: string;
  sentence: string;
};

/** Strict scores by type (same type, same offsets) and each difference. */
export const scoreEntities = async (
  lines: readonly Marked[],
  language = 'en',
): Promise<{ scores: Map<string, Score>; misses: Miss[] }> => {
  const scores = new Map<string, Score>();
  const misses: Miss[] = [];
  const of = (type: string): Score => {
    const score = scores.get(type) ?? { truth: 0, found: 0, right: 0 };
    scores.set(type, score);
    return score;
  };
  for (const line of lines) {
    const entities = toEntities(line.text, detectEntities(line.text, language));
    const keys = new Set(entities.map((entity) => `${entity.type} ${entity.startIndex} ${entity.endIndex}`));
    const truth = new Set(line.marks.map((mark) => `${mark.type} ${mark.from} ${mark.to}`));
    for (const mark of line.marks) {
      of(mark.type).truth += 1;
      if (keys.has(`${mark.type} ${mark.from} ${mark.to}`)) of(mark.type).right += 1;
      else misses.push({ kind: 'missed', type: mark.type, text: mark.text, sentence: line.text });
    }
    for (const entity of entities) {
      of(entity.type).found += 1;
      if (!truth.has(`${entity.type} ${entity.startIndex} ${entity.endIndex}`)) {
        misses.push({ kind: 'wrong', type: entity.type, text: entity.text, sentence: line.text });
      }
    }
  }
  return { scores, misses };
};
