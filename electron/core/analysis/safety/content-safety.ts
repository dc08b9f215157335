import { englishDataset, englishRecommendedTransformers, RegExpMatcher } from 'obscenity';
import { type ContentSafety, SAFETY_LABELS, type SafetyLabel } from '../../../contract/analysis.ts';
import { roundMs } from '../../base/numbers.ts';
import { LEXICON } from '../names/tagger.ts';
import { locateSegments } from '../offsets.ts';
import { startsSentence, type Token, tokenize } from '../tokens.ts';
import type { AnalysisSegment, AnalysisTranscript } from '../types.ts';
import { ALLOWED, BENIGN, HATE_TARGETS, HATE_VERBS, type Strength, TERM_LISTS } from './terms.ts';

export type SafetyHit = {
  label: SafetyLabel;
  strength: Strength;
  from: number;
  to: number;
};

const BATCH = 400;
const profanityMatcher = new RegExpMatcher({ ...englishDataset.build(), ...englishRecommendedTransformers });

/**
 * Labels unsafe content by weighted word lists. Listed words in harmless phrases ("killer feature", "shot a photo") or
 * names ("Dick van Dyke") do not count; the obscenity package matches disguised words ("sh1t"). Hate speech needs a slur,
 * or a group of people near a word of hate. A label's confidence is 1 - exp(-sum of strengths / 2). Irony and quotations
 * count as well; best in English.
 */
export const assessContentSafety = (
  transcript: AnalysisTranscript,
): { report: ContentSafety; profanity: { from: number; to: number }[] } => {
  const tokens = tokenize(transcript.text);
  const hits: SafetyHit[] = [];
  for (let start = 0; start < tokens.length; start += BATCH) {
    hits.push(...findHits(tokens, start, Math.min(tokens.length, start + BATCH)));
  }
  const profanity = hits.filter((hit) => hit.label === 'profanity' || isObscene(transcript.text, hit));
  return {
    report: buildReport(transcript, hits),
    profanity: profanity.map(({ from, to }) => ({ from, to })),
  };
};

/** Whether to mask a word of another label like profanity: slurs and coarse sexual words. */
const isObscene = (text: string, hit: SafetyHit): boolean => {
  const word = text.slice(hit.from, hit.to).toLowerCase();
  return (
    (hit.label === 'hate_speech' && hit.strength === 3 && !word.includes(' ')) ||
    /^(?:slut|whore|tits|pussy|boobs)s?$/u.test(word)
  );
};

const findHits = (tokens: readonly Token[], start: number, end: number): SafetyHit[] => {
  const hits: SafetyHit[] = [];
  let at = start;
  while (at < end) {
    const harmless = BENIGN.match(tokens, at);
    if (harmless) {
      at = harmless.last + 1;
      continue;
    }
    hits.push(...hitsAt(tokens, at));
    at += 1;
  }
  return hits;
};

const hitsAt = (tokens: readonly Token[], at: number): SafetyHit[] => {
  const token = tokens[at];
  if (!token || token.isBlocked || ALLOWED.has(token.norm)) return [];
  const hits: SafetyHit[] = [];
  const seen = new Set<SafetyLabel>();
  for (const { label, strength, terms } of TERM_LISTS) {
    const last = seen.has(label) ? undefined : terms.match(tokens, at)?.last;
    const end = last === undefined ? undefined : tokens[last];
    if (!end || last === undefined || isNegatedHarm(label, tokens, at)) continue;
    if (label === 'violence' && HARMLESS_OBJECT.test(phraseAfter(tokens, last))) continue;
    seen.add(label);
    hits.push({ label, strength, from: token.from, to: end.stemTo });
  }
  const hate = hateAt(tokens, at);
  if (hate && !seen.has('hate_speech')) hits.push(hate);
  if (hits.length === 0 && isDisguised(tokens, at)) {
    hits.push({ label: 'profanity', strength: 2, from: token.from, to: token.to });
  }
  return hits;
};

/** Objects of harmless violence: "killed time", "shot a photo". */
const HARMLESS_OBJECT =
  /^(?:(?:the|a|an|some|my|your|our|this|that|these|those|another|more|any) )?(?:emails?|messages?|texts?|notes?|time|process(?:es)?|servers?|jobs?|tasks?|threads?|photos?|videos?|pictures?|films?|movies?|scenes?|commercials?|engines?|lights?|mood|vibe|switch|apps?|features?|bugs?|exams?|hoops|baskets|pool|problems?|issues?|questions?|glance|look|smile|weeds?|bacteria|germs|virus(?:es)?|pain|calls?|keys?|buttons?|record|charts)\b/u;

