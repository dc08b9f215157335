import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RESOURCES } from '../../../support/paths.ts';

export const GUIDE = join(RESOURCES, 'guide', 'guide.md');

/** The address in the guide's text. The page and the tests replace it with the server's own. */
const WRITTEN_ADDRESS = 'http://127.0.0.1:3277';
/** The address of the guide's webhook receiver. */
const WRITTEN_PORT = '8787';

export type Snippet = {
  readonly section: string;
  readonly language: string;
  readonly code: string;
  /** What the guide says that it prints; `…` stands for anything. */
  readonly output: string | undefined;
};

const blocks = (source: string): { section: string; language: string; code: string }[] => {
  let section = '';
  const found: { section: string; language: string; code: string }[] = [];
  let open: { language: string; lines: string[] } | undefined;
  for (const line of source.split('\n')) {
    const fence = /^```(\w*)$/.exec(line);
    if (open !== undefined && fence !== null) {
      found.push({ section, language: open.language, code: open.lines.join('\n') });
      open = undefined;
    } else if (open !== undefined) open.lines.push(line);
    else if (fence !== null) open = { language: fence[1] ?? '', lines: [] };
    else section = /^## (.+)$/.exec(line)?.[1] ?? section;
  }
  return found;
};

/** Every code block of the guide, with the output block that follows it. */
export const readSnippets = (server: { url: string; webhookPort: number }): Snippet[] => {
  const source = readFileSync(GUIDE, 'utf8')
    .replaceAll(WRITTEN_ADDRESS, server.url)
    .replaceAll(WRITTEN_PORT, String(server.webhookPort));
  const all = blocks(source);
  return all.flatMap((block, index) => {
    if (block.language === 'output') return [];
    const next = all[index + 1];
    return [{ ...block, output: next?.language === 'output' ? next.code : undefined }];
  });
};

/** Converts an `output` block to a pattern. */
export const patternOf = (output: string): RegExp =>
  new RegExp(
    `^${output
      .split('…')
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('[\\s\\S]*')}$`,
  );
