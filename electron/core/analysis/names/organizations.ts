import organizations from '../../../../resources/lexicons/organizations.json' with { type: 'json' };
import { type DetectedSpan, entitySpan } from '../spans.ts';
import { isStop, type NameContext } from './context.ts';
import { Gazetteer } from './gazetteer.ts';
import { isFirstName, isGermanNoun } from './people.ts';
import { placeMatch } from './places.ts';
import { LEXICON, wordsTagged } from './tagger.ts';

const KNOWN = new Gazetteer([
  ...organizations.names,
  ...organizations.ambiguous,
  ...wordsTagged('Organization', 'SportsTeam', 'Company').filter((name) => name.length > 2),
]);
const AMBIGUOUS = new Set(organizations.ambiguous);
const SUFFIXES = new Set(organizations.suffixes);
const HEADS = new Gazetteer(organizations.heads);
/** Suffixes that may follow a place in lower case: "stanford university". */
const LOWER_SUFFIX = /^(?:university|hospital|college|airlines|airways)$/u;
const ACT =
  /^(?:announced|announces|acquired|acquires|launched|launches|reported|raised|released|unveiled|hired|sued|filed|shipped|merged|delivered|opened|postponed|published|warned|makes|sells|sold|bought|owns|pays|paid|owes|charges|charged|laid|declined|denied|invested|recalled|reports|plans|wants|said|says|is|was|has|will|and|just)$/u;
const BUSINESS_ACT =
  /^(?:announced|announces|acquired|acquires|launched|launches|reported|raised|released|unveiled|sued|filed|shipped|merged|recalled|owes|declined|invested)$/u;
const EMPLOYER = organizations.employer.map((phrase) => phrase.split(' '));
const UPPER_ONLY = /^(?:who|un|sec|mit|abc|ups|ing|arm|bt|bp|hp|lg|amd|att|sap|eu)$/u;

/**
 * Detects organizations by list (compromise's and our own), suffix ("… Corporation", "… Hospital"), head ("University
 * of …"), and context ("works at …", "… announced"). Names that are also common words ("apple", "target", "shell") need
 * a capital or, in lower case, a context of employment.
 */
export const findOrganizations = (context: NameContext): DetectedSpan[] => {
  const found: DetectedSpan[] = [];
  for (let at = 0; at < context.tokens.length; at++) {
    const last =
      headedOrganization(context, at) ??
      suffixedOrganization(context, at) ??
      listedOrganization(context, at) ??
      organizationFromContext(context, at);
    const first = context.at(at);
    const end = last === undefined ? undefined : context.at(last);
    if (!first || !end || last === undefined) continue;
    const dotted = /^(?:\p{L}\.)+\p{L}$/u.test(end.text) && end.trail.startsWith('.') ? 1 : 0;
    const bookTitle = KNOWN.match(context.tokens, at)?.last === last;
    found.push(
      entitySpan(
        'organization',
        first.from,
        bookTitle ? end.to - possessiveLength(end.text, context, at, last) + dotted : end.stemTo + dotted,
        last > at ? 56 : isUnambiguous(context, at) ? 54 : 51,
      ),
    );
    at = last;
  }
  return found;
};

/** Whether the listed name has no other meaning. */
const isUnambiguous = (context: NameContext, at: number): boolean => {
  const match = KNOWN.match(context.tokens, at);
  return match !== undefined && !AMBIGUOUS.has(match.phrase) && !isFirstName(match.phrase);
};

/** Length of a possessive ending that is not part of the listed name, as it is in "McDonald's". */
const possessiveLength = (text: string, context: NameContext, at: number, last: number): number => {
  const token = context.at(last);
  const match = KNOWN.match(context.tokens, at);
  if (!token || !match || match.phrase.endsWith(token.norm)) return 0;
  return text.length - (token.stemTo - token.from);
};

/** "University of Michigan", "Bank of the West". */
const headedOrganization = (context: NameContext, at: number): number | undefined => {
  const match = HEADS.match(context.tokens, at);
  if (!match) return undefined;
  let last = match.last;
  if (/^(?:the)$/u.test(context.norm(last + 1)) && context.isProperNoun(last + 2)) last += 1;
  const place = placeMatch(context, last + 1);
  if (place !== undefined) return place;
  while (
    last - match.last < 4 &&
    context.isProperNoun(last + 1) &&
    context.areAdjacent(last, last + 1) &&
    !isStop(context.at(last + 1))
  ) {
    last += 1;
    if (context.norm(last + 1) === 'and' && context.isProperNoun(last + 2) && context.isCapitalized(at))
      last += 1;
  }
  return last > match.last ? last : undefined;
};

/** Capitalized words up to a suffix ("… Hospital"), or a place and "university". */
const suffixedOrganization = (context: NameContext, at: number): number | undefined => {
  if (isStop(context.at(at)) || context.at(at)?.isBlocked) return undefined;
  const place = placeMatch(context, at);
  if (
    place !== undefined &&
    LOWER_SUFFIX.test(context.stem(place + 1)) &&
    context.areAdjacent(place, place + 1)
  )
    return place + 1;
  if (!context.isCapitalized(at) || (context.startsSentence(at) && SUFFIXES.has(context.stem(at))))
    return undefined;
  let last = at;
  let best: number | undefined;
  while (last - at < 5 && continuesName(context, last)) {
    last += context.norm(last + 1) === 'and' || context.norm(last + 1) === '&' ? 2 : 1;
    if (SUFFIXES.has(context.stem(last)) && !(last === at + 1 && isWeakStart(context, at))) best = last;
  }
  return best;
};

