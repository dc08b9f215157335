import people from '../../../../resources/lexicons/people.json' with { type: 'json' };
import places from '../../../../resources/lexicons/places.json' with { type: 'json' };
import { type DetectedSpan, entitySpan } from '../spans.ts';
import { isStop, type NameContext } from './context.ts';
import { LEXICON, wordsTagged } from './tagger.ts';

const FIRST = new Set([...people.first, ...wordsTagged('MaleName', 'FemaleName', 'FirstName')]);
const LAST = new Set([...people.last, ...wordsTagged('LastName')]);
const AMBIGUOUS = new Set(people.ambiguous);
const TITLES = new Set(people.titles);
const PARTICLES = new Set(people.particles);
const STREET_TYPES = new Set(places.streetTypes);
/** Titles that are also common words: a known name must follow. */
const COMMON_TITLES =
  /^(?:general|private|major|king|queen|father|sister|chief|coach|judge|doctor|uncle|aunt|captain|president|nurse|sir|miss|justice|dean|principal|officer|secretary|minister|governor|representative|don|m|lady|lord|prince|princess|mister)$/u;
/** Function words and months that are also first names. */
const NAMES_LIKE_STOPS = /^(?:will|may|april|june|august)$/u;
const MONTH_NAMES = /^(?:may|april|june|august|march)$/u;
/** Verbs of people: a sentence's first word before one of them may be a name. */
const PERSON_VERB =
  /^(?:said|says|told|tells|asked|asks|thinks|thought|wants|wanted|called|calls|sent|sends|will|would|should|is|was|has|had|and|came|went|works|worked|knows|knew|likes|loves|needs|mentioned|replied|agreed|agrees|joined|left|got|gave|did|does|can|could|might|reports|lives|runs|leads|presented|wrote|just|also|from|who|brought|bought|made|moved|met|missed|promised|suggested|signed|speaking|here)$/u;
