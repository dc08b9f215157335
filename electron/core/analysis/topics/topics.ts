import taxonomy from '../../../../resources/topics/topics.json' with { type: 'json' };
import { Gazetteer } from '../names/gazetteer.ts';
import { type Token, tokenize } from '../tokens.ts';
import { stemOf } from './stop-words.ts';

const MAX_TOPICS = 10;
/** Least score of a topic, absolute and as a share of the best topic's. */
const MIN_SCORE = 3.5;
const MIN_SHARE = 0.3;

type TermUse = {
  topic: number;
  weight: number;
};

const TERM_USES = new Map<string, TermUse[]>();

const termKey = (term: string): string => term.toLowerCase().split(' ').map(stemOf).join(' ');
for (const [topic, { terms }] of taxonomy.topics.entries()) {
  for (const [term, weight] of Object.entries(terms)) {
    const key = termKey(term);
    const uses = TERM_USES.get(key) ?? [];
    uses.push({ topic, weight });
    TERM_USES.set(key, uses);
  }
}
const TERMS = new Gazetteer(TERM_USES.keys());

/** The topics of `resources/topics/topics.json`, in its order. */
export const TOPIC_NAMES: readonly string[] = taxonomy.topics.map((topic) => topic.name);

/**
 * At most ten topics of the taxonomy, most relevant first, by the topics' weighted vocabularies. A term scores
 * weight × (1 + ln occurrences) / √(topics that use it). A topic needs two different terms, or a strong one three times.
 * English only.
 */
export const findTopics = (text: string): string[] => {
  const counts = countTerms(tokenize(text));
  const scores = taxonomy.topics.map(() => ({ score: 0, terms: 0, strong: 0, most: 0 }));
  for (const [term, count] of counts) {
    const uses = TERM_USES.get(term) ?? [];
    for (const { topic, weight } of uses) {
      const entry = scores[topic];
      if (!entry) continue;
      entry.score += (weight * (1 + Math.log(count))) / Math.sqrt(uses.length);
      entry.terms += 1;
      if (weight >= 2) entry.strong += 1;
      entry.most = Math.max(entry.most, weight >= 3 ? count : 0);
    }
  }
  const best = Math.max(0, ...scores.map((entry) => entry.score));
  return scores
    .map((entry, topic) => ({ ...entry, name: TOPIC_NAMES[topic] ?? '' }))
    .filter((entry) => entry.score >= Math.max(MIN_SCORE, best * MIN_SHARE))
    .filter((entry) => (entry.terms >= 2 && entry.strong >= 1) || entry.most >= 3)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_TOPICS)
    .map((entry) => entry.name);
};

const countTerms = (tokens: readonly Token[]): Map<string, number> => {
  const stemmed = tokens.map((token) => ({ ...token, norm: stemOf(token.stem), stem: stemOf(token.stem) }));
  const counts = new Map<string, number>();
  for (let at = 0; at < stemmed.length; at++) {
    const match = TERMS.match(stemmed, at);
    if (!match) continue;
    counts.set(match.phrase, (counts.get(match.phrase) ?? 0) + 1);
    const first = stemmed[at]?.norm;
    if (match.last > at && first && TERM_USES.has(first)) counts.set(first, (counts.get(first) ?? 0) + 1);
    at = match.last;
  }
  return counts;
};
