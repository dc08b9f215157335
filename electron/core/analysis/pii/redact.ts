import type { Entity, PiiPolicy, PiiSubstitution } from '../../../contract/analysis.ts';
import { Tagger } from '../names/tagger.ts';
import type { DetectedSpan } from '../spans.ts';
import type { AnalysisTranscript, RedactedWord } from '../types.ts';
import { withoutDecided } from './decisions.ts';
import { detectPrivateData, redactionSpans, widenSpans } from './redaction-spans.ts';
import { type OffsetMap, rewriteTranscript } from './rewrite.ts';

/**
 * Redaction can join other words to private data, so detection repeats. Text that still changes after these rounds loses the
 * words around each value, too, twice as many in each round: so the number of rounds stays small for any text.
 */
const EXACT_ROUNDS = 12;
/** What a person decided to leave in the text. */
const SHOWN = [false];

export type RedactionOptions = {
  policies: readonly PiiPolicy[];
  substitution: PiiSubstitution;
  secret: string;
};

export type RedactionResult = {
  transcript: AnalysisTranscript;
  words: RedactedWord[];
  entities: Entity[];
  /** The policy of each redacted value. */
  hidden: PiiPolicy[];
};

/**
 * Redacts text, segments and words, and moves entities. `spans` are those detected in the given text. Repeats until
 * detection finds nothing, so that redacting twice changes nothing. Segment ids stay; segments may become empty.
 */
export const redactTranscript = (
  transcript: AnalysisTranscript,
  spans: readonly DetectedSpan[],
  entities: readonly Entity[],
  options: RedactionOptions,
  tagger: Tagger = new Tagger(),
): RedactionResult => {
  const { policies, substitution, secret } = options;
  const operator = { method: substitution, secret, language: transcript.language };
  let current = transcript;
  let detected = spans;
  let mapped: Entity[] = [...entities];
  const words: RedactedWord[] = [];
  const hidden: PiiPolicy[] = [];
  for (let round = 0; ; round++) {
    const spansNow = redactionSpans(current.text, detected, policies);
    const exact = withoutDecided(spansNow, current, SHOWN);
    if (exact.length === 0) break;
    const toRedact =
      round < EXACT_ROUNDS
        ? exact
        : withoutDecided(widenSpans(current.text, exact, 2 ** (round - EXACT_ROUNDS + 1)), current, SHOWN);
    const next = rewriteTranscript(current, toRedact, operator);
    words.push(...next.words);
    hidden.push(...exact.map(({ policy }) => policy));
    mapped = moveEntities(mapped, next.map, next.transcript.text);
    current = next.transcript;
    detected = detectPrivateData(current.text, current.language, tagger);
  }
  return { transcript: current, words, entities: mapped, hidden };
};

/** Moves entities to their new offsets. Drops those without text, and those that overlap the one before. */
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
    const movedText = text.slice(from, to);
    if (to <= from || !/[\p{L}\p{N}*]/u.test(movedText) || (previous && previous.endIndex > from)) continue;
    moved.push({ ...entity, text: movedText, startIndex: from, endIndex: to });
  }
  return moved;
};
