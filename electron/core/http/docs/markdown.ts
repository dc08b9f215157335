import { Marked, type RendererObject, type Token, type Tokens } from 'marked';

/** Text as it stands in HTML and in the quoted values of its attributes. */
export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

export type Heading = { readonly id: string; readonly text: string };
export type Rendered = {
  readonly title: string;
  readonly html: string;
  /** The sections, for a table of contents. */
  readonly sections: readonly Heading[];
};

/** Labels of the languages of code blocks. */
const LANGUAGES: Readonly<Record<string, string>> = {
  sh: 'Shell',
  console: 'Terminal',
  js: 'JavaScript',
  python: 'Python',
  json: 'JSON',
  output: 'Output',
};

/** Allows http(s) URLs and paths of this server; nothing else becomes a link. */
const isAllowedTarget = (address: string): boolean => /^(https?:\/\/|\/|#)/.test(address);

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

const codeBlock = (language: string, code: string): string => {
  const label = LANGUAGES[language] ?? language;
  const copy = language === 'output' ? '' : '<button type="button" class="copy">Copy</button>';
  return (
    `<figure class="code ${escapeHtml(language)}"><figcaption>${escapeHtml(label)}${copy}</figcaption>` +
    `<pre tabindex="0" role="group" aria-label="${escapeHtml(label)}"><code>${escapeHtml(code)}</code></pre></figure>\n`
  );
};

const hasTokens = (token: Tokens.Text | Tokens.Escape): token is Tokens.Text & { tokens: Token[] } =>
  token.type === 'text' && token.tokens !== undefined;

/** HTML, images and links to other places than allowed are shown as they are written. */
const rendererFor = (sections: Heading[]): RendererObject => ({
  heading({ depth, tokens }) {
    const text = this.parser.parseInline(tokens, this.parser.textRenderer);
    const id = slug(text);
    if (depth === 2) sections.push({ id, text });
    return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
  },
  code: ({ lang = '', text }) => codeBlock(lang, text),
  codespan: ({ text }) => `<code>${escapeHtml(text)}</code>`,
  html: ({ raw }) => escapeHtml(raw),
  image: ({ raw }) => escapeHtml(raw),
  link({ href, raw, tokens }) {
    if (!isAllowedTarget(href)) return escapeHtml(raw);
    return `<a href="${escapeHtml(href)}">${this.parser.parseInline(tokens)}</a>`;
  },
  text(token) {
    return hasTokens(token) ? this.parser.parseInline(token.tokens) : escapeHtml(token.text);
  },
  table({ header, rows }) {
    const row = (cells: readonly Tokens.TableCell[], tag: 'th' | 'td') =>
      `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`;
    return (
      `<div class="table" tabindex="0" role="group" aria-label="Table"><table><thead>${row(header, 'th')}</thead>` +
      `<tbody>${rows.map((cells) => row(cells, 'td')).join('')}</tbody></table></div>\n`
    );
  },
});

/** Renders the guide. Its first line is the title. */
export const renderMarkdown = (source: string): Rendered => {
  const sections: Heading[] = [];
  const [, title = '', text = source] = /^# (.*)\n([\s\S]*)$/.exec(source) ?? [];
  const html = new Marked({ async: false, renderer: rendererFor(sections) }).parse(text, { async: false });
  return { title, html, sections };
};
