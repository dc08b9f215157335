import { readFileSync } from 'node:fs';

const FIXTURES = new URL('../../../fixtures/analysis/', import.meta.url);

export type Marked = {
  text: string;
  marks: { type: string; text: string; from: number; to: number }[];
};

/** A line with `[type:text]` marks as plain text with the marks' places. */
export const parseMarked = (line: string): Marked => {
  const marks: Marked['marks'] = [];
  let text = '';
  let end = 0;
  for (const match of line.matchAll(/\[([a-z_]+):([^\]]*)\]/g)) {
    text += line.slice(end, match.index);
    const [whole, type = '', value = ''] = match;
    marks.push({ type, text: value, from: text.length, to: text.length + value.length });
    text += value;
    end = match.index + whole.length;
  }
  return { text: text + line.slice(end), marks };
};

/** The marked lines of a corpus file. */
export const readMarked = (name: string): Marked[] => readLines(name).map(parseMarked);

export const readLines = (name: string): string[] => {
  const lines = readFileSync(new URL(name, FIXTURES), 'utf8').split('\n');
  return lines.filter((line) => line.trim() !== '' && !line.startsWith('#'));
};

export type Score = {
  truth: number;
  found: number;
  right: number;
};

export const precision = (score: Score): number => (score.found === 0 ? 1 : score.right / score.found);
export const recall = (score: Score): number => (score.truth === 0 ? 1 : score.right / score.truth);

export type LongText = {
  title: string;
  topics: string[];
  summary: string;
  text: string;
};

/** The longer texts with their expected topics and reference summaries. */
export const readTexts = (name: string): LongText[] =>
  blocks(name).map(([title = '', topics = '', summary = '', ...rest]) => ({
    title,
    topics: topics.replace(/^topics:\s*/, '').split(/;\s*/),
    summary: summary.replace(/^summary:\s*/, ''),
    text: rest.join(' '),
  }));

export type Dialogue = {
  title: string;
  lines: (Marked & { speaker: string })[];
};

/** The dialogues, a segment a line. */
export const readDialogues = (name: string): Dialogue[] =>
  blocks(name).map(([title = '', ...lines]) => ({
    title,
    lines: lines.map((line) => ({ ...parseMarked(line.replace(/^[A-Z]: /, '')), speaker: line.charAt(0) })),
  }));

const blocks = (name: string): string[][] => {
  const parts = readLines(name).join('\n').split(/^== /m);
  return parts.filter((part) => part.trim() !== '').map((part) => part.trim().split('\n'));
};
