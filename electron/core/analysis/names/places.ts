import organizations from '../../../../resources/lexicons/organizations.json' with { type: 'json' };
import places from '../../../../resources/lexicons/places.json' with { type: 'json' };
import { smallValueInAnyLanguage } from '../numbers/number-words.ts';
import { type DetectedSpan, entitySpan } from '../spans.ts';
import { isStop, type NameContext } from './context.ts';
import { Gazetteer } from './gazetteer.ts';
import { isFirstName, isGermanNoun, isLastName } from './people.ts';
import { LEXICON, wordsTagged } from './tagger.ts';

const PLACES = new Gazetteer([
  ...places.places,
  ...wordsTagged('City', 'Country', 'Region').filter((name) => !/^(?:can)$/u.test(name)),
]);
const AMBIGUOUS = new Set(places.ambiguous);
const STREET_TYPES = new Set(places.streetTypes);
const STREET_HEADS = new Set(places.streetHeads);
const SUFFIXES = new Set([...organizations.suffixes, 'airlines', 'times', 'university']);
const LOCATIVE =
  /^(?:in|to|from|at|near|around|outside|into|through|visit|visited|visiting|toward|towards|across|via|of|leaving|toured|between|nach|aus|à|en|desde|over)$/u;
const PERSON_ACT =
  /^(?:said|says|told|tells|asked|thinks|thought|wants|wanted|will|should|would|called|mentioned|agreed|works|worked|sent|replied|knows|likes|presented|joined)$/u;
const PERSON_CUE =
  /^(?:met|ask|asked|tell|told|thanks|hi|hello|hey|dear|with|mr|mrs|ms|dr|named|called|aunt|uncle)$/u;
const FEATURES =
  /^(?:airport|river|lake|park|bridge|beach|island|islands|county|valley|mountain|mountains|canyon|bay|harbor|harbour|forest|desert|falls|peninsula|creek|station|square|village|castle|cathedral|palace|stadium|ocean|sea|coast|district|borough|province)$/u;
const FEATURE_HEADS = /^(?:lake|mount|mt|fort|port|cape|san|santa|saint|st|camp|point|bay|gulf|isle)$/u;

/**
 * Detects places: countries, regions, cities and landmarks by list (compromise's and our own), street addresses by
 * shape ("42 Park Avenue", "12 rue de la Paix", "Hauptstraße 5"), and natural features by their last word ("Cedar
 * Lake"). A place that is also a common word or a first name needs a capital, a preposition or a tag.
 */
export const findPlaces = (context: NameContext): DetectedSpan[] => {
  const found: DetectedSpan[] = [];
  for (let at = 0; at < context.tokens.length; at++) {
    const address = streetAddress(context, at);
    const last = address?.last ?? placeAt(context, at);
    const first = context.at(at);
    const end = last === undefined ? undefined : context.at(last);
    if (!first || !end || last === undefined) continue;
    const dotted = /^(?:\p{L}\.)+\p{L}$/u.test(end.text) && end.trail.startsWith('.') ? 1 : 0;
    found.push(entitySpan('location', first.from, end.stemTo + dotted, address ? 64 : last > at ? 53 : 50));
    at = last;
  }
  return found;
};

export const placeMatch = (context: NameContext, at: number): number | undefined =>
  PLACES.match(context.tokens, at)?.last;

const placeAt = (context: NameContext, at: number): number | undefined => {
  const feature = featureAt(context, at);
  if (feature !== undefined) return feature;
  const match = PLACES.match(context.tokens, at);
  if (!match) return undefined;
  const single = match.last === at;
  if (single && !isPlaceWord(context, at)) return undefined;
  const next = context.at(match.last + 1);
  if (
    next?.isCapitalized &&
    context.areAdjacent(match.last, match.last + 1) &&
    SUFFIXES.has(next.stem) &&
    context.isCased(at)
  )
    return undefined;
  return match.last;
};

const isPlaceWord = (context: NameContext, at: number): boolean => {
  const token = context.at(at);
  if (!token) return false;
  const word = token.stem;
  if (/^(?:us|usa|uk|uae|u\.s|u\.k|u\.s\.a|lax|jfk)$/u.test(word))
    return token.text === token.text.toUpperCase() && !(word === 'us' && !context.isCased(at));
  if (isPersonHere(context, at) || (AMBIGUOUS.has(word) && isGermanNoun(context, at))) return false;
  if (!AMBIGUOUS.has(word))
    return (
      context.isCapitalized(at) ||
      !LEXICON.has(word) ||
      context.hasTag(at, 'Place', 'City', 'Country', 'Region')
    );
  const before = context.norm(at - 1);
  if (/^(?:the|a|an|my|your|his|her|this|some|no)$/u.test(before)) return false;
  if (context.isProperNoun(at)) return true;
  if (context.isCapitalized(at)) return !isCommonWord(word);
  return context.hasTag(at, 'Place', 'City', 'Country', 'Region') && LOCATIVE.test(before);
};

/** Whether a place's name is also a common word. */
const isCommonWord = (word: string): boolean => {
  const tags = LEXICON.get(word);
  return tags === undefined
    ? /^(?:turkey|china|reading|bath|nice|hull|cork|bar|split|orange|buffalo|mobile|deal|sale|hope|march|wells|us)$/u.test(
        word,
      )
    : !tags.some((tag) =>
        /^(?:City|Country|Region|Place|ProperNoun|FirstName|MaleName|FemaleName|LastName)$/u.test(tag),
      );
};

