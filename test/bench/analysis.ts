import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { analyze } from '../../electron/core/analysis/analyze.ts';
import { AnalysisThreads } from '../../electron/core/analysis/analyze-in-thread.ts';
import type { AnalysisTranscript } from '../../electron/core/analysis/types.ts';
import { silentLogger } from '../../electron/core/base/logger.ts';
import { createTagger } from '../../electron/core/engines/tagger/tagger.ts';
import { forkNodeWorker } from '../../electron/core/engines/worker/client.ts';
import { addonPath, buildAddon } from '../../native/build.mjs';
import { ROOT, WORKER_ENTRY } from '../support/paths.ts';
import { precision, readDialogues, readMarked, readTexts, recall } from '../unit/analysis/support/corpus.ts';
import { rouge } from '../unit/analysis/support/rouge.ts';
import { scoreEntities } from '../unit/analysis/support/score-entities.ts';
import { markedDialogue, transcriptOf } from '../unit/analysis/support/transcripts.ts';
import { printPrivateData, printRealTexts } from './private-data.ts';

const HOURS = 3;
const WORDS_PER_MINUTE = 150;
const ALL = {
  entity_detection: true,
  redact_pii: true,
  topics: true,
  summarization: true,
  content_safety: true,
};

const FILES = [
  'sentences-first.txt',
  'sentences-spoken.txt',
  'sentences-heldout.txt',
  'sentences-blind.txt',
  'traps.txt',
];

async function printEntities(): Promise<void> {
  const everything = [...FILES.flatMap(readMarked), ...readDialogues('dialogues.txt').map(markedDialogue)];
  const sets = [
    { name: 'all English', lines: everything, language: 'en' },
    ...FILES.map((file) => ({ name: file, lines: readMarked(file), language: 'en' })),
    ...['de', 'fr', 'es'].map((language) => ({
      name: language,
      lines: readMarked(`sentences-${language}.txt`),
      language,
    })),
  ];
  for (const { name, lines, language } of sets) {
    const { scores, misses } = await scoreEntities(lines, language);
    console.log(`\n${name}: ${lines.length} lines`);
    for (const [type, score] of [...scores].sort(([a], [b]) => a.localeCompare(b))) {
      const numbers = [precision(score), recall(score)].map((value) => value.toFixed(3)).join('  ');
      console.log(
        `  ${type.padEnd(14)} precision, recall  ${numbers}  (${score.truth} marked, ${score.found} found)`,
      );
    }
    for (const miss of misses)
      console.log(`  ${miss.kind} ${miss.type} <${miss.text}> in: ${miss.sentence.slice(0, 100)}`);
  }
}

async function printTexts(): Promise<void> {
  const texts = readTexts('texts.txt');
  let first = 0;
  let right = 0;
  let wanted = 0;
  let given = 0;
  let unigrams = 0;
  let bigrams = 0;
  let lead = 0;
  for (const text of texts) {
    const parts = text.text.split(/(?<=[.!?]) /);
    const { topics = [], summary } = await analyze(
      transcriptOf(parts),
      { topics: true, summarization: true },
      { secret: 'x' },
    );
    first += text.topics.includes(topics[0] ?? '') ? 1 : 0;
    right += text.topics.filter((topic) => topics.includes(topic)).length;
    wanted += text.topics.length;
    given += topics.length;
    unigrams += rouge(summary?.text ?? '', text.summary, 1);
    bigrams += rouge(summary?.text ?? '', text.summary, 2);
    lead += rouge(parts.slice(0, summary?.bullets?.length).join(' '), text.summary, 2);
  }
  const share = (value: number) => (value / texts.length).toFixed(3);
  console.log(
    `\ntopics of ${texts.length} texts: first right ${share(first)}, recall ${(right / wanted).toFixed(3)}, precision ${(right / given).toFixed(3)}`,
  );
  console.log(
    `summaries: ROUGE-1 ${share(unigrams)}, ROUGE-2 ${share(bigrams)} (first sentences: ${share(lead)})`,
  );
}

/** Hours of speech, made from the corpus. */
function longTranscript(): AnalysisTranscript {
  const parts = [
    ...FILES.flatMap(readMarked).map((line) => line.text),
    ...readTexts('texts.txt').flatMap((text) => text.text.split(/(?<=[.!?]) /)),
  ];
  const wanted = HOURS * 60 * WORDS_PER_MINUTE;
  const out: string[] = [];
  for (let words = 0, at = 0; words < wanted; at++) {
    const part = parts[(at * 7) % parts.length] ?? '';
    words += part.split(' ').length;
    out.push(part);
  }
  return transcriptOf(out);
}

async function printSpeed(): Promise<void> {
  const threads = new AnalysisThreads();
  const inThread: typeof analyze = (...input) => threads.analyze(...input);
  const transcript = longTranscript();
  await analyze(transcriptOf(['Warm up with Maria in Paris.']), ALL, { secret: 'x' });
  for (const [name, run] of [
    ['in the server', analyze],
    ['in a thread', inThread],
  ] as const) {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    await sleep(50);
    delay.enable();
    const start = performance.now();
    await run(transcript, ALL, { secret: 'x' });
    const seconds = (performance.now() - start) / 1000;
    delay.disable();
    const [middle, most] = [delay.percentile(99), delay.max].map((nanoseconds) =>
      (nanoseconds / 1e6).toFixed(1),
    );
    console.log(
      `\n${HOURS} hours, all analyses ${name}: ${seconds.toFixed(2)} s; event loop delay: 99 % under ${middle} ms, worst ${most} ms`,
    );
  }
}

const tagger = createTagger({
  fork: forkNodeWorker(WORKER_ENTRY),
  addonPath: addonPath() ?? (await buildAddon({ log: console.error })),
  folder: join(ROOT, 'resources/models'),
  log: silentLogger,
});
const { values } = parseArgs({
  options: { misses: { type: 'boolean', default: false }, speech: { type: 'string' } },
});
await printPrivateData(tagger, values.misses);
if (values.speech !== undefined) await printRealTexts(values.speech, tagger);
await tagger.close();
await printEntities();
await printTexts();
await printSpeed();
