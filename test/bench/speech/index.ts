// `npm run bench -- --speech FOLDER`: what Earshot makes of real speech, beside whisper-cli and faster-whisper with the same weights.

import { writeFileSync } from 'node:fs';
import {
  clipRecording,
  isSilent,
  isSpoken,
  LONG_RECORDINGS,
  longRecording,
  type Recording,
  readClips,
} from './corpus.ts';
import { type Program, startEarshot, startFasterWhisper, startWhisperCli } from './programs.ts';
import { type Score, type Summary, scoreOf, summarize } from './score.ts';

export type SpeechOptions = {
  readonly folder: string;
  /** Whisper weights in GGML's format. */
  readonly model: string;
  /** Languages, groups, `clips`, `long` or names of recordings, separated by commas; default: all. */
  readonly only: string | undefined;
  /** Clips of each group. */
  readonly limit: number;
  readonly programs: readonly string[];
  readonly threads: number;
  /** Where the scores go as JSON. */
  readonly json: string | undefined;
};

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const percent = (value: number | null): string => (value === null ? '–' : `${(100 * value).toFixed(1)} %`);

const COLUMNS: readonly (readonly [string, (summary: Summary) => string])[] = [
  ['files', ({ files }) => String(files)],
  ['minutes', ({ seconds }) => (seconds / 60).toFixed(1)],
  ['wrong', ({ errorRate }) => percent(errorRate)],
  ['sub/del/ins', ({ substitutions: s, deletions: d, insertions: i }) => `${s}/${d}/${i}`],
  ['invented/min', ({ inventedPerMinute: value }) => (value === null ? '–' : value.toFixed(1))],
  ['lost', ({ lost }) => String(lost)],
  ['doubled', ({ doubled }) => String(doubled)],
  ['language', ({ languagesRight }) => languagesRight ?? '–'],
  [
    'start ms',
    ({ startMs }) => (startMs === null ? '–' : `${startMs.median.toFixed(0)}, ${startMs.p95.toFixed(0)}`),
  ],
  ['calibration', ({ calibrationError: value }) => (value === null ? '–' : value.toFixed(3))],
  ['cpu s/min', ({ cpuPerMinute }) => cpuPerMinute.toFixed(1)],
];

const tableOf = (rows: readonly (readonly [name: string, summary: Summary])[]): string => {
  const cells = [
    ['', ...COLUMNS.map(([title]) => title)],
    ...rows.map(([name, summary]) => [name, ...COLUMNS.map(([, of]) => of(summary))]),
  ];
  const widths =
    cells[0]?.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))) ?? [];
  return cells
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  '),
    )
    .join('\n');
};

/** The recordings that are asked for, each made when its turn comes. */
const choose = (options: SpeechOptions, work: string): (() => Promise<Recording>)[] => {
  const { folder, only, limit } = options;
  const clips = readClips(folder);
  const counts = new Map<string, number>();
  const wanted = only?.split(',');
  const isWanted = (names: readonly string[]) => wanted?.some((name) => names.includes(name)) ?? true;
  const chosen = clips.filter((clip) => {
    if (!isSpoken(clip) && !isSilent(clip)) return false;
    if (!isWanted(['clips', clip.language, clip.group, clip.name])) return false;
    const count = (counts.get(clip.group) ?? 0) + 1;
    counts.set(clip.group, count);
    return count <= limit;
  });
  return [
    ...chosen.map((clip) => () => clipRecording(folder, clip, work)),
    ...LONG_RECORDINGS.filter((name) => isWanted(['long', name])).map(
      (name) => () => longRecording(folder, clips, name, work),
    ),
  ];
};

const startPrograms = async ({ model, programs, threads }: SpeechOptions): Promise<Program[]> => {
  const started: (Program | undefined)[] = [];
  if (programs.includes('earshot')) started.push(await startEarshot(model));
  if (programs.includes('whisper-cli')) started.push(await startWhisperCli(model, threads));
  if (programs.includes('faster-whisper')) started.push(await startFasterWhisper(threads));
  return started.filter((program) => program !== undefined);
};

const printProgram = (program: Program, scores: readonly Score[]): void => {
  print(`\n${program.name}, at most ${program.peak().toFixed(0)} MB\n`);
  const isLong = ({ group }: Score) => LONG_RECORDINGS.includes(group);
  const by = (key: (score: Score) => string) =>
    [
      ...Map.groupBy(
        scores.filter((score) => !isLong(score)),
        key,
      ),
    ].map(([name, own]) => [name, summarize(own)] as const);
  const clips = scores.filter((score) => !isLong(score));
  print(
    tableOf([
      ...by(({ group }) => group),
      ...by(({ language }) => `language ${language}`),
      ...(clips.length > 0 ? [['all clips', summarize(clips)] as const] : []),
      ...scores.filter(isLong).map((score) => [score.name, summarize([score])] as const),
    ]),
  );
  for (const { name, lost, doubled, invented, text } of scores) {
    for (const passage of lost) print(`lost in ${name}: ${passage}`);
    for (const passage of doubled) print(`doubled in ${name}: ${passage}`);
    if (invented > 0) print(`invented in ${name}: ${text.trim().slice(0, 200)}`);
  }
};

const writeReport = (
  path: string,
  programs: readonly Program[],
  scores: ReadonlyMap<string, readonly Score[]>,
): void => {
  const report = programs.map((program) => {
    const own = scores.get(program.name) ?? [];
    const peakMegabytes = Math.round(program.peak());
    return { program: program.name, peakMegabytes, all: summarize(own), recordings: own };
  });
  writeFileSync(path, `${JSON.stringify(report, null, 1)}\n`);
};

export const compareSpeech = async (options: SpeechOptions, work: string): Promise<void> => {
  const programs = await startPrograms(options);
  const scores = new Map<string, Score[]>(programs.map(({ name }) => [name, []]));
  const recordings = choose(options, work);
  for (const [index, make] of recordings.entries()) {
    const recording = await make();
    for (const program of programs) {
      scores.get(program.name)?.push(scoreOf(recording, await program.hear(recording)));
    }
    // After each recording, so that a run that is cut short has its scores.
    if (options.json !== undefined) writeReport(options.json, programs, scores);
    process.stderr.write(`${index + 1}/${recordings.length} ${recording.name}\n`);
  }
  for (const program of programs) printProgram(program, scores.get(program.name) ?? []);
  for (const program of programs) await program.close();
};
