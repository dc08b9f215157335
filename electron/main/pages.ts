import { createHash } from 'node:crypto';
import type { PageAction } from './requests.ts';
import type { DesktopTexts } from './texts/index.ts';

type Button = { readonly action: PageAction; readonly label: string };
type Page = {
  readonly language: string;
  readonly title: string;
  readonly texts?: readonly string[];
  readonly buttons?: readonly Button[];
};

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};
const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => ESCAPES[sign] ?? sign);

/** Each button asks the program for its action, through the preload script. */
const SCRIPT =
  "for (const button of document.querySelectorAll('button'))" +
  " button.addEventListener('click', () => window.earshot.ask(button.dataset.action));";

const STYLE = `
  :root { color-scheme: light dark; --ground: #f7f5f1; --ink: #1f1d1a; --quiet: #5d5850; --accent: #b23c12; }
  @media (prefers-color-scheme: dark) { :root { --ground: #171614; --ink: #eeeae3; --quiet: #a8a196; --accent: #ff9a6b; } }
  body { margin: 0; height: 100vh; display: grid; place-items: center; background: var(--ground); color: var(--ink);
    font: 15px/1.5 system-ui, sans-serif; }
  main { max-width: 30rem; padding: 1.5rem; }
  h1 { font-size: 1.35rem; font-weight: 600; margin: 0 0 .5rem; }
  p { margin: 0 0 .5rem; color: var(--quiet); overflow-wrap: anywhere; }
  button { font: inherit; margin: .75rem .5rem 0 0; padding: .4rem .9rem; border-radius: 6px; cursor: pointer;
    border: 1px solid currentcolor; background: transparent; color: var(--accent); }`;

const POLICY = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`;

/** A page of the program itself as a `data:` address, which no other page can open in the window. */
const pageUrl = ({ language, title, texts = [], buttons = [] }: Page): string => {
  const html = `<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>Earshot</title>
<style>${STYLE}</style>
<main role="${buttons.length > 0 ? 'alert' : 'status'}">
<h1>${escaped(title)}</h1>
${texts.map((text) => `<p>${escaped(text)}</p>`).join('\n')}
${buttons.map(({ action, label }) => `<button type="button" data-action="${action}">${escaped(label)}</button>`).join('\n')}
</main>
<script>${SCRIPT}</script>
</html>`;
  return `data:text/html;charset=utf-8;base64,${Buffer.from(html).toString('base64')}`;
};

/** Shown from the first moment until the service answers. */
export const startingPage = ({ language, starting }: DesktopTexts): string =>
  pageUrl({ language, title: starting });

/** Shown if the service could not start. */
export const failedPage = (texts: DesktopTexts, reason: string): string =>
  pageUrl({
    language: texts.language,
    title: texts.startFailed,
    texts: [reason],
    buttons: [
      { action: 'restart', label: texts.restart },
      { action: 'logs', label: texts.logs },
    ],
  });

/** Shown after an error that stopped the service; the restart resumes its jobs at their checkpoints. */
export const stoppedPage = (texts: DesktopTexts): string =>
  pageUrl({
    language: texts.language,
    title: texts.stopped,
    texts: [texts.stoppedText],
    buttons: [
      { action: 'restart', label: texts.restart },
      { action: 'logs', label: texts.logs },
    ],
  });

/** Shown after a crash of the process that draws the window; the service goes on. */
export const crashedPage = (texts: DesktopTexts): string =>
  pageUrl({
    language: texts.language,
    title: texts.crashed,
    texts: [texts.crashedText],
    buttons: [
      { action: 'reopen', label: texts.reopen },
      { action: 'logs', label: texts.logs },
    ],
  });
