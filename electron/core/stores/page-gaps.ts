import { closeSync, fdatasyncSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';

/** Length of a b-tree page's header by the page's type, its first byte (https://www.sqlite.org/fileformat2.html#b_tree_pages). */
const HEADER_BYTES: ReadonlyMap<number, number> = new Map([
  [2, 12],
  [5, 12],
  [10, 8],
  [13, 8],
]);

/** The first page begins with the header of the file. */
const FILE_HEADER_BYTES = 100;
/** Beyond, the page number that other kinds of pages begin with could look like the type of a b-tree page. */
const MAX_PAGES = 2 ** 25;
const PAGES_PER_READ = 256;

type Gap = { readonly from: number; readonly to: number };

/** The unused bytes between the pointers to the cells of a b-tree page and its cells; undefined for other pages. */
const gapOf = (page: Buffer, header: number): Gap | undefined => {
  const length = HEADER_BYTES.get(page.readUInt8(header));
  if (length === undefined) return undefined;
  const from = header + length + 2 * page.readUInt16BE(header + 3);
  const to = page.readUInt16BE(header + 5) || 65_536;
  return from < to && to <= page.length ? { from, to } : undefined;
};

/**
 * Erases what SQLite leaves in a database file despite `secure_delete`: where rows move to another page, their copies stay
 * in the gap of the first one (`rebuildPage` of btree.c), also after the rows are deleted.
 */
export class PageGaps {
  readonly #path: string;
  #file: number | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Overwrites gaps with zeros from a page on, counted from 0, for about `maxMs`. Returns the page after the last, or
   * undefined at the end of the file. The write-ahead log must be empty, no transaction open, and the caller must then
   * drop its cached pages, all without a pause: the file is written beside SQLite.
   */
  erase(firstPage: number, maxMs: number): number | undefined {
    // Kept open: to close it would give up SQLite's locks of the file (https://www.sqlite.org/howtocorrupt.html, 2.2).
    this.#file ??= openSync(this.#path, 'r+');
    const file = this.#file;
    const start = Buffer.alloc(FILE_HEADER_BYTES);
    if (readSync(file, start, 0, start.length, 0) < start.length) return undefined;
    const size = start.readUInt16BE(16) === 1 ? 65_536 : start.readUInt16BE(16);
    const pages = Math.floor(fstatSync(file).size / size);
    if (pages >= MAX_PAGES) return undefined;
    const end = performance.now() + maxMs;
    const buffer = Buffer.allocUnsafe(PAGES_PER_READ * size);
    let written = 0;
    let page = firstPage;
    do {
      written += this.#eraseIn(file, buffer, page, size);
      page += PAGES_PER_READ;
    } while (page < pages && performance.now() < end);
    if (written > 0) fdatasyncSync(file);
    return page < pages ? page : undefined;
  }

  /** Call it after the database is closed. */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  /** Erases the gaps of the pages that one read puts into `buffer`; returns how many there were. */
  #eraseIn(file: number, buffer: Buffer, firstPage: number, size: number): number {
    const zeros = Buffer.alloc(size);
    const length = readSync(file, buffer, 0, buffer.length, firstPage * size);
    let written = 0;
    for (let at = 0; at + size <= length; at += size) {
      const page = buffer.subarray(at, at + size);
      const gap = gapOf(page, firstPage + at === 0 ? FILE_HEADER_BYTES : 0);
      if (gap === undefined) continue;
      const blank = zeros.subarray(0, gap.to - gap.from);
      if (page.subarray(gap.from, gap.to).equals(blank)) continue;
      writeSync(file, blank, 0, blank.length, firstPage * size + at + gap.from);
      written += 1;
    }
    return written;
  }
}
