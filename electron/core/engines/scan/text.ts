import { isUtf8 } from 'node:buffer';

const UTF16_MARKS = [
  [0xff, 0xfe],
  [0xfe, 0xff],
] as const;

export const hasUtf16Mark = (head: Uint8Array): boolean =>
  UTF16_MARKS.some(([first, second]) => head[0] === first && head[1] === second);

/** Watches whether a stream can be text: no zero byte (but in UTF-16), hardly any control characters at its head. */
export class TextWatch {
  #first: Uint8Array | undefined;
  #possible = true;

  get possible(): boolean {
    return this.#possible;
  }

  update(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    if (this.#first === undefined) {
      this.#first = Uint8Array.from(chunk.subarray(0, 4096));
      if (!isTextHead(this.#first)) this.#possible = false;
    }
    if (this.#possible && !hasUtf16Mark(this.#first) && chunk.includes(0)) this.#possible = false;
  }
}

/** Tab, line feed, form feed, carriage return, escape. */
const ALLOWED_CONTROLS = new Set([9, 10, 12, 13, 27]);

/** Whether bytes at the head of a file look like text in UTF-8, UTF-16 with a mark, or an 8-bit encoding. */
export const isTextHead = (head: Uint8Array): boolean => {
  if (hasUtf16Mark(head)) return true;
  let controls = 0;
  for (const byte of head) {
    if (byte === 0) return false;
    if (byte === 127 || (byte < 32 && !ALLOWED_CONTROLS.has(byte))) controls++;
  }
  // A cut in the middle of a character at the end does not make it another encoding.
  const isUnicode = [0, 1, 2, 3].some((cut) => isUtf8(head.subarray(0, Math.max(0, head.length - cut))));
  return controls <= head.length * (isUnicode ? 0.02 : 0.005);
};

/** The head of a text as characters, whatever of the three kinds of encoding it has. */
export const decodeHead = (head: Uint8Array): string => {
  if (!hasUtf16Mark(head)) return new TextDecoder('utf-8').decode(head);
  return new TextDecoder(head[0] === 0xff ? 'utf-16le' : 'utf-16be').decode(head);
};
