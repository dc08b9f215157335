/** A paragraph of a Word document. */
export type DocxParagraph = {
  readonly kind: 'title' | 'heading' | 'speaker' | 'text';
  readonly text: string;
};

const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const END_OF_CENTRAL_DIRECTORY = 0x06054b50;
const DEFLATED = 8;

/** Finds an entry of a ZIP file through the central directory (PKWARE APPNOTE 4.3.12 and 4.3.16). */
const readEntry = (
  zip: DataView,
  entryName: string,
): { method: number; bytes: Uint8Array<ArrayBuffer> } | undefined => {
  const nameAt = (at: number, length: number) =>
    new TextDecoder().decode(new Uint8Array(zip.buffer, at, length));
  let end = zip.byteLength - 22;
  while (end >= 0 && zip.getUint32(end, true) !== END_OF_CENTRAL_DIRECTORY) end--;
  if (end < 0) return undefined;
  let at = zip.getUint32(end + 16, true);
  for (let remaining = zip.getUint16(end + 10, true); remaining > 0; remaining--) {
    const nameLength = zip.getUint16(at + 28, true);
    if (nameAt(at + 46, nameLength) === entryName) {
      const local = zip.getUint32(at + 42, true);
      const start = local + 30 + zip.getUint16(local + 26, true) + zip.getUint16(local + 28, true);
      const bytes = new Uint8Array(zip.getUint32(at + 20, true));
      bytes.set(new Uint8Array(zip.buffer, start, bytes.length));
      return { method: zip.getUint16(at + 10, true), bytes };
    }
    at += 46 + nameLength + zip.getUint16(at + 30, true) + zip.getUint16(at + 32, true);
  }
  return undefined;
};

const inflateText = (entry: { method: number; bytes: Uint8Array<ArrayBuffer> }): Promise<string> => {
  const stream = new Blob([entry.bytes]).stream();
  return new Response(
    entry.method === DEFLATED ? stream.pipeThrough(new DecompressionStream('deflate-raw')) : stream,
  ).text();
};

const kindOf = (style: string): DocxParagraph['kind'] => {
  if (style === 'Title') return 'title';
  if (style.startsWith('Heading')) return 'heading';
  return style === 'SpeakerLine' ? 'speaker' : 'text';
};

/** Reads the first `limit` non-empty paragraphs of a Word document. */
export const readDocx = async (file: Blob, limit: number): Promise<DocxParagraph[]> => {
  const entry = readEntry(new DataView(await file.arrayBuffer()), 'word/document.xml');
  if (entry === undefined) throw new Error('The Word document has no text part.');
  const xml = new DOMParser().parseFromString(await inflateText(entry), 'text/xml');
  const paragraphs: DocxParagraph[] = [];
  for (const element of xml.getElementsByTagNameNS(WORD, 'p')) {
    const style = element.getElementsByTagNameNS(WORD, 'pStyle')[0]?.getAttributeNS(WORD, 'val') ?? '';
    const text = [...element.getElementsByTagNameNS(WORD, 't')].map((run) => run.textContent).join('');
    if (text.trim() !== '') paragraphs.push({ kind: kindOf(style), text });
    if (paragraphs.length === limit) break;
  }
  return paragraphs;
};
