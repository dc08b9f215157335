import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolvePolicies } from '../../electron/contract/analysis.ts';
import { detectPrivateData, redactionSpans } from '../../electron/core/analysis/pii/redaction-spans.ts';
import { tagPrivateData, uniteFinds } from '../../electron/core/analysis/pii/tagged-data.ts';
import type { PrivateDataTagger } from '../../electron/core/analysis/types.ts';
import { FULL_SPEED } from '../../electron/core/base/event-loop.ts';
import { type Marked, parseMarked, readLines } from '../unit/analysis/support/corpus.ts';
import { transcriptOf } from '../unit/analysis/support/transcripts.ts';

/** Languages of the sentences in test/fixtures/analysis/private. */
const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt', 'it', 'nl'] as const;
/** A value counts as hidden if at most this share of its letters and digits stays: "the" before a date, say. */
const LEFT = 0.2;
const POLICIES = resolvePolicies(undefined);

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
): Promise<{ text: string; isHidden: Uint8Array; spans: { from: number; to: number }[] }> => {
  const transcript = transcriptOf(parts, language);
  const { text } = transcript;
  const rules = await detectPrivateData(text, language, FULL_SPEED);
  const tagged = tagger ? await tagPrivateData(transcript, tagger) : undefined;
  const spans = await redactionSpans(text, uniteFinds(rules, tagged), POLICIES, FULL_SPEED);
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

type Count = { all: number; hidden: number };
const share = ({ all, hidden }: Count): string =>
  all === 0 ? '–' : `${((100 * hidden) / all).toFixed(0)} % of ${all}`;

/** Prints recall by kind and language, and false alarms; with `showMisses` also what is missed. */
export const printPrivateData = async (
  tagger: PrivateDataTagger | undefined,
  showMisses: boolean,
): Promise<void> => {
  for (const form of ['as written', 'lower case without punctuation'] as const) {
    const table = new Map<string, Count>();
    const add = (kind: string, language: string, isHidden: boolean) => {
      for (const key of [`${kind} ${language}`, `${kind} all`, `all ${language}`, 'all all']) {
        const { all, hidden } = table.get(key) ?? { all: 0, hidden: 0 };
        table.set(key, { all: all + 1, hidden: hidden + (isHidden ? 1 : 0) });
      }
    };
    for (const language of LANGUAGES) {
      for (const line of readLines(`private/${language}.txt`)) {
        const marked = parseMarked(line);
        const change = form === 'as written' ? (text: string) => text : bare;
        const parts = partsOf(marked).map((part) => ({ ...part, text: change(part.text) }));
        const { text, isHidden } = await hiddenIn(parts, language, tagger);
        let at = 0;
        for (const mark of marked.marks) {
          const value = change(mark.text);
          const from = text.indexOf(value, at);
          if (from < 0) throw new Error(`The mark "${value}" is not in "${text}".`);
          at = from + value.length;
          const isValue = isValueHidden(text, isHidden, from, at);
          add(mark.type.replace(/_.*/, ''), language, isValue);
          if (!isValue && showMisses) console.log(`missed ${mark.type} ${language} <${value}> in: ${text}`);
        }
      }
    }
    console.log(`\n| ${form} | ${LANGUAGES.join(' | ')} | all |`);
    console.log(`|${' --- |'.repeat(LANGUAGES.length + 2)}`);
    const kinds = new Set([...table.keys()].map((key) => key.split(' ')[0] ?? ''));
    for (const kind of [...kinds].toSorted((a, b) => Number(a === 'all') - Number(b === 'all'))) {
      const cells = [...LANGUAGES, 'all'].map((language) =>
        share(table.get(`${kind} ${language}`) ?? { all: 0, hidden: 0 }),
      );
      console.log(`| ${kind} | ${cells.join(' | ')} |`);
    }
  }
  const lines = readLines('private/harmless.txt');
  let alarms = 0;
  for (const line of lines) {
    const [language = 'en', text = ''] = line.split('|');
    const { spans } = await hiddenIn([{ text, speaker: 'A' }], language, tagger);
    alarms += spans.length > 0 ? 1 : 0;
    if (showMisses)
      for (const { from, to } of spans)
        console.log(`false alarm ${language} <${text.slice(from, to)}> in: ${text}`);
  }
  console.log(`\nfalse alarms: in ${alarms} of ${lines.length} harmless sentences`);
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
