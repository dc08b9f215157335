import { isUtf8 } from 'node:buffer';

const UTF16_BYTE_ORDER_MARKS = [
  [0xff, 0xfe],
  [0xfe, 0xff],
] as const;

export const hasUtf16ByteOrderMark = (head: Uint8Array): boolean =>
  UTF16_BYTE_ORDER_MARKS.some(([first, second]) => head[0] === first && head[1] === second);

/** Decides whether a stream can be text: no zero byte (but in UTF-16), hardly any control characters at its start. */
export class TextDetector {
  #head: Uint8Array | undefined;
  #canBeText = true;

  get canBeText(): boolean {
    return this.#canBeText;
  }

  update(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    if (this.#head === undefined) {
      this.#head = Uint8Array.from(chunk.subarray(0, 4096));
      if (!isTextHead(this.#head)) this.#canBeText = false;
    }
    if (this.#canBeText && !hasUtf16ByteOrderMark(this.#head) && chunk.includes(0)) this.#canBeText = false;
  }
}

/** Tab, line feed, form feed, carriage return, escape. */
const ALLOWED_CONTROLS = new Set([9, 10, 12, 13, 27]);

/** Whether the start of a file looks like text in UTF-8, UTF-16 with a byte order mark, or an 8-bit encoding. */
export const isTextHead = (head: Uint8Array): boolean => {
  if (hasUtf16ByteOrderMark(head)) return true;
  let controls = 0;
  for (const byte of head) {
    if (byte === 0) return false;
    if (byte === 127 || (byte < 32 && !ALLOWED_CONTROLS.has(byte))) controls++;
  }
  // The head may end in the middle of a UTF-8 character.
  const isUnicode = [0, 1, 2, 3].some((cut) => isUtf8(head.subarray(0, Math.max(0, head.length - cut))));
  return controls <= head.length * (isUnicode ? 0.02 : 0.005);
};

/** Decodes the start of a text as UTF-16 with a byte order mark, else as UTF-8. */
export const decodeHead = (head: Uint8Array): string => {
  if (!hasUtf16ByteOrderMark(head)) return new TextDecoder('utf-8').decode(head);
  return new TextDecoder(head[0] === 0xff ? 'utf-16le' : 'utf-16be').decode(head);
};
