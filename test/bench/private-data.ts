import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolvePolicies, USUAL_PII } from '../../electron/contract/analysis.ts';
import { detectPrivateData, redactionSpans } from '../../electron/core/analysis/pii/redaction-spans.ts';
import { tagPrivateData, uniteFinds } from '../../electron/core/analysis/pii/tagged-data.ts';
import type { PrivateDataTagger } from '../../electron/core/analysis/types.ts';
import { type Marked, parseMarked, readLines } from '../unit/analysis/support/corpus.ts';
import { transcriptOf } from '../unit/analysis/support/transcripts.ts';

/** Languages of the sentences in test/fixtures/analysis/private. */
const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt', 'it', 'nl'] as const;
/** A value counts as hidden if at most this share of its letters and digits stays: "the" before a date, say. */
const LEFT = 0.2;

export const FORMS = ['as written', 'lower case without punctuation'] as const;
export const SETS = ['first', 'second'] as const;
/** Harmless sentences; the third are everyday talk, and no rule was changed for any of them before they were counted. */
export const HARMLESS = ['harmless', 'second-harmless', 'third-harmless'] as const;
type SentenceSet = (typeof SETS)[number];
type Sentence = { readonly language: string; readonly text: string };
type Count = { all: number; hidden: number };

const withLanguage = (name: string): Sentence[] =>
  readLines(`private/${name}.txt`).map((line) => ({ language: line.slice(0, 2), text: line.slice(3) }));

const sentencesOf = (set: SentenceSet): Sentence[] =>
  set === 'second'
    ? withLanguage('second')
    : LANGUAGES.flatMap((language) =>
        readLines(`private/${language}.txt`).map((text) => ({ language, text })),
      );

/** Whom a sentence is from: several speakers are apart by "//". */
const partsOf = ({ text }: Marked) =>
  text.split(' // ').map((part, index) => ({ text: part, speaker: index % 2 === 0 ? 'A' : 'B' }));

/** As a recognizer writes that is unsure of marks and capitals. */
const bare = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[.,;:!?¿¡"«»()]+(?=\s|$)|(?<=^|\s)[.,;:!?¿¡"«»()]+/gu, '')
    .replace(/ +/g, ' ')
    .trim();

const hiddenIn = async (
  parts: { text: string; speaker: string }[],
  language: string,
  tagger?: PrivateDataTagger,
  policies = resolvePolicies(),
): Promise<{ text: string; isHidden: Uint8Array; spans: { from: number; to: number }[] }> => {
  const transcript = transcriptOf(parts, language);
  const { text } = transcript;
  const rules = detectPrivateData(text, language);
  const tagged = tagger ? await tagPrivateData(transcript, tagger) : undefined;
  const spans = redactionSpans(text, uniteFinds(rules, tagged), policies);
  const isHidden = new Uint8Array(text.length);
  for (const { from, to } of spans) isHidden.fill(1, from, to);
  return { text, isHidden, spans };
};

const isValueHidden = (text: string, isHidden: Uint8Array, from: number, to: number): boolean => {
  let all = 0;
  let left = 0;
  for (let at = from; at < to; at += 1) {
    if (!/[\p{L}\p{N}]/u.test(text.charAt(at))) continue;
    all += 1;
    if (isHidden[at] !== 1) left += 1;
  }
  return left <= all * LEFT;
};

/** The values of a set that are hidden, by "kind language", "kind all", "all language" and "all all". */
export const measureRecall = async (
  set: SentenceSet,
  form: (typeof FORMS)[number],
  tagger: PrivateDataTagger | undefined,
  onMiss: (miss: string) => void = () => {},
): Promise<Map<string, Count>> => {
  const table = new Map<string, Count>();
  const change = form === 'as written' ? (text: string) => text : bare;
  for (const { language, text: line } of sentencesOf(set)) {
    const marked = parseMarked(line);
    const parts = partsOf(marked).map((part) => ({ ...part, text: change(part.text) }));
    const { text, isHidden } = await hiddenIn(parts, language, tagger);
    let at = 0;
    for (const mark of marked.marks) {
      const value = change(mark.text);
      const from = text.indexOf(value, at);
      if (from < 0) throw new Error(`The mark "${value}" is not in "${text}".`);
      at = from + value.length;
      const isFound = isValueHidden(text, isHidden, from, at);
      const kind = mark.type.replace(/_.*/, '');
      for (const key of [`${kind} ${language}`, `${kind} all`, `all ${language}`, 'all all']) {
        const { all, hidden } = table.get(key) ?? { all: 0, hidden: 0 };
        table.set(key, { all: all + 1, hidden: hidden + (isFound ? 1 : 0) });
      }
      if (!isFound) onMiss(`missed ${mark.type} ${language} <${value}> in: ${text}`);
    }
  }
  return table;
};

