import type { Model } from '../contract/system.ts';

type Copy = NonNullable<Model['quantized']>;

/** A type whose multiplication takes longer than that of f16: see “Copies in 8 bits” in docs/performance.md. */
const SLOW_WEIGHTS = 'q5_1';

const times = ({ copy_seconds, published_seconds }: Copy): string =>
  `${(copy_seconds ?? 0).toFixed(1)} s instead of ${(published_seconds ?? 0).toFixed(1)} s`;

const copyFact = (copy: Copy): string => {
  const because = copy.detail === null ? '' : `: ${copy.detail}`;
  const facts: Record<Copy['outcome'], string> = {
    pending: 'an 8-bit copy is not tried yet',
    faster: `runs as an 8-bit copy, ${times(copy)}`,
    slower: `runs as published, an 8-bit copy is not 15 % faster: ${times(copy)}`,
    different: `runs as published, an 8-bit copy hears other words${because}`,
    crashed: `runs as published, an 8-bit copy ends the process${because}`,
    timeout: 'runs as published, an 8-bit copy gave no answer in time',
    failed: `runs as published, no 8-bit copy${because}`,
  };
  return facts[copy.outcome];
};

/** Which file of an installed model is used, and why; undefined where there is nothing to say. */
export const fileFact = ({
  quantized,
  weights,
}: Pick<Model, 'quantized' | 'weights'>): string | undefined => {
  if (quantized !== null) return copyFact(quantized);
  return weights === SLOW_WEIGHTS ? `${weights} is slower than f16 or q8_0` : undefined;
};
