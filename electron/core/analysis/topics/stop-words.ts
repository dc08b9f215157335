import lexicon from '../../../../resources/lexicons/stop-words.json' with { type: 'json' };

/** Words without a topic of their own: function words, fillers and small talk. */
const BY_LANGUAGE = new Map<string, ReadonlySet<string>>(
  Object.entries(lexicon).map(([language, words]) => [language, new Set(words)]),
);
const ALL: ReadonlySet<string> = new Set(Object.values(lexicon).flat());

/** The stop words of a language; those of all four for any other. */
export const stopWords = (language: string): ReadonlySet<string> =>
  BY_LANGUAGE.get(language.slice(0, 2)) ?? ALL;

/** Removes plural endings, after the S stemmer (Harman 1991). */
export const stemOf = (word: string): string => {
  if (word.length > 4 && /[^ae]ies$/u.test(word)) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && /(?:sh|ch|ss|x|z)es$/u.test(word)) return word.slice(0, -2);
  if (word.length > 3 && /[^aeus]s$|[aeo]s$/u.test(word) && !/ss$/u.test(word)) return word.slice(0, -1);
  return word;
};
