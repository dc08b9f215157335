import { type FileHandle, open } from 'node:fs/promises';

/** Field numbers of ONNX's ModelProto, and of its StringStringEntryProto (onnx/onnx.proto). */
const IR_VERSION = 1;
const GRAPH = 7;
const METADATA = 14;
const [KEY, VALUE] = [1, 2];
const [VARINT, BYTES] = [0, 2];
/** Skip longer metadata: what we look for is a few words. */
const MAX_ENTRY_BYTES = 64 * 1024;

type Varint = { readonly value: number; readonly next: number };

const readVarint = (bytes: Uint8Array, from: number): Varint | undefined => {
  let value = 0;
  for (let i = 0; i < 9; i++) {
    const byte = bytes[from + i];
    if (byte === undefined) return undefined;
    value += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return { value, next: from + i + 1 };
  }
  return undefined;
};

const parseEntry = (bytes: Uint8Array): [string, string] | undefined => {
  const texts = new Map<number, string>();
  for (let at = 0; at < bytes.length; ) {
    const tag = readVarint(bytes, at);
    const length = tag === undefined ? undefined : readVarint(bytes, tag.next);
    if (tag === undefined || length === undefined || tag.value % 8 !== BYTES) return undefined;
    const end = length.next + length.value;
    if (end > bytes.length) return undefined;
    texts.set(Math.floor(tag.value / 8), new TextDecoder().decode(bytes.subarray(length.next, end)));
    at = end;
  }
  return [texts.get(KEY) ?? '', texts.get(VALUE) ?? ''];
};

const readAt = async (file: FileHandle, at: number, length: number): Promise<Uint8Array> => {
  const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
};

const readMetadata = async (file: FileHandle, size: number): Promise<Map<string, string> | undefined> => {
  const metadata = new Map<string, string>();
  const seen = new Set<number>();
  for (let at = 0; at < size; ) {
    const head = await readAt(file, at, 20);
    const tag = readVarint(head, 0);
    const second = tag === undefined ? undefined : readVarint(head, tag.next);
    if (tag === undefined || second === undefined) return undefined;
    const [field, wire] = [Math.floor(tag.value / 8), tag.value % 8];
    if (at === 0 && field !== IR_VERSION) return undefined;
    seen.add(field);
    at += second.next;
    if (wire === VARINT) continue;
    if (wire !== BYTES || at + second.value > size) return undefined;
    if (field === METADATA && second.value <= MAX_ENTRY_BYTES) {
      const entry = parseEntry(await readAt(file, at, second.value));
      if (entry === undefined) return undefined;
      metadata.set(...entry);
    }
    at += second.value;
  }
  return seen.has(GRAPH) ? metadata : undefined;
};

/**
 * The metadata of an ONNX file, or undefined if the file is truncated or not ONNX. Walks the fields of the outermost
 * message to the file's last byte, and skips the graph.
 */
export const onnxMetadata = async (path: string): Promise<Map<string, string> | undefined> => {
  const file = await open(path, 'r');
  try {
    return await readMetadata(file, (await file.stat()).size);
  } finally {
    await file.close();
  }
};
