import type { Summary, SummaryType } from '../../../contract/analysis.ts';
import { roundMs } from '../../base/numbers.ts';
import { CONTINUOUS_SCRIPTS } from '../../base/text.ts';
import type { LocatedSentence } from '../sentences.ts';
import { tokenize } from '../tokens.ts';
import { stemOf, stopWords } from '../topics/stop-words.ts';
import { cleanSentence } from './clean-sentence.ts';
import { type Bullet, formatSummary } from './format.ts';
import { dotProduct, similarityGraph, textRank, toVectors, type Vector } from './textrank.ts';

/** Weight of relevance against novelty in maximal marginal relevance. */
const LAMBDA = 0.72;
const MAX_BULLETS = 12;
const MAX_CANDIDATES = 4000;
const UNSPACED = new RegExp(`[${CONTINUOUS_SCRIPTS}]`, 'u');

type Candidate = {
  index: number;
  text: string;
  words: number;
  vector: Vector;
  score: number;
};

const DECISIONS =
  /\b(?:decid|agree|conclu|deadline|must|need to|have to|important|key|main|goal|plan|propos|recommend|result|because|problem|issue|solution|will|next step|responsible|budget|announc|found that|in summary|entschied|beschlossen|wichtig|müssen|décid|important|il faut|decid|hay que|importante)/iu;