/** In how many harmless sentences something is hidden: of all kinds, and of those that the window hides. */
export const countAlarms = async (
  set: (typeof HARMLESS)[number],
  tagger: PrivateDataTagger | undefined,
  onAlarm: (alarm: string) => void = () => {},
): Promise<{ sentences: number; all: number; usual: number }> => {
  const harmless = withLanguage(set);
  const usualKinds = resolvePolicies(USUAL_PII);
  let all = 0;
  let usual = 0;
  for (const { language, text } of harmless) {
    const parts = [{ text, speaker: 'A' }];
    const { spans } = await hiddenIn(parts, language, tagger);
    if (spans.length === 0) continue;
    all += 1;
    usual += (await hiddenIn(parts, language, tagger, usualKinds)).spans.length > 0 ? 1 : 0;
    for (const { from, to } of spans)
      onAlarm(`false alarm ${language} <${text.slice(from, to)}> in: ${text}`);
  }
  return { sentences: harmless.length, all, usual };
};

const percent = ({ all, hidden }: Count): string => ((100 * hidden) / all).toFixed(0);

/** Prints recall by kind and language in both forms, and false alarms; with `showMisses` also what is missed. */
export const printPrivateData = async (
  tagger: PrivateDataTagger | undefined,
  showMisses: boolean,
): Promise<void> => {
  const show = showMisses ? (line: string) => console.log(line) : undefined;
  for (const set of SETS) {
    const tables: Map<string, Count>[] = [];
    for (const form of FORMS) tables.push(await measureRecall(set, form, tagger, show));
    console.log(`\n| ${set} set: % ${FORMS.join(' / ')} | ${LANGUAGES.join(' | ')} | all | values |`);
    console.log(`|${' --- |'.repeat(LANGUAGES.length + 3)}`);
    const kinds = [...new Set([...(tables[0] ?? new Map()).keys()].map((key) => key.split(' ')[0] ?? ''))];
    for (const kind of kinds.toSorted((a, b) => Number(a === 'all') - Number(b === 'all'))) {
      const cells = [...LANGUAGES, 'all'].map((language) => {
        const counts = tables.flatMap((table) => table.get(`${kind} ${language}`) ?? []);
        return counts.length === 0 ? '–' : counts.map(percent).join(' / ');
      });
      console.log(`| ${kind} | ${cells.join(' | ')} | ${tables[0]?.get(`${kind} all`)?.all} |`);
    }
  }
  for (const set of HARMLESS) {
    const { sentences, all, usual } = await countAlarms(set, tagger, show);
    console.log(`\n${set}: something hidden in ${all} of ${sentences}, of what the window hides in ${usual}`);
  }
};

/** Prints how often anything is hidden in the true texts of real speech. */
export const printRealTexts = async (
  folder: string,
  tagger: PrivateDataTagger | undefined,
): Promise<void> => {
  let words = 0;
  let alarms = 0;
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.json'))) {
    const { text, language }: { text?: string; language?: string } = JSON.parse(
      readFileSync(join(folder, name), 'utf8'),
    );
    if (!text || !language || !LANGUAGES.some((one) => one === language)) continue;
    words += text.split(/\s+/).length;
    alarms += (await hiddenIn([{ text, speaker: 'A' }], language, tagger)).spans.length;
  }
  console.log(
    `hidden in ${words} words of real speech: ${((1000 * alarms) / words).toFixed(1)} per 1,000 words`,
  );
};