const continuesName = (context: NameContext, last: number): boolean => {
  if (!context.areAdjacent(last, last + 1)) return false;
  if (context.norm(last) !== context.stem(last) && !SUFFIXES.has(context.stem(last + 1))) return false;
  const next = context.at(last + 1);
  if (/^(?:and|&)$/u.test(next?.norm ?? ''))
    return context.isProperNoun(last + 2) && SUFFIXES.has(context.stem(last + 3));
  return context.isProperNoun(last + 1) && !isStop(next);
};

/** Whether a common word starts the sentence, where it is often no name: "Our Company", "Local News". */
const isWeakStart = (context: NameContext, at: number): boolean =>
  context.startsSentence(at) &&
  LEXICON.has(context.stem(at)) &&
  placeMatch(context, at) === undefined &&
  !isFirstName(context.stem(at));

const listedOrganization = (context: NameContext, at: number): number | undefined => {
  const match = KNOWN.match(context.tokens, at);
  if (!match || isCardBrand(context, at, match)) return undefined;
  const token = context.at(at);
  if (!token || (match.last === at && placeMatch(context, at) === at && !context.hasTag(at, 'Organization')))
    return undefined;
  if (match.last === at && UPPER_ONLY.test(token.stem))
    return context.isCased(at) && token.text.slice(0, 2) === token.text.slice(0, 2).toUpperCase()
      ? at
      : undefined;
  if (!isAmbiguous(context, at, match)) return match.last;
  if (isGermanNoun(context, at)) return undefined;
  if (/^(?:a|an|my|your|this)$/u.test(context.norm(at - 1)) && !context.isProperNoun(at)) return undefined;
  if (context.isProperNoun(at))
    return isFirstName(token.stem) && context.at(at + 1)?.isCapitalized && context.areAdjacent(at, at + 1)
      ? undefined
      : match.last;
  if (context.isCapitalized(at))
    return ACT.test(context.norm(match.last + 1)) || context.norm(at) !== context.stem(at)
      ? match.last
      : undefined;
  const acts =
    /^(?:said|says)$/u.test(context.norm(match.last + 1)) || BUSINESS_ACT.test(context.norm(match.last + 1));
  const determined = /^(?:the|that|its|their|our|no)$/u.test(context.norm(at - 1));
  return !context.isCased(at) && (followsEmployerCue(context, at) || (acts && !determined))
    ? match.last
    : undefined;
};

/** Whether a payment company's name means a card: "My Visa is 4111 …". */
const isCardBrand = (context: NameContext, at: number, match: { last: number; phrase: string }): boolean => {
  if (!/^(?:visa|mastercard|american express|amex)$/u.test(match.phrase)) return false;
  return (
    /^(?:my|your|his|her|a|the)$/u.test(context.norm(at - 1)) ||
    !ACT.test(context.norm(match.last + 1)) ||
    /\d/u.test(context.norm(match.last + 2))
  );
};

const isAmbiguous = (context: NameContext, at: number, match: { last: number; phrase: string }): boolean => {
  if (AMBIGUOUS.has(match.phrase)) return true;
  if (match.last > at) return false;
  const tags = LEXICON.get(match.phrase);
  return (
    tags !== undefined &&
    !tags.some((tag) => /^(?:Organization|SportsTeam|Company|ProperNoun)$/u.test(tag)) &&
    !context.isProperNoun(at)
  );
};

const followsEmployerCue = (context: NameContext, at: number): boolean =>
  EMPLOYER.some(
    (phrase) =>
      phrase.length > 1 && phrase.every((word, index) => context.norm(at - phrase.length + index) === word),
  );

/** An unlisted capitalized word, by its role in the sentence. */
const organizationFromContext = (context: NameContext, at: number): number | undefined => {
  const token = context.at(at);
  if (!token || !context.isCapitalized(at) || isStop(token) || !/^[\p{L}\d&.'-]+$/u.test(token.text))
    return undefined;
  const unknown =
    !LEXICON.has(token.stem) && !isFirstName(token.stem) && placeMatch(context, at) === undefined;
  if (context.startsSentence(at)) return unknown && BUSINESS_ACT.test(context.norm(at + 1)) ? at : undefined;
  const cued = EMPLOYER.some((phrase) =>
    phrase.every((word, index) => context.norm(at - phrase.length + index) === word),
  );
  if (
    !cued ||
    isFirstName(token.stem) ||
    placeMatch(context, at) !== undefined ||
    (!unknown && context.hasTag(at, 'Person', 'Demonym'))
  )
    return undefined;
  let last = at;
  while (
    last - at < 4 &&
    context.areAdjacent(last, last + 1) &&
    context.isProperNoun(last + 1) &&
    !isStop(context.at(last + 1))
  )
    last += 1;
  return last;
};
