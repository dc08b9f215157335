// Applies unified diffs to copies of source files. Plain JavaScript, because a fresh machine has neither git nor patch.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

/** Reads one hunk from `lines[at]`, its `@@` line. Its body is as long as that line says. */
const readHunk = (lines, at) => {
  const [, start, oldCount = '1', newCount = '1'] = HUNK.exec(lines[at]) ?? [];
  if (start === undefined) throw new Error(`line ${at + 1} is not the start of a hunk`);
  const before = [];
  const after = [];
  let next = at + 1;
  while (before.length < Number(oldCount) || after.length < Number(newCount)) {
    const line = lines[next];
    const mark = line?.[0];
    if (mark !== ' ' && mark !== '-' && mark !== '+')
      throw new Error(`line ${next + 1} does not belong to its hunk`);
    if (mark !== '+') before.push(line.slice(1));
    if (mark !== '-') after.push(line.slice(1));
    next += 1;
  }
  if (before.length !== Number(oldCount) || after.length !== Number(newCount)) {
    throw new Error(`the hunk at line ${at + 1} does not have the number of lines that it states`);
  }
  return { hunk: { start: Number(start), before, after }, next };
};

/** The changed files of a unified diff: `{path, hunks}` each. What stands before the first `---` is its description. */
const parsePatch = (text) => {
  const lines = text.split(/\r?\n/);
  const files = [];
  for (let at = 0; at < lines.length; ) {
    const file = /^\+\+\+ b\/(.+)$/.exec(lines[at])?.[1];
    if (file !== undefined && lines[at - 1] === `--- a/${file}`) {
      files.push({ path: file, hunks: [] });
      at += 1;
    } else if (files.length > 0 && lines[at].startsWith('@@')) {
      const { hunk, next } = readHunk(lines, at);
      files.at(-1).hunks.push(hunk);
      at = next;
    } else {
      at += 1;
    }
  }
  if (files.length === 0 || files.some(({ hunks }) => hunks.length === 0))
    throw new Error('it changes nothing');
  return files;
};

/** Replaces each hunk's old lines, which must stand exactly where the hunk says: no offset, no fuzz. */
const applyHunks = (source, hunks) => {
  const lines = source.split('\n');
  const result = [];
  let copied = 0;
  for (const { start, before, after } of hunks) {
    const from = start - 1;
    before.forEach((expected, index) => {
      const found = lines[from + index];
      if (found !== expected)
        throw new Error(`line ${start + index} is ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
    });
    result.push(...lines.slice(copied, from), ...after);
    copied = from + before.length;
  }
  return [...result, ...lines.slice(copied)].join('\n');
};

/** The patch files of a folder, in the order in which they apply. */
export const patchFiles = (folder) => {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.patch'))
    .sort()
    .map((name) => join(folder, name));
};

/**
 * Applies all patches of the folder `patches` to the tree `sources`, which stays as it is, and writes the changed files
 * into `target`; with `original`, writes these files as they are. Throws an error that names the first patch that does not
 * apply.
 */
export const patchSources = ({ patches, sources, target, original = false }) => {
  const changed = new Map();
  for (const file of patchFiles(patches)) {
    let path = 'the sources';
    try {
      for (const change of parsePatch(readFileSync(file, 'utf8'))) {
        path = change.path;
        const source = changed.get(path) ?? readFileSync(join(sources, path), 'utf8');
        changed.set(path, original ? source : applyHunks(source, change.hunks));
      }
    } catch (error) {
      throw new Error(`The patch ${file} does not apply to ${path}: ${error.message}.`, { cause: error });
    }
  }
  for (const [path, text] of changed) {
    const file = join(target, path);
    mkdirSync(dirname(file), { recursive: true });
    // A file that stays as it is keeps its time, so that an interrupted build does not compile it again.
    if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
  }
};
