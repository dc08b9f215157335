/** Letters that sound alike, to one symbol each; upper case stands for sounds that are written with several letters. */
const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/[^\p{L}\p{N}]/gu, ''],
  [/^(?:kn|gn|pn)/u, 'n'],
  [/^wr/u, 'r'],
  [/^ps/u, 's'],
  [/^x/u, 's'],
  [/ngu(?=[aeiouy])/u, 'nw'],
  [/ough|augh/gu, 'o'],
  [/gh(?=t|$)/gu, ''],
  [/gh/gu, 'g'],
  [/ph/gu, 'f'],
  [/tsch|tch|cz|ch/gu, 'C'],
  [/sch|sh|sz/gu, 'S'],
  [/th/gu, 't'],
  [/ck|q(?=u)/gu, 'k'],
  [/qu/gu, 'kw'],
  [/ku(?=[aeio])/gu, 'kw'],
  [/dg|j/gu, 'J'],
  [/x/gu, 'ks'],
  [/c(?=[eiy])/gu, 's'],
  [/[cq]/gu, 'k'],
  [/z|ß/gu, 's'],
  [/(?<=[a-z])e$/u, ''],
  [/y/gu, 'i'],
  [/(.)\1+/gu, '$1'],
];

/** The sounds of a word or phrase, roughly: made for the Latin script; other scripts keep their letters. */
export const soundsOf = (text: string): string =>
  SPELLINGS.reduce(
    (sounds, [spelling, sound]) => sounds.replace(spelling, sound),
    text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase(),
  );

const VOWELS = 'aeiou';
/** Consonants that are easily taken for each other. */
const ALIKE = ['bp', 'dt', 'gk', 'vf', 'vw', 'mn', 'sS', 'CJ', 'SJ', 'CS', 'lr'];
const ALIKE_COST = 0.4;
const VOWEL_COST = 0.35;
/** Vowels and h come and go between words. */
const WEAK_COST = 0.45;

const isVowel = (sound: string): boolean => VOWELS.includes(sound);

const costOfChange = (a: string, b: string): number => {
  if (a === b) return 0;
  if (isVowel(a) && isVowel(b)) return VOWEL_COST;
  return ALIKE.some((pair) => pair.includes(a) && pair.includes(b)) ? ALIKE_COST : 1;
};

const costOfGap = (sound: string): number => (isVowel(sound) || sound === 'h' ? WEAK_COST : 1);

/** A weighted edit distance between two results of {@link soundsOf}, as a share of the longer one: 0 is the same sound. */
export const phoneticDistance = (a: string, b: string): number => {
  let row = [0];
  for (const sound of b) row.push((row.at(-1) ?? 0) + costOfGap(sound));
  for (const sound of a) {
    const next = [(row[0] ?? 0) + costOfGap(sound)];
    for (const [index, other] of [...b].entries()) {
      next.push(
        Math.min(
          (row[index] ?? 0) + costOfChange(sound, other),
          (row[index + 1] ?? 0) + costOfGap(sound),
          (next[index] ?? 0) + costOfGap(other),
        ),
      );
    }
    row = next;
  }
  return (row.at(-1) ?? 0) / Math.max(1, a.length, b.length);
};
