import { ENTITY_TYPES, type Entity, type EntityType } from '../../../contract/analysis.ts';
import type { Finding } from '../findings.ts';
import { withoutOverlaps } from '../findings.ts';

/** Entities from findings: overlaps resolved first, then the wanted types kept, in the order of the text. */
export const entitiesFrom = (
  text: string,
  findings: readonly Finding[],
  types?: readonly EntityType[],
): Entity[] => {
  const wanted = new Set<EntityType>(types && types.length > 0 ? types : ENTITY_TYPES);
  return withoutOverlaps(findings.filter((finding) => finding.entity !== null)).flatMap((finding) =>
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
