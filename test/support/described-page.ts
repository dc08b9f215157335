/** An HTML page with a schema.org VideoObject, "A note on time", of two chapters; the second starts at `restAt` seconds. */
export const describedPage = (url: string, restAt: number): string => {
  const described = JSON.stringify({
    '@context': 'https://schema.org',
    '@type': 'VideoObject',
    name: 'A note on time',
    uploadDate: '2026-01-02',
    contentUrl: url,
    hasPart: [
      { '@type': 'Clip', name: 'Opening', startOffset: 0, endOffset: restAt },
      { '@type': 'Clip', name: 'The rest', startOffset: restAt, endOffset: restAt + 5 },
    ],
  });
  return `<!doctype html><html><head><title>ignored</title><script type="application/ld+json">${described}</script></head></html>`;
};
