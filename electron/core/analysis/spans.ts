import { ENTITY_TYPES, type Entity, type EntityType, type PiiPolicy } from '../../contract/analysis.ts';
import type { Token } from './tokens.ts';

/**
 * Something that a detector saw. Every finding has a policy; those of the interface's 13 types have an
 * entity type, too. `weight` decides between findings that overlap: the heavier, then the longer, wins.
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

/** A finding with the entity type that its policy implies. */
export const entitySpan = (policy: PiiPolicy, from: number, to: number, weight: number): DetectedSpan => ({
  policy,
  entity: ENTITY_OF[policy] ?? null,
  from,
  to,
  score: weight,
});

/** A finding that is redacted but is no entity: the evidence is good enough to hide, not to assert. */
export const hiddenSpan = (policy: PiiPolicy, from: number, to: number, weight: number): DetectedSpan => ({
  policy,
  entity: null,
  from,
  to,
  score: weight,
});

/** Findings without what they share with redacted spans; what remains of one is hidden, not asserted. */
export const excludeRedacted = (
  findings: readonly DetectedSpan[],
  redacted: readonly Token[],
): DetectedSpan[] =>
  findings.flatMap((one) => {
    const inside = redacted.filter((token) => token.from < one.to && one.from < token.to);
    if (inside.length === 0) return [one];
    const froms = [one.from, ...inside.map((token) => token.to)];
    const tos = [...inside.map((token) => token.from), one.to];
    return froms.flatMap((from, index) => {
      const to = tos[index] ?? one.to;
      return from < to ? [hiddenSpan(one.policy, from, to, one.score)] : [];
    });
  });

/** The best findings without overlaps, in the order of the text. */
export const resolveOverlaps = (findings: readonly DetectedSpan[]): DetectedSpan[] => {
  const ranked = [...findings].sort(
    (a, b) => b.score - a.score || b.to - b.from - (a.to - a.from) || a.from - b.from,
  );
  const taken = new DisjointSpans();
  return ranked
    .filter((candidate) => taken.add(candidate.from, candidate.to))
    .sort((a, b) => a.from - b.from);
};

/** Disjoint spans, bucketed so that adding stays cheap on long texts. */
export class DisjointSpans {
  readonly #buckets = new Map<number, { from: number; to: number }[]>();

  /** Adds a span, unless it is empty or touches one already there: then false. */
  add(from: number, to: number): boolean {
    if (to <= from || this.overlaps(from, to)) return false;
    for (let bucket = from >> 8; bucket <= (to - 1) >> 8; bucket++) {
      const own = this.#buckets.get(bucket) ?? [];
      own.push({ from, to });
      this.#buckets.set(bucket, own);
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

/** Entities from findings: overlaps resolved first, then the wanted types kept, in the order of the text. */
export const toEntities = (
  text: string,
  findings: readonly DetectedSpan[],
  types?: readonly EntityType[],
): Entity[] => {
  const wanted = new Set<EntityType>(types && types.length > 0 ? types : ENTITY_TYPES);
  return resolveOverlaps(findings.filter((finding) => finding.entity !== null)).flatMap((finding) =>
    finding.entity && wanted.has(finding.entity)
      ? [
          {
            type: finding.entity,
            text: text.slice(finding.from, finding.to),
            startIndex: finding.from,
            endIndex: finding.to,
          },
        ]
      : [],
  );
};
