const CHARACTER = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u;
const TAG = /^<(\/?)([A-Za-z_][\w:.-]*)((?:\s+[A-Za-z_][\w:.-]*="[^"<]*")*)\s*(\/?)>$/;

const decode = (text: string): string => {
  const references = text.match(/&[^;&\s]*;?/g) ?? [];
  for (const reference of references) {
    if (!/^&(?:amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);$/i.test(reference)) throw new Error(`bad: ${reference}`);
  }
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&');
};

export type XmlText = { path: string; text: string };

/** Checks that a document is well-formed XML 1.0 and returns its texts with the path of their element. */
export const parseXml = (document: string): XmlText[] => {
  if (!document.isWellFormed() || !CHARACTER.test(document))
    throw new Error('a character that XML does not have');
  const open: string[] = [];
  const texts: XmlText[] = [];
  for (const token of document.replace(/^<\?xml[^?]*\?>\s*/, '').match(/<[^>]*>|[^<]+/g) ?? []) {
    if (!token.startsWith('<')) {
      if (open.length === 0 && token.trim() !== '') throw new Error(`text outside: ${token}`);
      texts.push({ path: open.join('/'), text: decode(token) });
      continue;
    }
    const match = TAG.exec(token);
    if (match === null) throw new Error(`not a tag: ${token}`);
    const [, closing, name = '', attributes = '', empty] = match;
    decode(attributes);
    if (closing === '/') {
      if (open.pop() !== name) throw new Error(`${name} is closed but not open`);
    } else if (empty === '') open.push(name);
  }
  if (open.length > 0) throw new Error(`never closed: ${open.join(', ')}`);
  return texts;
};
