import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { escapeHtml, type Rendered } from './markdown.ts';

/** The server's URL in the guide's source, replaced by the URL that the reader uses. */
const SOURCE_URL = 'http://127.0.0.1:3277';

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** Path of the window's style sheet, which has the product's colors and typefaces; null if the window is not built. */
const windowStyles = async (rendererDir: string): Promise<string | null> => {
  const index = await readFile(join(rendererDir, 'index.html'), 'utf8').catch(() => '');
  return /<link[^>]+href="\.(\/assets\/[^"]+\.css)"/.exec(index)?.[1] ?? null;
};

const pageOf = ({ title, html, sections }: Rendered, styles: string | null): string => {
  const contents = sections
    .map(({ id, text }) => `<li><a href="#${id}">${escapeHtml(text)}</a></li>`)
    .join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
${styles === null ? '' : `<link rel="icon" type="image/svg+xml" href="/icon.svg">\n<script src="/theme.js"></script>\n<link rel="stylesheet" href="${styles}">`}
<link rel="stylesheet" href="/docs/guide.css">
<script src="/docs/guide.js" defer></script>
</head>
<body>
<a class="skip" href="#text">Skip to the text</a>
<div class="sheet">
<nav aria-label="Contents"><p class="mark">Earshot</p><ol>${contents}</ol><p class="more"><a href="/docs">Every operation</a></p></nav>
<main id="text">
<h1>${escapeHtml(title)}</h1>
${html}
<p id="status" role="status"></p>
</main>
</div>
</body>
</html>
`;
};

/** The guide at `/docs/guide`, written in `resources/guide`. It loads nothing from other hosts. */
export const addGuidePage = async (
  server: FastifyInstance,
  resourcesDir: string,
  rendererDir: string,
): Promise<void> => {
  const read = (name: string) => readFile(join(resourcesDir, 'guide', name), 'utf8');
  // Built on the first request, as the start has no use for it.
  let page: Promise<string> | undefined;
  const buildPage = async () => {
    const { renderMarkdown } = await import('./markdown.ts');
    return pageOf(renderMarkdown(await read('guide.md')), await windowStyles(rendererDir));
  };
  const headers = { 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer' };
  server.get('/docs/guide', async (request, reply) => {
    page ??= buildPage();
    return (
      reply
        .headers({ ...headers, 'cache-control': 'no-cache' })
        .type('text/html; charset=utf-8')
        // The Host guard has checked the name.
        .send((await page).replaceAll(SOURCE_URL, escapeHtml(`http://${request.host}`)))
    );
  });
  for (const [name, type] of [
    ['guide.css', 'text/css'],
    ['guide.js', 'text/javascript'],
  ] as const) {
    const text = await read(name);
    server.get(`/docs/${name}`, (_request, reply) =>
      reply.headers({ 'cache-control': 'no-cache' }).type(`${type}; charset=utf-8`).send(text),
    );
  }
};
