/** Recall of a reference's n-grams (ROUGE-N, Lin 2004), words in lower case. */
export const rouge = (candidate: string, reference: string, n: number): number => {
  const wanted = grams(reference, n);
  const given = grams(candidate, n);
  let shared = 0;
  let total = 0;
  for (const [gram, count] of wanted) {
    total += count;
    shared += Math.min(count, given.get(gram) ?? 0);
  }
  return total === 0 ? 1 : shared / total;
};

const grams = (text: string, n: number): Map<string, number> => {
  const words = text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
  const counts = new Map<string, number>();
  for (let at = 0; at + n <= words.length; at++) {
    const gram = words.slice(at, at + n).join(' ');
    counts.set(gram, (counts.get(gram) ?? 0) + 1);
  }
  return counts;
};
