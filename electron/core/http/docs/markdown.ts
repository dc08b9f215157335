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

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Allows http(s) URLs and paths of this server; nothing else becomes a link. */
const linkTarget = (address: string): string | undefined =>
  /^(https?:\/\/|\/|#)/.test(address) ? address : undefined;

/** Renders `code`, **bold** and [links](url) within a line. */
const inline = (text: string): string =>
  text
    .split(/(`[^`]+`)/)
    .map((part) => {
      if (part.startsWith('`') && part.length > 2) return `<code>${escapeHtml(part.slice(1, -1))}</code>`;
      return escapeHtml(part)
        .replace(/\*\*(.+?)\*\*/g, '<strong>$1</strong>')
        .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (whole, label: string, address: string) => {
          const target = linkTarget(address);
          return target === undefined ? whole : `<a href="${target}">${label}</a>`;
        });
    })
    .join('');

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
    `<pre tabindex="0" role="group" aria-label="${escapeHtml(label)}"><code>${escapeHtml(code)}</code></pre></figure>`
  );
};

const cells = (line: string): string[] =>
  line
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => inline(cell.trim()));

const table = (lines: readonly string[]): string => {
  const [head = '', , ...rows] = lines;
  const row = (line: string, tag: 'th' | 'td') =>
    `<tr>${cells(line)
      .map((cell) => `<${tag}>${cell}</${tag}>`)
      .join('')}</tr>`;
  return (
    `<div class="table" tabindex="0" role="group" aria-label="Table"><table><thead>${row(head, 'th')}</thead>` +
    `<tbody>${rows.map((line) => row(line, 'td')).join('')}</tbody></table></div>`
  );
};

const list = (lines: readonly string[]): string =>
  `<ul>${lines.map((line) => `<li>${inline(line.replace(/^- /, ''))}</li>`).join('')}</ul>`;

/** Renders consecutive lines outside of code blocks, up to an empty line. */
const block = (lines: readonly string[], sections: Heading[]): string => {
  const [first = ''] = lines;
  const heading = /^(#{2,3}) (.+)$/.exec(first);
  if (heading?.[2] !== undefined) {
    const [, marks = '', text] = heading;
    const id = slug(text);
    if (marks === '##') sections.push({ id, text });
    const tag = `h${marks.length}`;
    return `<${tag} id="${id}">${inline(text)}</${tag}>`;
  }
  if (first.startsWith('|')) return table(lines);
  if (first.startsWith('- ')) return list(lines);
  return `<p>${inline(lines.join(' '))}</p>`;
};

/** Renders the subset of Markdown that the guide uses: headings, paragraphs, flat lists, tables and code blocks. The first line is the title. */
export const renderMarkdown = (source: string): Rendered => {
  const sections: Heading[] = [];
  const html: string[] = [];
  const [first = '', ...lines] = source.split('\n');
  let open: string[] = [];
  const flush = () => {
    if (open.length > 0) html.push(block(open, sections));
    open = [];
  };
  let fence: { language: string; code: string[] } | undefined;
  for (const line of lines) {
    const mark = /^```(\w*)$/.exec(line);
    if (fence !== undefined && mark !== null) {
      html.push(codeBlock(fence.language, fence.code.join('\n')));
      fence = undefined;
    } else if (fence !== undefined) {
      fence.code.push(line);
    } else if (mark !== null) {
      flush();
      fence = { language: mark[1] ?? '', code: [] };
    } else if (line.trim() === '') {
      flush();
    } else {
      open.push(line);
    }
  }
  flush();
  return { title: first.replace(/^# /, ''), html: html.join('\n'), sections };
};
