import type { PiiPolicy } from '../../../contract/analysis.ts';
import { createYielder } from '../../base/event-loop.ts';
import { findRuns } from '../numbers/runs.ts';
import { locateSentences } from '../sentences.ts';
import { type DetectedSpan, entitySpan, excludeRedacted, hiddenSpan } from '../spans.ts';
import { tokenizeAsync } from '../tokens.ts';
import type { AnalysisTranscript, PrivateDataTagger } from '../types.ts';

/** What a model found in a text: spans to add to those of the rules, and where a name is possible at all. */
export type TaggedData = {
  readonly spans: readonly DetectedSpan[];
  isSurelyNothing(span: DetectedSpan): boolean;
};

/**
 * The labels of numbers are unreliable: whatever it calls a document is hidden as a number. Names and places are reported as
 * entities, too.
 */
const POLICY_OF: Readonly<Record<string, PiiPolicy>> = {
  given_name: 'person_name',
  surname: 'person_name',
  email: 'email_address',
  phone: 'phone_number',
  url: 'url',
  bank_account: 'bank_account',
  routing_number: 'bank_account',
  building_number: 'location',
  street_name: 'location',
  secondary_address: 'location',
  city: 'location',
  state: 'location',
  zip_code: 'location',
};
const NUMBER: PiiPolicy = 'number_sequence';
/** Below those of the rules, which know the kind better. */
const SCORE = 0.5;

type Reading = { readonly text: string; toOriginal(from: number, to: number): { from: number; to: number } };
type Edit = { readonly from: number; readonly to: number; readonly digits: string };

/** Reads spoken numbers as digits, which is how the model knows them. */
const readAloud = (text: string, from: number, to: number, edits: readonly Edit[]): Reading => {
  let read = '';
  const starts: number[] = [];
  const ends: number[] = [];
  const add = (part: string, start: number, end: number, isWhole: boolean) => {
    for (let at = 0; at < part.length; at += 1) {
      starts.push(isWhole ? start : start + at);
      ends.push(isWhole ? end : start + at + 1);
    }
    read += part;
  };
  let at = from;
  for (const edit of edits) {
    add(text.slice(at, edit.from), at, edit.from, false);
    add(edit.digits, edit.from, edit.to, true);
    at = edit.to;
  }
  add(text.slice(at, to), at, to, false);
  return {
    text: read,
    toOriginal: (start, end) => ({ from: starts[start] ?? from, to: ends[end - 1] ?? to }),
  };
};

const spokenNumbers = async (text: string, language: string): Promise<Edit[]> => {
  const tokens = await tokenizeAsync(text, createYielder());
  return findRuns(tokens, language).flatMap(({ groups }) =>
    groups.filter(({ isSpoken }) => isSpoken).map(({ from, to, digits }) => ({ from, to, digits })),
  );
};

/** Tags one sentence at a time: with its neighbors the model finds much less. Rejects if the model does not run. */
export const tagPrivateData = async (
  { text, segments, language }: AnalysisTranscript,
  tagger: PrivateDataTagger,
): Promise<TaggedData> => {
  const numbers = await spokenNumbers(text, language);
  let next = 0;
  const readings = locateSentences(text, segments).map(({ from, to }) => {
    const own: Edit[] = [];
    for (; (numbers[next]?.from ?? Number.POSITIVE_INFINITY) < to; next += 1) {
      const number = numbers[next];
      if (number && number.from >= from && number.to <= to) own.push(number);
    }
    return readAloud(text, from, to, own);
  });
  const found = await tagger.tag(readings.map((reading) => reading.text));
  const possible = new Uint8Array(text.length);
  const spans: DetectedSpan[] = [];
  for (const [index, words] of found.entries()) {
    const reading = readings[index];
    for (const word of words) {
      if (!reading) continue;
      const { from, to } = reading.toOriginal(word.from, word.to);
      possible.fill(1, from, to);
      if (word.kind !== null) addSpan(spans, text, POLICY_OF[word.kind] ?? NUMBER, from, to);
    }
  }
  const tokens = await tokenizeAsync(text, createYielder());
  return {
    spans: excludeRedacted(spans, tokens),
    isSurelyNothing: ({ from, to }) => possible.subarray(from, to).every((value) => value === 0),
  };
};

/** Joins neighbors of one kind, and completes words that the model saw in pieces. */
const addSpan = (spans: DetectedSpan[], text: string, policy: PiiPolicy, from: number, to: number): void => {
  const end = to + (/^[\p{L}\p{N}_@#-]*/u.exec(text.slice(to, to + 64))?.[0].length ?? 0);
  const start =
    from - (/[\p{L}\p{N}_@#-]*$/u.exec(text.slice(Math.max(0, from - 64), from))?.[0].length ?? 0);
  const last = spans.at(-1);
  if (last?.policy === policy && start - last.to < 4 && /^[\s.@,/-]*$/u.test(text.slice(last.to, start))) {
    last.to = Math.max(last.to, end);
    return;
  }
  if (!/[\p{L}\p{N}]/u.test(text.slice(start, end))) return;
  const span = policy === 'person_name' || policy === 'location' ? entitySpan : hiddenSpan;
  spans.push(span(policy, start, end, SCORE));
};

const VETOED: ReadonlySet<PiiPolicy> = new Set<PiiPolicy>(['person_name', 'location']);

/** Unites the finds of rules and model. A rule's name or place goes where the model is sure of nothing. */
export const uniteFinds = (rules: readonly DetectedSpan[], tagged: TaggedData | undefined): DetectedSpan[] =>
  tagged === undefined
    ? [...rules]
    : [
        ...rules.filter((span) => !(VETOED.has(span.policy) && tagged.isSurelyNothing(span))),
        ...tagged.spans,
      ];
