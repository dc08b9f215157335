import { strFromU8, unzipSync } from 'fflate';

/** A paragraph of a Word document. */
export type DocxParagraph = {
  readonly kind: 'title' | 'heading' | 'speaker' | 'text';
  readonly text: string;
};

const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const TEXT_PART = 'word/document.xml';

const kindOf = (style: string): DocxParagraph['kind'] => {
  if (style === 'Title') return 'title';
  if (style.startsWith('Heading')) return 'heading';
  return style === 'SpeakerLine' ? 'speaker' : 'text';
};

/** Reads the first `limit` non-empty paragraphs of a Word document. */
export const readDocx = async (file: Blob, limit: number): Promise<DocxParagraph[]> => {
  const parts = unzipSync(new Uint8Array(await file.arrayBuffer()), {
    filter: ({ name }) => name === TEXT_PART,
  });
  const text = parts[TEXT_PART];
  if (text === undefined) throw new Error('The Word document has no text part.');
  const xml = new DOMParser().parseFromString(strFromU8(text), 'text/xml');
  const paragraphs: DocxParagraph[] = [];
  for (const element of xml.getElementsByTagNameNS(WORD, 'p')) {
    const style = element.getElementsByTagNameNS(WORD, 'pStyle')[0]?.getAttributeNS(WORD, 'val') ?? '';
    const line = [...element.getElementsByTagNameNS(WORD, 't')].map((run) => run.textContent).join('');
    if (line.trim() !== '') paragraphs.push({ kind: kindOf(style), text: line });
    if (paragraphs.length === limit) break;
  }
  return paragraphs;
};
