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

/** A text as detectors read it: in plain signs, with digits for spoken numbers. */
export type ReadText = {
  readonly text: string;
  /** Without what is redacted. */
  readonly written: string;
  readonly tokens: readonly Token[];
  readonly toOriginal: (span: DetectedSpan) => DetectedSpan;
};

export const readText = (original: string, language: string): ReadText => {
  const folded = foldText(original);
  const plain = blankOverlong(folded.text);
  const reading = readNumbers(plain, tokenize(plain), language);
  const tokens = tokenize(reading.text);
  return {
    text: reading.text,
    written: blankRedacted(reading.text, tokens),
    tokens,
    toOriginal: (span) => folded.toOriginal(reading.toOriginal(span)),
  };
};

/** Finds spans among tokens, with offsets into the read text. */
export type Detector = (tokens: readonly Token[]) => DetectedSpan[];

/** Runs all entity detectors, and others beside them. Spans may overlap; offsets are UTF-16 units into the original. */
export const detectIn = (
  { text, written, tokens, toOriginal }: ReadText,
  language: string,
  tagger: Tagger,
  others: Detector = () => [],
): DetectedSpan[] => {
  const found = new Map<string, DetectedSpan>();
  for (const window of tokenWindows(tokens)) {
    const spans = [...detectInWindow({ text, written }, window, language, tagger), ...others(window)];
    for (const span of excludeRedacted(spans, window))
      if (!found.has(keyOf(span))) found.set(keyOf(span), span);
  }
  return [...found.values()].map(toOriginal);
};

export const detectEntities = (original: string, language: string): DetectedSpan[] =>
  detectIn(readText(original, language), language, new Tagger());

const detectInWindow = (
  { text, written }: Pick<ReadText, 'text' | 'written'>,
  tokens: readonly Token[],
  language: string,
  tagger: Tagger,
): DetectedSpan[] => {
  const first = tokens[0];
  const last = tokens.at(-1);
  if (!first || !last) return [];
  const base = first.from - first.lead.length;
  const context = new NameContext(tokens, tagger.tag(text, tokens), language);
  return [
    ...findWrittenAddresses(written.slice(base, last.to + last.trail.length)).map((span) => {
      return { ...span, from: span.from + base, to: span.to + base };
    }),
    ...findSpokenAddresses(tokens),
    ...findIbans(written, tokens),
    ...findSpelledIpv6(tokens),
    ...findRuns(tokens, language).flatMap((run) => classifyNumbers(run, tokens, language)),
    ...findDates(tokens),
    ...[findPeople, findPlaces, findOrganizations, findProducts, findEvents].flatMap((find) => find(context)),
  ];
};
