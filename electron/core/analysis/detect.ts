import { findDates } from './entities/dates.ts';
import { findIbans } from './entities/ibans.ts';
import { findSpelledIpv6 } from './entities/spelled.ts';
import { findSpokenAddresses } from './entities/spoken-address.ts';
import { findWrittenAddresses } from './entities/written-addresses.ts';
import { foldText } from './fold.ts';
import { NameContext } from './names/context.ts';
import { findOrganizations } from './names/organizations.ts';
import { findPeople } from './names/people.ts';
import { findPlaces } from './names/places.ts';
import { findEvents, findProducts } from './names/products-and-events.ts';
import { Tagger } from './names/tagger.ts';
import { classifyNumbers } from './numbers/classify.ts';
import { readNumbers } from './numbers/reading.ts';
import { findRuns } from './numbers/runs.ts';
import { type DetectedSpan, excludeRedacted } from './spans.ts';
import { blankOverlong, blankRedacted, type Token, tokenize, tokenWindows } from './tokens.ts';

const keyOf = ({ policy, from, to, entity }: DetectedSpan): string => `${policy} ${from} ${to} ${entity}`;

/** Runs all entity detectors. Spans may overlap; offsets are UTF-16 units into `original`. */
export const detectEntities = (
  original: string,
  language: string,
  tagger: Tagger = new Tagger(),
): DetectedSpan[] => {
  const folded = foldText(original);
  const text = blankOverlong(folded.text);
  const tokens = tokenize(text);
  const written = blankRedacted(text, tokens);
  const found = new Map<string, DetectedSpan>();
  for (const window of tokenWindows(tokens)) {
    for (const span of detectInWindow({ text, written }, window, language, tagger)) {
      if (!found.has(keyOf(span))) found.set(keyOf(span), span);
    }
  }
  const reading = readNumbers(text, tokens, language);
  const readTokens = tokenize(reading.text);
  const read = blankRedacted(reading.text, readTokens);
  for (const window of tokenWindows(readTokens)) {
    const spelled = excludeRedacted([...findIbans(read, window), ...findSpelledIpv6(window)], window);
    for (const span of spelled.map(reading.toOriginal)) found.set(keyOf(span), span);
  }
  return [...found.values()].map(folded.toOriginal);
};

const detectInWindow = (
  { text, written }: { text: string; written: string },
  tokens: readonly Token[],
  language: string,
  tagger: Tagger,
): DetectedSpan[] => {
  const first = tokens[0];
  const last = tokens.at(-1);
  if (!first || !last) return [];
  const base = first.from - first.lead.length;
  const found = findWrittenAddresses(written.slice(base, last.to + last.trail.length)).map((span) => {
    return { ...span, from: span.from + base, to: span.to + base };
  });
  found.push(...findSpokenAddresses(tokens));
  for (const run of findRuns(tokens, language)) found.push(...classifyNumbers(run, tokens, language));
  found.push(...findDates(tokens));
  const context = new NameContext(tokens, tagger.tag(text, tokens), language);
  for (const find of [findPeople, findPlaces, findOrganizations, findProducts, findEvents]) {
    found.push(...find(context));
  }
  return excludeRedacted(found, tokens);
};