const phraseAfter = (tokens: readonly Token[], last: number): string => {
  if (/[.!?;]/u.test(tokens[last]?.trail ?? '')) return '';
  return `${tokens[last + 1]?.norm ?? ''} ${tokens[last + 2]?.norm ?? ''}`;
};

/** Whether a negation precedes a word of a mild label: "no symptoms". */
const isNegatedHarm = (label: SafetyLabel, tokens: readonly Token[], at: number): boolean => {
  if (label !== 'health_issues' && label !== 'alcohol') return false;
  return /^(?:no|without|never|zero)$/u.test(tokens[at - 1]?.norm ?? '');
};

/** A group of people near a word of hate: "I hate …", "… should die". */
const hateAt = (tokens: readonly Token[], at: number): SafetyHit | undefined => {
  const target = HATE_TARGETS.match(tokens, at);
  const first = tokens[at];
  if (!target || !first) return undefined;
  for (let near = Math.max(0, at - 4); near <= target.last + 3; near++) {
    if (near >= at && near <= target.last) continue;
    const verb = HATE_VERBS.match(tokens, near);
    const last = tokens[Math.max(verb?.last ?? 0, target.last)];
    const between = tokens.slice(Math.min(near, target.last), Math.max(near, at));
    if (verb && last && !between.some((token) => /[.!?]/u.test(token.trail)) && !isNegated(tokens, near)) {
      return {
        label: 'hate_speech',
        strength: 3,
        from: Math.min(first.from, tokens[near]?.from ?? first.from),
        to: last.stemTo,
      };
    }
  }
  return undefined;
};

const isNegated = (tokens: readonly Token[], at: number): boolean =>
  tokens
    .slice(Math.max(0, at - 3), at)
    .some((token) => /^(?:not|never|don't|doesn't|didn't|who|people|they)$/u.test(token.norm));

/** Whether a token is a disguised profanity, and no dictionary word or name. */
const isDisguised = (tokens: readonly Token[], at: number): boolean => {
  const token = tokens[at];
  if (!token || LEXICON.has(token.stem) || (token.isCapitalized && !startsSentence(tokens, at))) return false;
  const odd = /[\d@$!*]/u.test(token.text) || /(\p{L})\1\1/u.test(token.text);
  return odd && /\p{L}/u.test(token.text) && profanityMatcher.hasMatch(token.text);
};

const buildReport = (transcript: AnalysisTranscript, hits: readonly SafetyHit[]): ContentSafety => {
  const ranges = locateSegments(transcript.text, transcript.segments);
  const labels = SAFETY_LABELS.flatMap((label) => {
    const labelHits = hits.filter((hit) => hit.label === label);
    if (labelHits.length === 0) return [];
    const sum = labelHits.reduce((total, hit) => total + hit.strength, 0);
    const segments = segmentsOf(transcript.segments, ranges, labelHits);
    return [
      { label, confidence: roundMs(1 - Math.exp(-sum / 2)), severity: severityOf(labelHits), segments },
    ];
  });
  return { flagged: labels.length > 0, labels };
};

const severityOf = (hits: readonly SafetyHit[]): 'low' | 'medium' | 'high' => {
  const strongest = Math.max(...hits.slice(0, 1000).map((hit) => hit.strength));
  if (strongest === 3 || hits.length >= 12) return 'high';
  return strongest === 2 || hits.length >= 5 ? 'medium' : 'low';
};

const segmentsOf = (
  segments: readonly AnalysisSegment[],
  ranges: readonly { from: number; to: number }[],
  hits: readonly SafetyHit[],
): { id: number; start: number; end: number }[] => {
  let next = 0;
  const sorted = [...hits].sort((a, b) => a.from - b.from);
  return segments.flatMap((segment, index) => {
    const range = ranges[index];
    if (!range) return [];
    while ((sorted[next]?.to ?? Number.POSITIVE_INFINITY) <= range.from) next += 1;
    const hit = sorted[next];
    return hit && hit.from < range.to ? [{ id: segment.id, start: segment.start, end: segment.end }] : [];
  });
};
