import type { Entity, PiiPolicy, PiiSubstitution } from '../../../contract/analysis.ts';
import type { Breathe } from '../breath.ts';
import type { Finding } from '../findings.ts';
import { Tagger } from '../names/tagger.ts';
import type { AnalysisTranscript, RedactedWord } from '../types.ts';
import { type OffsetMap, rewrite } from './rewrite.ts';
import { detectPrivate, privateSpans } from './spans.ts';

/** Taking something out can bring other words together: detection runs again until it finds nothing more. */
const MAX_ROUNDS = 8;

export type RedactionOptions = {
  policies: readonly PiiPolicy[];
  substitution: PiiSubstitution;
  secret: string;
};

export type Redaction = {
  transcript: AnalysisTranscript;
  words: RedactedWord[];
  entities: Entity[];
};

/**
 * Redacts a transcript: text, segments, words and the entities' places. `findings` are those of the text as
 * it stands. Runs to a fixed point: detection on the result finds nothing of the policies any more, so
 * redacting twice changes nothing. Segment ids stay; segments may be left empty.
 */
export const redact = async (
  transcript: AnalysisTranscript,
  findings: readonly Finding[],
  entities: readonly Entity[],
  options: RedactionOptions,
  breathe: Breathe,
  tagger: Tagger = new Tagger(),
): Promise<Redaction> => {
  const { policies, substitution, secret } = options;
  const by = { method: substitution, secret, language: transcript.language };
  let current = transcript;
  let found = findings;
  let mapped: Entity[] = [...entities];
  const words: RedactedWord[] = [];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const spans = await privateSpans(current.text, found, policies, breathe);
    if (spans.length === 0) break;
    const next = await rewrite(current, spans, by, breathe);
    await breathe();
    words.push(...next.words);
    mapped = moveEntities(mapped, next.map, next.transcript.text);
    current = next.transcript;
    found = await detectPrivate(current.text, current.language, breathe, tagger);
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
