import { ENTITY_TYPES, type Entity, type EntityType, type PiiPolicy } from '../../contract/analysis.ts';
import type { Token } from './tokens.ts';

/**
 * What a detector found: `from` inclusive to `to` exclusive, in UTF-16 units. `entity` is null for spans that are
 * redacted but not reported. Of overlapping spans the one with the higher score wins, then the longer.
 */
export type DetectedSpan = {
  policy: PiiPolicy;
  entity: EntityType | null;
  from: number;
  to: number;
  score: number;
};

const ENTITY_OF: Partial<Record<PiiPolicy, EntityType>> = {
  person_name: 'person',
  phone_number: 'phone_number',
  email_address: 'email',
  url: 'url',
  ip_address: 'ip_address',
  credit_card_number: 'credit_card',
  us_social_security_number: 'ssn',
  bank_account: 'bank_account',
  iban: 'bank_account',
  date: 'date',
  location: 'location',
  organization: 'organization',
  event: 'event',
  product: 'product',
};

/** A span to report as the entity of its policy, and to redact. */
export const entitySpan = (policy: PiiPolicy, from: number, to: number, score: number): DetectedSpan => ({
  policy,
  entity: ENTITY_OF[policy] ?? null,
  from,
  to,
  score,
});

/** A span to redact but not to report, on evidence too weak to assert an entity. */
export const hiddenSpan = (policy: PiiPolicy, from: number, to: number, score: number): DetectedSpan => ({
  policy,
  entity: null,
  from,
  to,
  score,
});

type Range = { readonly from: number; readonly to: number };

/** What is left of a span beside ranges, which are in order and apart; the span itself where none overlaps it. */
export const cutOut = <Span extends Range>(span: Span, ranges: readonly Range[]): Span[] => {
  const inside = ranges.filter(({ from, to }) => from < span.to && span.from < to);
  if (inside.length === 0) return [span];
  const froms = [span.from, ...inside.map(({ to }) => to)];
  const tos = [...inside.map(({ from }) => from), span.to];
  return froms.flatMap((from, index) => {
    const to = tos[index] ?? span.to;
    return from < to ? [{ ...span, from, to }] : [];
  });
};

/** Cuts redaction tokens and masks out of spans. What remains of a span is hidden but not reported. */
export const excludeRedacted = (spans: readonly DetectedSpan[], tokens: readonly Token[]): DetectedSpan[] => {
  const redacted = tokens.filter((token) => token.isBlocked);
  return spans.flatMap((span) =>
    cutOut(span, redacted).map((part) => (part === span ? span : { ...part, entity: null })),
  );
};

/** The spans of the highest scores that do not overlap, in text order. */
export const resolveOverlaps = (spans: readonly DetectedSpan[]): DetectedSpan[] => {
  const ranked = [...spans].sort(
    (a, b) => b.score - a.score || b.to - b.from - (a.to - a.from) || a.from - b.from,
  );
  const taken = new DisjointSpans();
  return ranked
    .filter((candidate) => taken.add(candidate.from, candidate.to))
    .sort((a, b) => a.from - b.from);
};

/** A set of disjoint spans, in buckets of 256 characters, so that adding takes constant time on long texts. */
export class DisjointSpans {
  readonly #buckets = new Map<number, { from: number; to: number }[]>();

  /** Adds a span and returns true, unless it is empty or overlaps another. */
  add(from: number, to: number): boolean {
    if (to <= from || this.overlaps(from, to)) return false;
    for (let bucket = from >> 8; bucket <= (to - 1) >> 8; bucket++) {
      const bucketSpans = this.#buckets.get(bucket) ?? [];
      bucketSpans.push({ from, to });
      this.#buckets.set(bucket, bucketSpans);
    }
    return true;
  }

  overlaps(from: number, to: number): boolean {
    for (let bucket = from >> 8; bucket <= (to - 1) >> 8; bucket++) {
      if (this.#buckets.get(bucket)?.some((span) => span.from < to && from < span.to)) return true;
    }
    return false;
  }
}

/** The entities of the given types, or of all, in text order. Overlaps are resolved before types are selected. */
export const toEntities = (
  text: string,
  spans: readonly DetectedSpan[],
  types?: readonly EntityType[],
): Entity[] => {
  const wanted = new Set<EntityType>(types && types.length > 0 ? types : ENTITY_TYPES);
  return resolveOverlaps(spans.filter((span) => span.entity !== null)).flatMap((span) =>
    span.entity && wanted.has(span.entity)
      ? [
          {
            type: span.entity,
            text: text.slice(span.from, span.to),
            startIndex: span.from,
            endIndex: span.to,
          },
        ]
      : [],
  );
};
