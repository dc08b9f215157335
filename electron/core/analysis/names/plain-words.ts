import lexicon from '../../../../resources/lexicons/plain-words.json' with { type: 'json' };

const PLAIN = new Set(Object.values(lexicon).flat());

/** Whether a word, in lower case, is so common in one of the languages that it is no name, place or secret by itself. */
export const isPlainWord = (word: string): boolean => PLAIN.has(word);
