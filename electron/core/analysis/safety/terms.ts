import lists from '../../../../resources/lexicons/safety.json' with { type: 'json' };
import type { SafetyLabel } from '../../../contract/analysis.ts';
import { Gazetteer } from '../names/gazetteer.ts';

/** The severity of one occurrence: 3 is "high", 2 "medium", 1 "low". */
export type Strength = 1 | 2 | 3;

export type TermList = {
  label: SafetyLabel;
  strength: Strength;
  terms: Gazetteer;
};

const list = (label: SafetyLabel, strength: Strength, terms: readonly string[]): TermList => {
  return { label, strength, terms: new Gazetteer(terms) };
};

/** Terms by label, strongest first: a word counts once per label. */
export const TERM_LISTS: readonly TermList[] = [
  list('profanity', 3, lists.profanityStrong),
  list('profanity', 2, lists.profanityMedium),
  list('profanity', 1, lists.profanityMild),
  list('hate_speech', 3, lists.hateStrong),
  list('violence', 3, lists.violenceStrong),
  list('violence', 2, lists.violenceMedium),
  list('weapons', 2, lists.weapons),
  list('drugs', 2, lists.drugs),
  list('alcohol', 1, lists.alcohol),
  list('gambling', 2, lists.gambling),
  list('sexual_content', 3, lists.sexualStrong),
  list('sexual_content', 1, lists.sexualMild),
  list('self_harm', 3, lists.selfHarm),
  list('crime', 2, lists.crime),
  list('health_issues', 1, lists.health),
];

/** Phrases in which a listed word means something else. */
export const BENIGN = new Gazetteer(lists.benign);
/** Harmless words that the matchers would report. */
export const ALLOWED = new Set(lists.allow);
export const HATE_TARGETS = new Gazetteer(lists.hateTargets);
export const HATE_VERBS = new Gazetteer(lists.hateVerbs);