const SOFT_CUE =
  /^(?:ask|asked|tell|told|thanks|thank|hi|hello|hey|dear|met|meet|call|called|calling|named|email|emailed|with|by|for|to|from|and|colleague|boss|brother|sister|friend|husband|wife|son|daughter|cousin|neighbor|manager|lawyer|partner|mother|father|let|give|gave|invited|invite|remind|contact|copy|about|said|frau|herr|señor|señora|monsieur|madame|welcome|congratulations|mom|dad|bye|goodbye|morning|hallo|hola|bonjour|mit|avec|con|is|isn't|it's|that's|sorry)$/u;
const CALL_OUT =
  /^(?:hi|hello|hey|dear|thanks|ask|tell|told|asked|met|with|hallo|hola|bonjour|remind|welcome|named)$/u;

const INTRODUCTIONS = people.introductions.map((phrase) => phrase.split(' '));
const PRESENTATIONS = people.presentations.map((phrase) => phrase.split(' '));

/**
 * Detects names of people. Evidence: lists of first and last names (compromise's and our own), titles, capitals inside
 * sentences, part-of-speech tags, and introductions ("my name is …"). A name that is also a common word ("will",
 * "grace") needs more than one of them. The model of private data finds names that no list has.
 */
export const findPeople = (context: NameContext): DetectedSpan[] => {
  const found: DetectedSpan[] = [];
  let at = 0;
  while (at < context.tokens.length) {
    const last = personAt(context, at);
    const first = context.at(at);
    const end = last === undefined ? undefined : context.at(last);
    if (first && end && last !== undefined) {
      found.push(entitySpan('person_name', first.from, end.stemTo, 52));
      at = last + 1;
    } else {
      at += 1;
    }
  }
  return found;
};

/** Whether a word is a listed first or last name. */
export const isKnownName = (word: string): boolean => FIRST.has(word) || LAST.has(word);

export const isLastName = (word: string): boolean => LAST.has(word);

export const isFirstName = (word: string): boolean => FIRST.has(word);

/** The last token of the name that starts at `at`, or undefined for none. */
const personAt = (context: NameContext, at: number): number | undefined => {
  const token = context.at(at);
  if (!token || token.isBlocked || (isStop(token) && !NAMES_LIKE_STOPS.test(token.stem))) return undefined;
  if (!/^\p{L}[\p{L}'’.-]*$/u.test(token.text)) return undefined;
  const introduced = follows(context, at, INTRODUCTIONS) || answersNameQuestion(context, at);
  if (!startsName(context, at, introduced)) return undefined;
  const last = endOfName(context, at, introduced);
  if (
    STREET_TYPES.has(context.stem(last + 1)) &&
    context.areAdjacent(last, last + 1) &&
    context.norm(last) === context.stem(last)
  )
    return undefined;
  return last;
};

/** Whether a token answers a question for a name: "What's your name?" "Uh, walter simmons." */
const answersNameQuestion = (context: NameContext, at: number): boolean => {
  let before = at - 1;
  while (
    at - before < 4 &&
    /^(?:uh|um|it's|yes|sure|okay|its|my|name|is)$/u.test(context.norm(before)) &&
    !asksForName(context, before)
  ) {
    before -= 1;
  }
  return asksForName(context, before);
};

const asksForName = (context: NameContext, at: number): boolean => {
  const question = context.norm(at) === 'name' && (context.at(at)?.trail.includes('?') ?? false);
  return question && /^(?:your|last|first|full|maiden|family)$/u.test(context.norm(at - 1));
};

const startsName = (context: NameContext, at: number, introduced: boolean): boolean => {
  const word = context.stem(at);
  if (followsTitle(context, at)) return true;
  if (FIRST.has(word) && !AMBIGUOUS.has(word)) return isKnownNameHere(context, at);
  if (AMBIGUOUS.has(word) && (FIRST.has(word) || LAST.has(word) || people.ambiguous.includes(word))) {
    return isAmbiguousNameHere(context, at, introduced);
  }
  if (introduced) {
    const plain = !context.isCased(at) || answersNameQuestion(context, at);
    return context.isProperNoun(at) || (plain && !LEXICON.has(word) && !isStop(context.at(at)));
  }
  return (
    LAST.has(word) && context.isProperNoun(at) && !isPlaceLike(context, at) && !isGermanNoun(context, at)
  );
};

const followsTitle = (context: NameContext, at: number): boolean => {
  const title = context.norm(at - 1);
  const token = context.at(at);
  if (!TITLES.has(title) || !token || isStop(token) || !isAdjacentToTitle(context, at)) return false;
  if (context.isProperNoun(at))
    return !COMMON_TITLES.test(title) || context.isCapitalized(at - 1) || isKnownName(token.stem);
  return (
    (!context.isCased(at) || !COMMON_TITLES.test(title)) &&
    isKnownName(token.stem) &&
    !AMBIGUOUS.has(token.stem)
  );
};

const isAdjacentToTitle = (context: NameContext, at: number): boolean =>
  /^\.?$/u.test(context.at(at - 1)?.trail ?? '-') && (context.at(at)?.lead ?? '-') === '';

/** Whether an unambiguous first name is one here; in lower case its tags must agree. */
const isKnownNameHere = (context: NameContext, at: number): boolean => {
  if (context.isCapitalized(at)) return true;
  const tags = LEXICON.get(context.stem(at));
  if (!tags) return true;
  return (
    tags.some((tag) => /Name$|^Person$/u.test(tag)) && !context.hasTag(at, 'Verb', 'Adjective', 'Adverb')
  );
};

const isAmbiguousNameHere = (context: NameContext, at: number, introduced: boolean): boolean => {
  const word = context.stem(at);
  if (/^(?:the|a|an|this|that|every|each|no|some|any|at)$/u.test(context.norm(at - 1))) return false;
  if (isGermanNoun(context, at)) return false;
  const surname = hasSurname(context, at);
  if (introduced) return FIRST.has(word) || surname || context.isProperNoun(at);
  const presented =
    follows(context, at, PRESENTATIONS) &&
    (surname || /^(?:from|speaking|calling|here|with)$/u.test(context.norm(at + 1)));
  if (presented) return true;
  if (!context.isCapitalized(at)) {
    if (isPlaceLike(context, at)) return false;
    if (surname && FIRST.has(word)) return true;
    return (
      !context.isCased(at) &&
      CALL_OUT.test(context.norm(at - 1)) &&
      FIRST.has(word) &&
      context.hasTag(at, 'Person')
    );
  }
  if (MONTH_NAMES.test(word))
    return surname || (CALL_OUT.test(context.norm(at - 1)) && !/\d/u.test(context.norm(at + 1)));
  if (isPlaceLike(context, at)) return surname;
  if (surname) return true;
  if (context.startsSentence(at)) return isSentenceInitialName(context, at);
  if (!FIRST.has(word) && !LAST.has(word))
    return SOFT_CUE.test(context.norm(at - 1)) && context.hasTag(at, 'Person');
  return context.hasTag(at, 'Person', 'FirstName', 'LastName') || CALL_OUT.test(context.norm(at - 1));
};

/** Whether a name that is also a word is a name at the start of a sentence: "Grace said …", but not "Will you …". */
const isSentenceInitialName = (context: NameContext, at: number): boolean => {
  if (!FIRST.has(context.stem(at)) || !PERSON_VERB.test(context.norm(at + 1))) return false;
  if (context.hasTag(at, 'Modal') || context.hasTag(at, 'Imperative'))
    return /^(?:said|says|told|asked|is|was|has)$/u.test(context.norm(at + 1));
  return context.areAdjacent(at, at + 1);
};

/** Whether the next word is likely this first name's surname. */
const hasSurname = (context: NameContext, at: number): boolean => {
  if (!context.areAdjacent(at, at + 1) || context.stem(at) !== context.norm(at)) return false;
  const next = context.at(at + 1);
  if (!next || isStop(next) || STREET_TYPES.has(next.stem)) return false;
  if (context.isCased(at))
    return (
      next.isCapitalized &&
      (LAST.has(next.stem) || isUnlistedWord(context, at + 1)) &&
      !isOrganizationWord(next.stem)
    );
  return LAST.has(next.stem) && !AMBIGUOUS.has(next.stem);
};

/** Whether a name is rather a place, by the words around it. */
const isPlaceLike = (context: NameContext, at: number): boolean => {
  if (!context.hasTag(at, 'Place', 'City', 'Country', 'Region') && !AMBIGUOUS_PLACES.has(context.stem(at)))
    return false;
  if (context.norm(at + 1) === 'and' || CALL_OUT.test(context.norm(at - 1)))
    return !CALL_OUT.test(context.norm(at - 1));
  return (
    !/^(?:said|says|told|asked|thinks|wants|will|should|called|mentioned|agreed|works|sent)$/u.test(
      context.norm(at + 1),
    ) || LOCATIVE.test(context.norm(at - 1))
  );
};

const AMBIGUOUS_PLACES = new Set(places.ambiguous);
const LOCATIVE =
  /^(?:in|to|from|at|near|around|outside|into|through|visit|visited|visiting|leave|leaving|toward|towards|across|via)$/u;

/** Whether a word is capitalized but not listed, and no acronym, place or organization suffix. */
const isUnlistedWord = (context: NameContext, at: number): boolean => {
  const token = context.at(at);
  if (!token || !context.isCapitalized(at) || token.text.length < 3 || !/^\p{Lu}\p{Ll}/u.test(token.text))
    return false;
  if (LEXICON.has(token.stem) || isStop(token) || /\.|-/u.test(token.stem) || isOrganizationWord(token.stem))
    return false;
  return !context.hasTag(at, 'Place', 'Organization', 'Demonym') || LAST.has(token.stem);
};

/** Languages that capitalize all nouns: a capital is no evidence. */
const NOUNS_CAPITAL = /^(?:de|lb)/iu;

/** A German noun after an article or the like: "der Richter", "aller Kraft". */
export const isGermanNoun = (context: NameContext, at: number): boolean =>
  NOUNS_CAPITAL.test(context.language) &&
  /^(?:d(?:er|ie|as|en|em|es)|(?:ein|kein|mein|dein|sein|ihr|unser|all|jed|dies|viel)(?:e[rsmn]?)?|zum|zur|vom|beim|im|am)$/u.test(
    context.norm(at - 1),
  );

const isOrganizationWord = (word: string): boolean =>
  /^(?:inc|corp|corporation|ltd|limited|llc|gmbh|ag|group|bank|university|college|hospital|institute|company|airlines|foundation|school|club|street|avenue|road|lake|mount|river|park|airport|festival|conference|cup|team|office|county|city|island|beach|church|museum|hotel|station)$/u.test(
    word,
  );

/** The last token of a name that starts at `at`: initials, particles, surnames. */
const endOfName = (context: NameContext, at: number, introduced: boolean): number => {
  let last = at;
  while (last - at < 5 && context.areAdjacent(last, last + 1) && context.stem(last) === context.norm(last)) {
    const step = nextPartLength(context, last, introduced || context.isCapitalized(at));
    if (step === 0) break;
    last += step;
  }
  return last;
};

/** The number of tokens in the next part of a name; 0 at its end. */
const nextPartLength = (context: NameContext, last: number, trusted: boolean): number => {
  const next = context.at(last + 1);
  if (!next || !/^\p{L}[\p{L}'’-]*$/u.test(next.text)) return 0;
  if (/^\p{Lu}$/u.test(next.text) && next.text !== 'I' && next.trail === '.') return 1;
  if (PARTICLES.has(next.norm) && context.areAdjacent(last + 1, last + 2)) {
    const after = context.at(last + 2);
    if (
      after &&
      !isStop(after) &&
      (context.isProperNoun(last + 2) || (LAST.has(after.stem) && !AMBIGUOUS.has(after.stem)))
    )
      return 2;
    if (!next.isCapitalized) return 0;
  }
  if (isStop(next)) return 0;
  if (context.isCapitalized(last + 1))
    return isOrganizationWord(next.stem) || context.hasTag(last + 1, 'WeekDay', 'Month', 'Demonym') ? 0 : 1;
  if (LAST.has(next.stem)) return !AMBIGUOUS.has(next.stem) || isNounHere(context, last + 1) ? 1 : 0;
  return trusted &&
    !context.isCased(last + 1) &&
    !LEXICON.has(next.stem) &&
    !context.hasTag(last + 1, 'Verb', 'Adverb')
    ? 1
    : 0;
};

/** Whether an ambiguous surname in an all-lower-case sentence ("leonard marsh") is tagged as a noun. */
const isNounHere = (context: NameContext, at: number): boolean => {
  if (context.isCased(at)) return false;
  return (
    context.hasTag(at, 'Noun') &&
    !context.hasTag(at, 'Verb', 'Adjective', 'Pronoun', 'Date', 'Value', 'Preposition')
  );
};

const follows = (context: NameContext, at: number, phrases: readonly (readonly string[])[]): boolean =>
  phrases.some((phrase) => phrase.every((word, index) => context.norm(at - phrase.length + index) === word));
