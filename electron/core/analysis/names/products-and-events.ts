import things from '../../../../resources/lexicons/things.json' with { type: 'json' };
import { type DetectedSpan, entitySpan } from '../spans.ts';
import { isStop, type NameContext } from './context.ts';
import { Gazetteer } from './gazetteer.ts';

const PRODUCTS = new Gazetteer([...things.products, ...things.ambiguousProducts]);
const AMBIGUOUS = new Set(things.ambiguousProducts);
const EVENTS = new Gazetteer(things.events);
const EVENT_HEADS = new Set(things.eventHeads);
const EDITION = /^(?:\d{1,4}[a-z]?|pro|max|plus|mini|ultra|air|se|xl|lite|one|x|s|classic|home|server)$/u;

/** Detects products by list, with the edition after them ("iPhone 15 Pro"). */
export const findProducts = (context: NameContext): DetectedSpan[] => {
  const found: DetectedSpan[] = [];
  for (let at = 0; at < context.tokens.length; at++) {
    const match = PRODUCTS.match(context.tokens, at);
    const first = context.at(at);
    if (!match || !first) continue;
    const last = endOfEdition(context, match.last);
    if (last === at && AMBIGUOUS.has(match.phrase) && !context.isProperNoun(at)) continue;
    if (last === at && context.hasTag(at + 1, 'LastName') && context.isCapitalized(at + 1)) continue;
    const end = context.at(last);
    if (!end) continue;
    found.push(entitySpan('product', first.from, end.stemTo, 58));
    at = last;
  }
  return found;
};

const endOfEdition = (context: NameContext, from: number): number => {
  let last = from;
  while (last - from < 3 && context.areAdjacent(last, last + 1) && EDITION.test(context.norm(last + 1))) {
    const next = context.at(last + 1);
    const number = /^\d/u.test(next?.norm ?? '');
    if (!number && !next?.isCapitalized && context.isCased(last + 1)) break;
    if (
      !number &&
      /^(?:one|x|s|home|air|max|plus|classic|server)$/u.test(next?.norm ?? '') &&
      !next?.isCapitalized
    )
      break;
    last += 1;
  }
  return last;
};

/** Detects events by list, and capitalized words up to a kind of event ("Berlin Film Festival 2024"). */
export const findEvents = (context: NameContext): DetectedSpan[] => {
  const found: DetectedSpan[] = [];
  for (let at = 0; at < context.tokens.length; at++) {
    const last = headedEvent(context, at) ?? listedEvent(context, at);
    const first = context.at(at);
    const end = last === undefined ? undefined : context.at(last);
    if (!first || !end || last === undefined) continue;
    found.push(entitySpan('event', first.from, end.stemTo, 63));
    at = last;
  }
  return found;
};

const listedEvent = (context: NameContext, at: number): number | undefined => {
  const match = EVENTS.match(context.tokens, at);
  if (!match) return undefined;
  const common =
    /^(?:mundial|expo|ironman|wimbledon|sundance|ces|woodstock|oscars|emmys|davos|berlinale|prime day|civil war)$/u;
  return common.test(match.phrase) && !context.isCapitalized(at) ? undefined : match.last;
};

const headedEvent = (context: NameContext, at: number): number | undefined => {
  if (
    !context.isCapitalized(at) ||
    isStop(context.at(at)) ||
    (context.startsSentence(at) && !context.hasTag(at, 'ProperNoun'))
  )
    return undefined;
  let last = at;
  let best: number | undefined;
  while (
    last - at < 5 &&
    context.areAdjacent(last, last + 1) &&
    (context.isProperNoun(last + 1) || /^(?:of|the)$/u.test(context.norm(last + 1)))
  ) {
    last += 1;
    if (EVENT_HEADS.has(context.stem(last)) && context.isProperNoun(last)) best = last;
  }
  if (
    best !== undefined &&
    /^(?:19|20)\d\d$/u.test(context.norm(best + 1)) &&
    context.areAdjacent(best, best + 1)
  )
    return best + 1;
  return best;
};