const SMALL_TALK =
  /^(?:good (?:morning|afternoon|evening)|hello|hi|hey|thanks?|thank you|welcome|bye|goodbye|see you|how are you|nice to meet|sure|yes,? i agree|that's (?:a )?(?:great|good)|that sounds|sounds good|i see|exactly|of course|no problem|you're welcome|can you hear|let's (?:get started|start|begin)|my name is|guten (?:morgen|tag|abend)|hallo|danke|bonjour|merci|hola|buenos|gracias)\b/iu;
/** First words that refer to the sentence before. */
const ANAPHORIC =
  /^(?:it|this|that|these|those|they|he|she|such|both|therefore|however|dies|diese|dieser|er|sie|es|il|elle|ils|elles|cela|ça|esto|eso|ella|ellos)\b/iu;

/**
 * Extractive summary: cleaned sentences are ranked by TextRank, weighted by length, position and words of decision, and
 * selected by maximal marginal relevance (Carbonell & Goldstein 1998), at most a third from each quarter of the text, in
 * text order. A sentence that refers to the one before ("It was …") includes that one.
 */
export const extractiveSummary = (
  sentences: readonly LocatedSentence[],
  language: string,
  type: SummaryType,
): Summary => {
  const candidates = rankSentences(sentences, language);
  const chosen = selectDiverse(candidates, sentences.length);
  const bullets = dropAbsorbed(chosen.map((candidate) => toBullet(candidate, sentences, language)));
  return { text: formatSummary(bullets, type, language), type, language, engine: 'extractive', bullets };
};

/** The number of bullets for a number of sentences: grows with its logarithm, up to 12. */
export const bulletCount = (sentences: number): number =>
  Math.min(
    MAX_BULLETS,
    Math.max(1, Math.round(1.2 * Math.log2(Math.max(2, sentences)))),
    Math.max(1, sentences),
  );

const rankSentences = (sentences: readonly LocatedSentence[], language: string): Candidate[] => {
  const stops = stopWords(language);
  const kept: { index: number; text: string; words: number; stems: string[] }[] = [];
  for (const [index, sentence] of sentences.entries()) {
    const text = cleanSentence(sentence.text, language);
    const tokens = tokenize(text);
    const stems = tokens
      .filter((token) => token.stem.length > 1 && !stops.has(token.stem))
      .map((token) => stemOf(token.stem));
    const unspaced = tokens.length < 4 && text.length >= 10 && UNSPACED.test(text);
    if (unspaced) kept.push({ index, text, words: Math.round(text.length / 2), stems: bigrams(text) });
    else if (tokens.length >= 4 && stems.length >= 2) kept.push({ index, text, words: tokens.length, stems });
  }
  const usable = sampleEvenly(kept.length > 0 ? kept : allSentences(sentences, language), MAX_CANDIDATES);
  const vectors = toVectors(usable.map((one) => one.stems));
  const ranks = textRank(similarityGraph(vectors));
  return usable.map(({ index, text, words }, at) => {
    const score = (ranks[at] ?? 0) * weightOf(text, words, index / Math.max(1, sentences.length));
    return { index, text, words, vector: vectors[at] ?? new Map<string, number>(), score };
  });
};

/** Candidates of a transcript whose sentences are all too short. */
const allSentences = (sentences: readonly LocatedSentence[], language: string) =>
  sentences.map((sentence, index) => {
    const text = cleanSentence(sentence.text, language) || sentence.text;
    return {
      index,
      text,
      words: sentence.words.length,
      stems: tokenize(text).map((token) => stemOf(token.stem)),
    };
  });

const bigrams = (text: string): string[] => {
  const signs = [...text.replace(/[^\p{L}\p{N}]/gu, '')];
  return signs.slice(1).map((sign, index) => `${signs[index]}${sign}`);
};

/** At most `most` items, evenly spaced: bounds the graph for recordings of many hours. */
const sampleEvenly = <T>(items: readonly T[], most: number): T[] => {
  if (items.length <= most) return [...items];
  const step = items.length / most;
  return Array.from({ length: most }, (_, index) => items[Math.floor(index * step)]).filter(
    (item) => item !== undefined,
  );
};

const weightOf = (text: string, words: number, position: number): number => {
  let weight = words < 6 ? 0.55 : words > 45 ? 0.7 : 1;
  if (/\?$/u.test(text)) weight *= 0.5;
  if (SMALL_TALK.test(text)) weight *= 0.3;
  if (DECISIONS.test(text)) weight *= 1.2;
  if (/\d|\p{Ll} \p{Lu}\p{Ll}/u.test(text)) weight *= 1.1;
  if (ANAPHORIC.test(text)) weight *= 0.85;
  return weight * (position < 0.1 ? 1.12 : position > 0.92 ? 1.06 : 1);
};

const selectDiverse = (candidates: readonly Candidate[], total: number): Candidate[] => {
  const wanted = Math.min(bulletCount(candidates.length), candidates.length);
  const share = Math.max(1, Math.ceil(wanted / 3));
  const perQuarter = [0, 0, 0, 0];
  const chosen: Candidate[] = [];
  const nearest = new Float64Array(candidates.length);
  const open = new Set(candidates.keys());
  while (chosen.length < wanted && open.size > 0) {
    let best = -1;
    let bestScore = Number.NEGATIVE_INFINITY;
    for (const at of open) {
      const score = LAMBDA * (candidates[at]?.score ?? 0) - (1 - LAMBDA) * (nearest[at] ?? 0);
      if (score > bestScore) {
        best = at;
        bestScore = score;
      }
    }
    const candidate = candidates[best];
    if (!candidate) break;
    open.delete(best);
    const quarter = Math.min(3, Math.floor((4 * candidate.index) / Math.max(1, total)));
    if ((perQuarter[quarter] ?? 0) >= share || (nearest[best] ?? 0) > 0.75) continue;
    perQuarter[quarter] = (perQuarter[quarter] ?? 0) + 1;
    chosen.push(candidate);
    for (const at of open)
      nearest[at] = Math.max(
        nearest[at] ?? 0,
        dotProduct(candidate.vector, candidates[at]?.vector ?? new Map()),
      );
  }
  return chosen.sort((a, b) => a.index - b.index);
};

const toBullet = (candidate: Candidate, sentences: readonly LocatedSentence[], language: string): Bullet => {
  const sentence = sentences[candidate.index];
  if (!sentence) throw new RangeError('a candidate comes from a sentence');
  const before = sentences[candidate.index - 1];
  const leans = ANAPHORIC.test(candidate.text) && before && before.speaker_id === sentence.speaker_id;
  const lead = leans ? cleanSentence(before.text, language) : '';
  if (!before || lead === '' || SMALL_TALK.test(lead) || lead.split(' ').length + candidate.words > 40) {
    return {
      text: candidate.text,
      source: { sentence_ids: [sentence.id], start: roundMs(sentence.start), end: roundMs(sentence.end) },
    };
  }
  return {
    text: `${lead} ${candidate.text}`,
    source: {
      sentence_ids: [before.id, sentence.id],
      start: roundMs(before.start),
      end: roundMs(sentence.end),
    },
  };
};

/** Drops a bullet whose sentences the next bullet includes. */
const dropAbsorbed = (bullets: readonly Bullet[]): Bullet[] =>
  bullets.filter((bullet, at) => {
    const next = bullets[at + 1];
    return !next || !bullet.source.sentence_ids.every((id) => next.source.sentence_ids.includes(id));
  });
