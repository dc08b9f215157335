import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../support/paths.ts';

const OUT = join(ROOT, 'out', 'renderer');
const LIMIT = 300 * 1024;

/** The paths of a script and its static imports. */
const withImports = (path: string, found = new Set<string>()): Set<string> => {
  if (found.has(path)) return found;
  found.add(path);
  const code = readFileSync(path, 'utf8');
  for (const [, name] of code.matchAll(/(?:\bfrom|\bimport)\s*["'](\.[^"']+\.js)["']/g)) {
    if (name !== undefined) withImports(join(dirname(path), name), found);
  }
  return found;
};

describe('first load of the window', () => {
  const page = readFileSync(join(OUT, 'index.html'), 'utf8');
  /** What the page loads at once, and what the browser may fetch ahead while it is idle. */
  const named = [...page.matchAll(/<(?:script|link)\b[^>]*\b(?:src|href)="\.?\/?([^"]+\.js)"[^>]*>/g)]
    .filter(([tag]) => !tag.includes('rel="prefetch"'))
    .map((match) => join(OUT, match[1] ?? ''));

  it('has less than 300 KB of compressed scripts, without the other screens', () => {
    const scripts = new Set(named.flatMap((path) => [...withImports(path)]));
    const bytes = [...scripts].reduce((sum, path) => sum + gzipSync(readFileSync(path)).length, 0);
    expect(bytes).toBeGreaterThan(50 * 1024);
    expect(bytes).toBeLessThan(LIMIT);
    // A browser asks for six at a time.
    expect(scripts.size).toBeLessThanOrEqual(6);
    expect([...scripts].filter((path) => /(transcript|files|models|settings)-screen/.test(path))).toEqual([]);
  });

  it('references no other origin', () => {
    const addresses = page.match(/(?:src|href)="[^"]*"/g) ?? [];
    expect(addresses.length).toBeGreaterThan(2);
    expect(addresses.filter((address) => /="(?:https?:)?\/\//.test(address))).toEqual([]);
  });
});
