import { stripVTControlCharacters, styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Colours only where the stream is a terminal that wants them (NO_COLOR, FORCE_COLOR). */
export const style = (format: Style, text: string, stream: NodeJS.WriteStream = process.stderr): string =>
  styleText(format, text, { stream });

export const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

/** A result: the only thing that goes to stdout. Resolves when it is written, also into a slow pipe. */
export const print = (text: string | Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });

/** "3 min", "45 s": rough, as an estimate should read. */
export const roughTime = (seconds: number): string => {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`;
};

const BAR = 24;

/** A progress bar for the foot of a terminal. */
export const bar = (percent: number): string => {
  const full = Math.round((percent / 100) * BAR);
  return style('cyan', '━'.repeat(full)) + style('dim', '━'.repeat(BAR - full));
};

/** Columns padded to their widest cell. */
export const table = (rows: readonly (readonly string[])[]): string => {
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

/** One line at the foot of the terminal that is drawn over; on a pipe, a line for each new stage. */
export class StatusLine {
  readonly #stream = process.stderr;
  #drawn = false;
  #stage = '';

  show(stage: string, text: string): void {
    if (this.#stream.isTTY) {
      const width = Math.max(20, (this.#stream.columns ?? 80) - 1);
      const cut =
        stripVTControlCharacters(text).length > width ? stripVTControlCharacters(text).slice(0, width) : text;
      this.#stream.write(`\r\x1b[2K${cut}`);
      this.#drawn = true;
    } else if (stage !== this.#stage) {
      this.#stream.write(`${stripVTControlCharacters(text)}\n`);
    }
    this.#stage = stage;
  }

  clear(): void {
    if (this.#drawn) this.#stream.write('\r\x1b[2K');
    this.#drawn = false;
  }
}