/** Whether a place's name is a person here, as "Jordan" before a verb or a surname. */
const isPersonHere = (context: NameContext, at: number): boolean => {
  const word = context.stem(at);
  if (!isFirstName(word) && !isLastName(word) && !AMBIGUOUS.has(word)) return false;
  if (LOCATIVE.test(context.norm(at - 1)) && !isNextSurname(context, at)) return false;
  if (PERSON_CUE.test(context.norm(at - 1)) || PERSON_ACT.test(context.norm(at + 1)))
    return isFirstName(word) || isLastName(word) || AMBIGUOUS.has(word);
  if (isFirstName(context.stem(at - 1)) && context.areAdjacent(at - 1, at) && context.isProperNoun(at))
    return true;
  return isNextSurname(context, at);
};

const isNextSurname = (context: NameContext, at: number): boolean => {
  const next = context.at(at + 1);
  return Boolean(
    next?.isCapitalized &&
      context.areAdjacent(at, at + 1) &&
      isLastName(next.stem) &&
      context.isCased(at) &&
      placeMatch(context, at + 1) === undefined,
  );
};

/** "Cedar Lake", "Lake Tahoe", "Logan Airport". */
const featureAt = (context: NameContext, at: number): number | undefined => {
  if (!context.isCapitalized(at) || isStop(context.at(at))) return undefined;
  let last = at;
  while (
    last - at < 3 &&
    context.areAdjacent(last, last + 1) &&
    context.isProperNoun(last + 1) &&
    !isStop(context.at(last + 1))
  ) {
    last += 1;
    if (FEATURES.test(context.stem(last)) && !SUFFIXES.has(context.stem(last + 1))) return last;
  }
  return last === at + 1 && FEATURE_HEADS.test(context.stem(at)) ? last : undefined;
};

/** A street, with its number if there is one: "42 Park Avenue", "Main Street", "rue de la Paix 12". */
const streetAddress = (context: NameContext, at: number): { last: number } | undefined =>
  numberedStreetAt(context, at) ?? streetNameAt(context, at) ?? continentalStreetAt(context, at);

const isNumber = (context: NameContext, at: number): boolean => {
  const word = context.norm(at);
  if (/^\d{1,5}[a-z]?$/u.test(word)) return true;
  return word.split('-').every((part) => smallValueInAnyLanguage(part) !== undefined || part === 'hundred');
};

const numberedStreetAt = (context: NameContext, at: number): { last: number } | undefined => {
  if (!isNumber(context, at)) return undefined;
  let name = at + 1;
  while (name - at < 4 && isNumber(context, name) && context.areAdjacent(name - 1, name)) name += 1;
  if (STREET_HEADS.has(context.norm(name))) return streetFromHead(context, name);
  for (let last = name + 1; last <= name + 3; last++) {
    if (!context.areAdjacent(last - 1, last)) return undefined;
    if (!STREET_TYPES.has(context.norm(last))) continue;
    const inner = context.tokens.slice(name, last);
    if (
      inner.some(
        (token) =>
          isStop(token) && !/^(?:the|of|st|first|second|third|new|old|one|march|may)$/u.test(token.norm),
      )
    )
      return undefined;
    if (
      /^(?:place|way|row|close|square|drive|court|walk|loop|trail|st|dr)$/u.test(context.norm(last)) &&
      !context.isCapitalized(last)
    )
      return undefined;
    return { last };
  }
  return undefined;
};

const streetNameAt = (context: NameContext, at: number): { last: number } | undefined => {
  if (!context.isCapitalized(at) || isStop(context.at(at))) return undefined;
  for (let last = at + 1; last <= at + 2; last++) {
    if (!context.areAdjacent(last - 1, last) || !context.isProperNoun(last)) return undefined;
    if (
      /^(?:street|avenue|road|lane|boulevard|drive|parkway|highway|square|terrace|court)$/u.test(
        context.stem(last),
      )
    )
      return { last };
  }
  return undefined;
};

/** Streets of continental Europe: the type comes first ("rue …") or is part of the word ("…straße"). */
const continentalStreetAt = (context: NameContext, at: number): { last: number } | undefined => {
  const word = context.norm(at);
  if (STREET_HEADS.has(word) && !isStop(context.at(at + 1)) && context.language.slice(0, 2) !== 'en')
    return streetFromHead(context, at);
  if (
    word.length > 6 &&
    places.streetEndings.some((ending) => word.endsWith(ending)) &&
    context.isCapitalized(at)
  ) {
    const number = isNumber(context, at + 1) && context.areAdjacent(at, at + 1);
    return number || /stra(?:ß|ss)e$/u.test(word) ? { last: number ? at + 1 : at } : undefined;
  }
  return undefined;
};

const streetFromHead = (context: NameContext, at: number): { last: number } | undefined => {
  let last = at;
  while (last - at < 5 && context.areAdjacent(last, last + 1)) {
    const next = context.at(last + 1);
    const link = /^(?:de|du|des|la|le|les|del|los|las|della|di|d)$/u.test(next?.norm ?? '');
    if (!next || !(link || next.isCapitalized || (isNumber(context, last + 1) && last > at))) break;
    last += 1;
  }
  return last > at && !/^(?:de|du|des|la|le|les|del|los|las)$/u.test(context.norm(last))
    ? { last }
    : undefined;
};
