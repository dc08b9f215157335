/** Longer heads are left to the parser, which refuses them. */
const MAX_HEAD_BYTES = 64 * 1024;

/** The length of a head with the blank line that ends it, or null if it is incomplete. */
const headLength = (bytes: Buffer): number | null => {
  const match = /\r?\n\r?\n/.exec(bytes.toString('latin1'));
  return match === null ? null : match.index + match[0].length;
};

/** Whether this can begin a response: what cannot is handed on at once, so that the parser refuses it. */
const isResponse = (bytes: Buffer): boolean =>
  bytes.length < 5 || /^(?:HTTP\/|ICY )/i.test(bytes.toString('latin1', 0, 5));

const isField = (line: string, name: string): boolean => line.toLowerCase().startsWith(`${name}:`);

/** Field lines with continuation lines joined to theirs, without lines that are no fields. */
const fieldLines = (lines: readonly string[]): string[] =>
  lines
    .join('\n')
    .replace(/\n[ \t]+/g, ' ')
    .split('\n')
    .filter((line) => /^[^\s:]+:/.test(line));

/** One Content-Length for equal ones, as RFC 9112 (6.3) allows, and none beside a Transfer-Encoding. */
const withOneLength = (fields: readonly string[]): string[] => {
  const lengths = fields.filter((line) => isField(line, 'content-length'));
  const rest = fields.filter((line) => !lengths.includes(line));
  if (fields.some((line) => isField(line, 'transfer-encoding'))) return rest;
  const values = lengths.flatMap((line) => line.slice(line.indexOf(':') + 1).split(','));
  const unique = [...new Set(values.map((value) => value.trim()))];
  return [...rest, ...unique.map((value) => `content-length: ${value}`)];
};

/**
 * Rewrites the head of a response that browsers accept and undici's parser refuses: `ICY 200 OK` of Shoutcast servers, lines
 * that end in LF alone, equal lengths, lines that are no fields. Empty for an interim `100 Continue` that nobody expects.
 */
export const repairHead = (head: string): string => {
  const [first = '', ...lines] = head.trim().split(/\r?\n/);
  const status = first.replace(/^ICY(?= \d{3})/i, 'HTTP/1.0');
  if (/^HTTP\/\d\.\d 100\b/.test(status)) return '';
  return `${[status, ...withOneLength(fieldLines(lines))].join('\r\n')}\r\n\r\n`;
};

/** Repairs the head of the one response that a connection carries; its body passes as it is. */
export class HeadRepair {
  #head = Buffer.alloc(0);
  #isBody = false;

  /** What of the response can be handed on after `chunk` has arrived; null if nothing can yet. */
  add(chunk: Buffer): Buffer | null {
    if (this.#isBody) return chunk;
    this.#head = Buffer.concat([this.#head, chunk]);
    for (;;) {
      const length = headLength(this.#head);
      if (length === null) {
        return isResponse(this.#head) && this.#head.length <= MAX_HEAD_BYTES ? null : this.rest();
      }
      const repaired = repairHead(this.#head.toString('latin1', 0, length));
      this.#head = this.#head.subarray(length);
      if (repaired !== '') return Buffer.concat([Buffer.from(repaired, 'latin1'), this.rest() ?? this.#head]);
    }
  }

  /** An incomplete head, once nothing can follow; null if there is none. */
  rest(): Buffer | null {
    this.#isBody = true;
    const rest = this.#head;
    this.#head = Buffer.alloc(0);
    return rest.length === 0 ? null : rest;
  }
}
