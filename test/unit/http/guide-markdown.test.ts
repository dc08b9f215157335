import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { renderMarkdown } from '../../../electron/core/http/docs/markdown.ts';
import { RESOURCES } from '../../support/paths.ts';

const render = (text: string): string => renderMarkdown(`# Title\n\n${text}\n`).html;

describe('the Markdown of the guide', () => {
  it('keeps a pipe in the code of a table cell', () => {
    const html = render('| command | what |\n|---|---|\n| `a \\| b` | a pipe |');
    expect(html).toContain('<tr><td><code>a | b</code></td><td>a pipe</td></tr>');
  });

  it('has numbered and nested lists', () => {
    expect(render('1. one\n2. two').replaceAll('\n', '')).toBe('<ol><li>one</li><li>two</li></ol>');
    expect(render('- one\n  - inner\n- two').replaceAll('\n', '')).toBe(
      '<ul><li>one<ul><li>inner</li></ul></li><li>two</li></ul>',
    );
  });

  it('keeps a list item of several lines together', () => {
    expect(render('- one\n  and more\n- two')).toContain('<li>one\nand more</li>');
  });

  it('lists the sections and gives headings an id', () => {
    const { title, html, sections } = renderMarkdown('# The guide\n\n## Quick `start`\n\n### More\n');
    expect(title).toBe('The guide');
    expect(sections).toEqual([{ id: 'quick-start', text: 'Quick start' }]);
    expect(html).toContain('<h2 id="quick-start">Quick <code>start</code></h2>');
    expect(html).toContain('<h3 id="more">More</h3>');
  });

  it.each([
    ['markup', '<script>alert(1)</script><img src=x onerror=alert(1)>'],
    ['a block of markup', '<div onclick="alert(1)">\n<b>x</b>\n</div>'],
    ['markup within <pre>', '<pre><a href="javascript:alert(1)">x</a>'],
    ['a link that runs code', '[x](javascript:alert(1)) [y](JaVaScRiPt:alert(1)) [z](data:text/html,x)'],
    ['a link by reference', '[x][1]\n\n[1]: javascript:alert(1)'],
    ['an autolink', '<javascript:alert(1)>'],
    ['an image', '![x](https://example.com/pixel.png) ![y](javascript:alert(1))'],
    ['an attribute in a link', '[x](/a"onclick="alert(1)) [y](/b \'"onclick="alert(1)\')'],
    ['an attribute in the language of a code block', '```"onclick="alert(1)\nx\n```'],
    ['markup in code', '`<b>` and\n\n```html\n<b onclick="x">\n```'],
    ['markup in a heading', '## <img src=x onerror=alert(1)>'],
  ])('lets nothing through but text and its own elements: %s', (_, text) => {
    const tags = [...render(text).matchAll(/<\/?([a-z0-9]+)([^>]*)>/gi)];
    const known = ['p', 'h2', 'a', 'code', 'pre', 'figure', 'figcaption', 'button'];
    expect(tags.filter(([, name = '']) => !known.includes(name))).toEqual([]);
    for (const [, , attributes = ''] of tags) {
      // Between the quotes of an attribute is text without quotes.
      expect(attributes.replaceAll(/="[^"]*"/g, '=""')).toMatch(
        /^(?: (?:href|id|class|type|tabindex|role|aria-label)="")*$/,
      );
      expect(attributes).not.toMatch(/href="(?!https?:|\/|#)/);
    }
  });

  it('renders every table, list and code block of the guide itself', () => {
    const source = readFileSync(join(RESOURCES, 'guide', 'guide.md'), 'utf8');
    const { html, sections } = renderMarkdown(source);
    expect(sections).toHaveLength([...source.matchAll(/^## /gm)].length);
    expect([...html.matchAll(/<figure/g)]).toHaveLength([...source.matchAll(/^```\w/gm)].length);
    expect(html).not.toMatch(/\*\*|^\||```/m);
  });
});
