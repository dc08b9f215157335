import type { Breathe } from './breath.ts';
import { findDates } from './entities/dates.ts';
import { findIbans } from './entities/ibans.ts';
import { findSpelledIpv6 } from './entities/spelled.ts';
import { findSpokenAddresses } from './entities/spoken-address.ts';
import { findWritten } from './entities/written.ts';
import { type Finding, outside } from './findings.ts';
import { NameContext } from './names/context.ts';
import { findOrganizations } from './names/organizations.ts';
import { findPeople } from './names/people.ts';
import { findPlaces } from './names/places.ts';
import { Tagger } from './names/tagger.ts';
import { findEvents, findProducts } from './names/things.ts';
import { classifyRun } from './numbers/classify.ts';
import { findRuns } from './numbers/runs.ts';
import { type Token, tokenizeSlowly, withoutMonsters, withoutRedacted } from './tokens.ts';

/** Tokens of one piece of work: far more than any entity, far less than the event loop's patience. */
const WINDOW = 400;
/** Tokens that two neighbouring pieces share, so that nothing is lost at their border. */
const OVERLAP = 60;

/** Everything that any detector sees in a text, overlaps included. Offsets are UTF-16 units into `original`. */
export const detect = async (
  original: string,
  language: string,
  breathe: Breathe,
  tagger: Tagger = new Tagger(),
): Promise<Finding[]> => {
  const text = withoutMonsters(original);
  const tokens = await tokenizeSlowly(text, breathe);
  const written = withoutRedacted(text, tokens);
  const found = new Map<string, Finding>();
  for (let start = 0; start < tokens.length; start += WINDOW) {
    const from = Math.max(0, start - OVERLAP);
    const own = tokens.slice(from, start + WINDOW + OVERLAP).map((token, index) => ({ ...token, index }));
    for (const one of await detectIn({ text, written }, own, language, breathe, tagger)) {
      const key = `${one.policy} ${one.from} ${one.to} ${one.entity}`;
      if (!found.has(key)) found.set(key, one);
    }
  }
  return [...found.values()];
};

const detectIn = async (
  { text, written }: { text: string; written: string },
  tokens: readonly Token[],
  language: string,
  breathe: Breathe,
  tagger: Tagger,
): Promise<Finding[]> => {
  const first = tokens[0];
  const last = tokens.at(-1);
  if (!first || !last) return [];
  const base = first.from - first.lead.length;
  const found = findWritten(written.slice(base, last.to + last.trail.length)).map((one) => {
    return { ...one, from: one.from + base, to: one.to + base };
  });
  await breathe();
  found.push(
    ...findSpokenAddresses(tokens),
    ...findIbans(written, tokens, language),
    ...findSpelledIpv6(tokens, language),
  );
  await breathe();
  for (const run of findRuns(tokens, language)) found.push(...classifyRun(run, tokens, language));
  await breathe();
  found.push(...findDates(tokens));
  await breathe();
  const context = new NameContext(tokens, await tagger.tag(text, tokens, breathe), language);
  for (const find of [findPeople, findPlaces, findOrganizations, findProducts, findEvents]) {
    found.push(...find(context));
    await breathe();
  }
  return outside(
    found,
    tokens.filter((token) => token.blocked),
  );
};
