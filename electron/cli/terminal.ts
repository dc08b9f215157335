import { stripVTControlCharacters, styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Colors text if the stream is a terminal, subject to NO_COLOR and FORCE_COLOR. */
export const style = (format: Style, text: string, stream: NodeJS.WriteStream = process.stderr): string =>
  styleText(format, text, { stream });

/** Control characters, and those that reverse the text around them. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Foreign text on one line, with what would control the terminal shown as `\x1b` or `\u202e`. */
export const printable = (text: string): string =>
  text.replaceAll(UNPRINTABLE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`;
  });

/** The colors that `style` writes, and ends of lines. */
const OWN = new RegExp(String.raw`(${'\u001b'}\[\d{1,2}m|\n)`);

/** Shows what would control the terminal, but for our colors and ends of lines. */
const withoutControl = (text: string): string =>
  text
    .split(OWN)
    .map((part, index) => (index % 2 === 1 ? part : printable(part)))
    .join('');

/** Prints a line for people to stderr. Foreign text that may have ends of lines is given as `printable`. */
export const printMessage = (text: string): void => {
  process.stderr.write(`${withoutControl(text)}\n`);
};

/** Prints a result to stdout. Resolves once it is written, also to a slow pipe. */
export const printResult = (text: string | Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });

/** Formats an estimate: "3 min", "45 s". */
export const formatEstimate = (seconds: number): string => {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`;
};

const BAR_COLUMNS = 24;

/** A progress bar of 24 columns, also without colors. */
export const bar = (percent: number): string => {
  const full = Math.round((percent / 100) * BAR_COLUMNS);
  return style('cyan', '━'.repeat(full)) + style('dim', '─'.repeat(BAR_COLUMNS - full));
};

/** Pads columns to their widest cell. Cells show what would control the terminal. */
export const table = (given: readonly (readonly string[])[]): string => {
  const rows = given.map((row) => row.map((cell) => withoutControl(cell.replaceAll('\n', '\\x0a'))));
  const width = (text: string) => stripVTControlCharacters(text).length;
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, i) =>
    Math.max(...rows.map((row) => width(row[i] ?? ''))),
  );
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell + ' '.repeat(Math.max(0, (widths[i] ?? 0) - width(cell))))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

/** A line that is redrawn in place on a terminal; elsewhere, one line per stage. */
export class StatusLine {
  readonly #stream = process.stderr;
  #isDrawn = false;
  #stage = '';

  show(stage: string, text: string): void {
    if (this.#stream.isTTY) {
      const width = Math.max(20, (this.#stream.columns ?? 80) - 1);
      const cut =
        stripVTControlCharacters(text).length > width ? stripVTControlCharacters(text).slice(0, width) : text;
      this.#stream.write(`\r\x1b[2K${cut}`);
      this.#isDrawn = true;
    } else if (stage !== this.#stage) {
      this.#stream.write(`${stripVTControlCharacters(text)}\n`);
    }
    this.#stage = stage;
  }

  clear(): void {
    if (this.#isDrawn) this.#stream.write('\r\x1b[2K');
    this.#isDrawn = false;
  }
}

/** `2026-11-22 11:30` in the time zone of this machine. */
export const formatTime = (milliseconds: number): string => {
  const time = new Date(milliseconds);
  const two = (value: number) => String(value).padStart(2, '0');
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-');
  return `${date} ${two(time.getHours())}:${two(time.getMinutes())}`;
};
