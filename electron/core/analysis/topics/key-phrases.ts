import { type Token, tokenize } from '../tokens.ts';
import { stemOf, stopWords } from './stop-words.ts';

const MAX_PHRASES = 12;
const MAX_PHRASE_WORDS = 4;

type Candidate = {
  /** The most frequent spelling. */
  text: string;
  stems: string[];
  count: number;
  first: number;
};

/**
 * Key phrases by RAKE (Rose et al. 2010), most relevant first: candidates are runs of words between stop words and
 * punctuation, words score their degree over their frequency. Unlike RAKE, a phrase scores the mean of its words times
 * the logarithm of its frequency, so that rare long phrases do not outrank frequent short ones.
 */
export const findKeyPhrases = (text: string, language: string): string[] => {
  const candidates = collectCandidates(tokenize(text), stopWords(language));
  const frequency = new Map<string, number>();
  const degree = new Map<string, number>();
  for (const { stems, count } of candidates) {
    for (const stem of stems) {
      frequency.set(stem, (frequency.get(stem) ?? 0) + count);
      degree.set(stem, (degree.get(stem) ?? 0) + count * stems.length);
    }
  }
  const scored = candidates.map((candidate) => {
    const words = candidate.stems.map((stem) => {
      const often = frequency.get(stem) ?? 1;
      return ((degree.get(stem) ?? 1) / often) * Math.log2(1 + often);
    });
    const mean = words.reduce((sum, word) => sum + word, 0) / words.length;
    return {
      candidate,
      score: mean * Math.log2(1 + candidate.count) * (1 + Math.log2(candidate.stems.length) / 3),
    };
  });
  scored.sort((a, b) => b.score - a.score || a.candidate.first - b.candidate.first);
  return selectDistinct(scored.map((entry) => entry.candidate));
};

/** The best phrases, without those that repeat the words of a better one. */
const selectDistinct = (candidates: readonly Candidate[]): string[] => {
  const chosen: Candidate[] = [];
  for (const candidate of candidates) {
    if (chosen.length >= MAX_PHRASES) break;
    const isRepetition = chosen.some((better) => {
      const shared = candidate.stems.filter((stem) => better.stems.includes(stem)).length;
      return shared >= Math.min(candidate.stems.length, better.stems.length);
    });
    if (!isRepetition) chosen.push(candidate);
  }
  return chosen.map((candidate) => candidate.text);
};

const collectCandidates = (tokens: readonly Token[], stops: ReadonlySet<string>): Candidate[] => {
  const found = new Map<string, Candidate & { forms: Map<string, number> }>();
  let run: Token[] = [];
  for (const token of tokens) {
    const usable = isContent(token, stops);
    if (usable && token.lead === '') run.push(token);
    if (!usable || token.trail !== '' || token.lead !== '') {
      addCandidate(found, run);
      run = usable && token.lead !== '' ? [token] : [];
      if (token.trail !== '') {
        addCandidate(found, run);
        run = [];
      }
    }
  }
  addCandidate(found, run);
  return [...found.values()].map((candidate) => ({
    ...candidate,
    text: [...candidate.forms].sort((a, b) => b[1] - a[1])[0]?.[0] ?? candidate.text,
  }));
};

const isContent = (token: Token, stops: ReadonlySet<string>): boolean => {
  if (token.isBlocked || token.stem.length < 3 || stops.has(token.norm) || stops.has(token.stem))
    return false;
  return /^\p{L}[\p{L}\p{M}\d'’.-]*$/u.test(token.text);
};

const addCandidate = (
  found: Map<string, Candidate & { forms: Map<string, number> }>,
  run: readonly Token[],
): void => {
  if (run.length === 0) return;
  const words = run.slice(-MAX_PHRASE_WORDS);
  const stems = words.map((token) => stemOf(token.stem));
  const key = stems.join(' ');
  const text = words
    .map((token, index) =>
      index === words.length - 1 ? token.text.slice(0, token.stemTo - token.from) : token.text,
    )
    .join(' ');
  const candidate = found.get(key) ?? {
    text,
    stems,
    count: 0,
    first: words[0]?.index ?? 0,
    forms: new Map<string, number>(),
  };
  candidate.count += 1;
  candidate.forms.set(text, (candidate.forms.get(text) ?? 0) + 1);
  found.set(key, candidate);
};
