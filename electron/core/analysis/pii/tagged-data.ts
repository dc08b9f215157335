import type { PiiPolicy } from '../../../contract/analysis.ts';
import { isPlainWord } from '../names/plain-words.ts';
import { numberWords, smallValue } from '../numbers/number-words.ts';
import { readNumbers } from '../numbers/reading.ts';
import { locateSentences } from '../sentences.ts';
import { type DetectedSpan, entitySpan, excludeRedacted, hiddenSpan } from '../spans.ts';
import { tokenize } from '../tokens.ts';
import type { AnalysisTranscript, PrivateDataTagger } from '../types.ts';

/** What a model found in a text: spans to add to those of the rules, and which finds of rules are none. */
export type TaggedData = {
  readonly spans: readonly DetectedSpan[];
  isNoName(span: DetectedSpan): boolean;
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
/** Kinds of a place that are private only beside a street or a city: "gate 22" is a number, too. */
const PARTS_OF_ADDRESS: ReadonlySet<string> = new Set([
  'building_number',
  'secondary_address',
  'state',
  'zip_code',
]);
/** Below those of the rules, which know the kind better. */
const SCORE = 0.5;
/** For a name in lower case in a sentence that has capitals. */
const SURE = 0.955;

type Word = { readonly from: number; readonly to: number; readonly kind: string; readonly score: number };

const isNameOrPlace = (policy: PiiPolicy): boolean => policy === 'person_name' || policy === 'location';
const policyOf = (kind: string): PiiPolicy => POLICY_OF[kind] ?? NUMBER;

/** Whether a word can be a name or place by itself: not a number, nor a word of everyday language. */
const isTelling = (text: string, { from, to, score }: Word, language: string, isCased: boolean): boolean => {
  const word = text.slice(from, to);
  const isNumber = smallValue(word.toLowerCase(), numberWords(language)) !== undefined;
  if (!/\p{L}/u.test(word) || isNumber || isPlainWord(word.toLowerCase())) return false;
  return !isCased || /\p{Lu}/u.test(word) || score >= SURE;
};

/** The words of a sentence, as offsets in its reading, that are private. */
const privateWords = (text: string, words: readonly Word[], language: string): Word[] => {
  const isCased = /\p{Lu}/u.test(text);
  const telling = words.map(
    (word) =>
      !PARTS_OF_ADDRESS.has(word.kind) &&
      (!isNameOrPlace(policyOf(word.kind)) || isTelling(text, word, language, isCased)),
  );
  const hasAddress = words.some(
    ({ kind }, index) => telling[index] && (kind === 'street_name' || kind === 'city'),
  );
  return words.filter((word, index) => {
    if (PARTS_OF_ADDRESS.has(word.kind)) return hasAddress;
    if (telling[index]) return true;
    // "de la" inside of a name goes with it.
    return [index - 1, index + 1].some((next) => {
      const other = words[next];
      const isNear = other && Math.min(Math.abs(other.from - word.to), Math.abs(word.from - other.to)) <= 2;
      return isNear && telling[next] && policyOf(other.kind) === policyOf(word.kind);
    });
  });
};

/** Tags one sentence at a time: with its neighbors the model finds much less. Rejects if the model does not run. */
export const tagPrivateData = async (
  { text, segments, language }: AnalysisTranscript,
  tagger: PrivateDataTagger,
): Promise<TaggedData> => {
  const sentences = locateSentences(text, segments).map(({ from, to }) => {
    const own = text.slice(from, to);
    return { from, to, reading: readNumbers(own, tokenize(own), language) };
  });
  const found = await tagger.tag(sentences.map(({ reading }) => reading.text));
  const possible = new Uint8Array(text.length);
  const cased = new Uint8Array(text.length);
  const spans: DetectedSpan[] = [];
  for (const [index, words] of found.entries()) {
    const sentence = sentences[index];
    if (!sentence) continue;
    const inText = (word: { from: number; to: number }) => {
      const { from, to } = sentence.reading.toOriginal({ from: word.from, to: word.to });
      return { from: from + sentence.from, to: to + sentence.from };
    };
    for (const word of words) possible.fill(1, inText(word).from, inText(word).to);
    if (/\p{Lu}/u.test(sentence.reading.text)) cased.fill(1, sentence.from, sentence.to);
    const likely = words.flatMap(({ kind, ...word }) => (kind === null ? [] : [{ kind, ...word }]));
    for (const word of privateWords(sentence.reading.text, likely, language)) {
      const { from, to } = inText(word);
      addSpan(spans, text, policyOf(word.kind), from, to);
    }
  }
  const tokens = tokenize(text);
  return {
    spans: excludeRedacted(spans, tokens),
    isNoName: ({ from, to, policy }) => {
      const isLower = cased[from] === 1 && !/\p{Lu}/u.test(text.slice(from, to));
      if (isLower && !spans.some((span) => span.from < to && from < span.to)) return true;
      return isNameOrPlace(policy) && possible.subarray(from, to).every((value) => value === 0);
    },
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
  spans.push((isNameOrPlace(policy) ? entitySpan : hiddenSpan)(policy, start, end, SCORE));
};

/** What the rules know not to be a person or a place. */
const NO_PRIVATE_NAME: ReadonlySet<PiiPolicy> = new Set<PiiPolicy>(['organization', 'product', 'event']);

/**
 * Unites the finds of rules and model. A rule's name goes where the model is sure of nothing, or finds nothing and the name is in
 * lower case though the sentence has capitals; a name of the model goes where a rule knows an organization, a product or an event.
 */
export const uniteFinds = (
  rules: readonly DetectedSpan[],
  tagged: TaggedData | undefined,
): DetectedSpan[] => {
  if (tagged === undefined) return [...rules];
  const others = rules.filter(({ policy }) => NO_PRIVATE_NAME.has(policy));
  return [
    ...rules.filter((span) => {
      const isName = isNameOrPlace(span.policy) || NO_PRIVATE_NAME.has(span.policy);
      return !(span.entity !== null && isName && tagged.isNoName(span));
    }),
    ...tagged.spans.filter(
      (span) =>
        !isNameOrPlace(span.policy) || !others.some(({ from, to }) => from <= span.from && span.to <= to),
    ),
  ];
};
