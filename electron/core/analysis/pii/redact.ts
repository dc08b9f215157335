import type { Entity, PiiPolicy, PiiSubstitution } from '../../../contract/analysis.ts';
import type { YieldIfDue } from '../../base/event-loop.ts';
import { Tagger } from '../names/tagger.ts';
import type { DetectedSpan } from '../spans.ts';
import type { AnalysisTranscript, RedactedWord } from '../types.ts';
import { detectPrivateData, redactionSpans } from './redaction-spans.ts';
import { type OffsetMap, rewriteTranscript } from './rewrite.ts';

/** Taking something out can bring other words together: detection runs again until it finds nothing more. */
const MAX_ROUNDS = 8;

export type RedactionOptions = {
  policies: readonly PiiPolicy[];
  substitution: PiiSubstitution;
  secret: string;
};

export type RedactionResult = {
  transcript: AnalysisTranscript;
  words: RedactedWord[];
  entities: Entity[];
};

/**
 * Redacts a transcript: text, segments, words and the entities' places. `findings` are those of the text as
 * it stands. Runs to a fixed point: detection on the result finds nothing of the policies any more, so
 * redacting twice changes nothing. Segment ids stay; segments may be left empty.
 */
export const redactTranscript = async (
  transcript: AnalysisTranscript,
  findings: readonly DetectedSpan[],
  entities: readonly Entity[],
  options: RedactionOptions,
  yieldIfDue: YieldIfDue,
  tagger: Tagger = new Tagger(),
): Promise<RedactionResult> => {
  const { policies, substitution, secret } = options;
  const by = { method: substitution, secret, language: transcript.language };
  let current = transcript;
  let found = findings;
  let mapped: Entity[] = [...entities];
  const words: RedactedWord[] = [];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const spans = await redactionSpans(current.text, found, policies, yieldIfDue);
    if (spans.length === 0) break;
    const next = await rewriteTranscript(current, spans, by, yieldIfDue);
    await yieldIfDue();
    words.push(...next.words);
    mapped = moveEntities(mapped, next.map, next.transcript.text);
    current = next.transcript;
    found = await detectPrivateData(current.text, current.language, yieldIfDue, tagger);
  }
  return { transcript: current, words, entities: mapped };
};

/** Entities at their new places; one that lost all of its text is gone, two that became one are one. */
export const moveEntities = (entities: readonly Entity[], map: OffsetMap, text: string): Entity[] => {
  const moved: Entity[] = [];
  for (const entity of entities) {
    let from = Number.POSITIVE_INFINITY;
    let to = -1;
    for (let at = entity.startIndex; at < entity.endIndex; at++) {
      const start = map.starts[at] ?? -1;
      if (start < 0) continue;
      from = Math.min(from, start);
      to = Math.max(to, map.ends[at] ?? -1);
    }
    const previous = moved.at(-1);
    const own = text.slice(from, to);
    if (to <= from || !/[\p{L}\p{N}*]/u.test(own) || (previous && previous.endIndex > from)) continue;
    moved.push({ ...entity, text: own, startIndex: from, endIndex: to });
  }
  return moved;
};
