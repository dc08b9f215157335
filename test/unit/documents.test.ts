import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/paths.ts';

const DOCUMENTS = [
  ...globSync('*.md', { cwd: ROOT }),
  ...globSync('docs/**/*.md', { cwd: ROOT }),
  'packages/earshot-client/README.md',
].filter((name) => name !== 'THIRD-PARTY-NOTICES.md');

const textOf = (name: string): string => readFileSync(join(ROOT, name), 'utf8');

/** A heading's anchor, as GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

const anchorsOf = (name: string): string[] =>
  [...textOf(name).matchAll(/^#+ (.+)$/gm)].map((match) => anchorOf(match[1] ?? ''));

const linksOf = (name: string): string[] =>
  [...textOf(name).matchAll(/\]\(([^)\s]+)\)/g)]
    .map((match) => match[1] ?? '')
    .filter((target) => !/^https?:/.test(target));

const isBroken = (name: string, target: string): boolean => {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? name : normalize(join(dirname(name), path));
  if (!existsSync(join(ROOT, file))) return true;
  return anchor !== undefined && file.endsWith('.md') && !anchorsOf(file).includes(anchor);
};

/** `electron/core/app.ts` and the like, without patterns and placeholders. */
const pathsOf = (name: string): string[] =>
  [
    ...textOf(name).matchAll(
      /`((?:electron|renderer|native|test|packages|resources|docs)\/[^`\s*<>…{}]*?)\/?`/g,
    ),
  ].map((match) => match[1] ?? '');

describe('the documents', () => {
  it.each(DOCUMENTS)('%s links to what exists', (name) => {
    expect(linksOf(name).filter((target) => isBroken(name, target))).toEqual([]);
  });

  it.each(DOCUMENTS.filter((name) => name !== 'CHANGELOG.md'))('%s names paths that exist', (name) => {
    expect(pathsOf(name).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('name files of the core that exist, by their paths in it', () => {
    const short = ['ARCHITECTURE.md', 'docs/architecture.md'].flatMap((name) =>
      [...textOf(name).matchAll(/`([a-z][\w-]*(?:\/[\w.-]+)*\/[\w-]+\.ts)`/g)].map((match) => match[1] ?? ''),
    );
    const isMissing = (path: string) =>
      !existsSync(join(ROOT, path)) && !existsSync(join(ROOT, 'electron', 'core', path));
    expect(short.length).toBeGreaterThan(20);
    expect(short.filter(isMissing)).toEqual([]);
  });

  it('list every decision', () => {
    const listed = linksOf('docs/decisions/README.md');
    expect(listed.toSorted()).toEqual(
      globSync('[0-9]*.md', { cwd: join(ROOT, 'docs/decisions') }).toSorted(),
    );
  });
});
