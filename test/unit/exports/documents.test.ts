import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { EXPORT_FORMATS, type ExportQuery } from '../../../electron/contract/exports.ts';
import { joinTexts } from '../../../electron/core/base/text.ts';
import { csvText, renderCsv } from '../../../electron/core/exports/csv.ts';
import { renderJson } from '../../../electron/core/exports/json.ts';
import { escapeMarkdown, renderMarkdown } from '../../../electron/core/exports/markdown.ts';
import { exportFileName, renderExport } from '../../../electron/core/exports/render.ts';
import { renderTxt } from '../../../electron/core/exports/txt.ts';
import { anyCharacter } from '../../support/any-text.ts';
import { parseXml } from '../../support/xml.ts';
import { unzip } from '../../support/zip.ts';
import {
  bareText,
  bareWords,
  brokenTranscripts,
  INTERVIEW,
  segmentOf,
  TALK,
  transcriptOf,
  transcripts,
} from './support/transcripts.ts';

const any = fc.oneof(transcripts, brokenTranscripts);

/** A strict CSV reader for the grammar of RFC 4180. */
const parseCsv = (file: string): string[][] => {
  const rows: string[][] = [[]];
  let rest = file;
  while (rest !== '') {
    const match = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/.exec(rest);
    if (match === null) throw new Error(`not RFC 4180: ${rest.slice(0, 40)}`);
    rows.at(-1)?.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    rest = rest.slice(match[0].length);
    if (match[3] === '\r\n' && rest !== '') rows.push([]);
  }
  return rows;
};

describe('plain text', () => {
  it('has a paragraph per turn, with names and times on request', () => {
    expect(renderTxt(TALK, { format: 'txt', times: true })).toBe(
      '[00:00:00] Maria: =1+1 is "two", she said. # Not a *heading*.\n\n[00:01:05] Speaker B: Fine.\n',
    );
    expect(renderTxt(TALK, { format: 'txt', speakers: false })).toBe(
      '=1+1 is "two", she said. # Not a *heading*.\n\nFine.\n',
    );
  });

  it('has every word of any transcript', () => {
    fc.assert(
      fc.property(any, (transcript) => {
        expect(bareText(renderTxt(transcript, { format: 'txt', speakers: false }))).toBe(
          bareWords(transcript),
        );
      }),
    );
  });
});

// Where Date reads local times.
beforeAll(() => vi.stubEnv('TZ', 'Europe/Berlin'));
afterAll(() => vi.unstubAllEnvs());

describe('Markdown', () => {
  it('shows the text unchanged', () => {
    expect(renderMarkdown(TALK, { format: 'md' })).toBe(`# Meeting \\<1\\>.mp3

- **Date:** 2026-11-20 18:45
- **Duration:** 00:01:06
- **Language:** English
- **Model:** base
- **Topics:** Finance

> The model small, held to English, answered for nano.

## Summary

### Points

- First \\& best
- Second

## Transcript

**Maria** \`00:00:00\`${'  '}
\\=1+1 is "two", she said. \\# Not a \\*heading\\*.

**Speaker B** \`00:01:05\`${'  '}
Fine.
`);
  });

  it('escapes every markup character and keeps the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const escaped = escapeMarkdown(text);
        expect(escaped.replace(/\\([!-/:-@[-`{-~])/g, '$1')).toBe(text);
        expect(escaped.replace(/\\[!-/:-@[-`{-~]/g, '')).not.toMatch(/[`*_[\]<>#|~&$\\]/);
        expect(escaped).not.toMatch(/^(?:[-+=]|\d+[.)])/);
      }),
    );
  });
});

describe('a recording in two languages', () => {
  it('names the language in text where it changes', () => {
    expect(renderTxt(INTERVIEW, { format: 'txt', times: true })).toBe(
      '[00:00:00] [English] Speaker A: Where were you born?\n\n' +
        '[00:00:02] [German] Speaker B: In Köln, im Winter. Es war kalt.\n\n' +
        '[00:00:08] [English] Speaker A: I see.\n',
    );
  });

  it('begins a paragraph at another language of one speaker', () => {
    const alone = {
      ...INTERVIEW,
      segments: INTERVIEW.segments.map((each) => ({ ...each, speaker_id: 'A' })),
    };
    expect(renderTxt(alone, { format: 'txt' })).toBe(
      '[English] Where were you born?\n\n[German] In Köln, im Winter. Es war kalt.\n\n[English] I see.\n',
    );
  });

  it('has their shares and its changes in Markdown', () => {
    const markdown = renderMarkdown(INTERVIEW, { format: 'md' });
    expect(markdown).toContain('- **Languages:** German 60 %, English 40 %\n');
    expect(markdown).toContain('**Speaker B** \\`00:00:02\\` *German*  \nIn Köln'.replaceAll('\\`', '`'));
  });

  it('has a column in CSV, by segments and by words', () => {
    const rows = parseCsv(renderCsv(INTERVIEW, { format: 'csv' }));
    expect(rows.map((row) => row[4])).toEqual(['language', 'en', 'de', 'de', 'en']);
    const words = [{ word: 'See.', start: 0, end: 1, confidence: 1, speaker_id: null }];
    const worded = { ...INTERVIEW, segments: INTERVIEW.segments.map((each) => ({ ...each, words })) };
    expect(parseCsv(renderCsv(worded, { format: 'csv', words: true })).map((row) => row[4])).toEqual([
      'language',
      'en',
      'de',
      'de',
      'en',
    ]);
  });

  it('has fields in JSON', () => {
    expect(JSON.parse(renderJson(INTERVIEW, { format: 'json' }))).toMatchObject({
      language: 'de',
      languages: [
        { language: 'de', share: 0.6 },
        { language: 'en', share: 0.4 },
      ],
      segments: [{ language: 'en' }, { language: 'de' }, { language: 'de' }, { language: 'en' }],
    });
  });

  it('is checked by the dictionary of each passage in Word', async () => {
    const { body } = await renderExport(INTERVIEW, { format: 'docx' });
    if (typeof body === 'string') throw new Error('Not a file.');
    const xml = unzip(body).get('word/document.xml')?.toString('utf8') ?? '';
    expect(xml).toContain('Languages');
    const passages = [...xml.matchAll(/<w:r>(?:<w:rPr>(.*?)<\/w:rPr>)?<w:t[^>]*>([^<]*)<\/w:t>/g)];
    const languageOf = (start: string) => {
      const [, properties = ''] = passages.find(([, , text = '']) => text.startsWith(start)) ?? [];
      return /<w:lang w:val="(\w+)"/.exec(properties)?.[1];
    };
    expect([languageOf('Where'), languageOf('In Köln'), languageOf('I see')]).toEqual([
      'en',
      undefined,
      'en',
    ]);
    expect(xml).toContain('German');
  });

  it('is not said where one language is spoken', () => {
    const segments = INTERVIEW.segments.map((each) => ({ ...each, language: 'de' }));
    expect(renderTxt({ ...INTERVIEW, segments }, { format: 'txt' })).not.toContain('[');
    expect(renderCsv({ ...INTERVIEW, segments }, { format: 'csv' })).not.toContain('language');
  });
});

describe('CSV', () => {
  it('follows RFC 4180 and neutralizes formulas', () => {
    expect(parseCsv(renderCsv(TALK, { format: 'csv' }))).toEqual([
      ['segment_id', 'start', 'end', 'speaker', 'text'],
      ['0', '0', '2', 'Maria', `'=1+1 is "two", she said.`],
      ['0', '2', '4', 'Maria', '# Not a *heading*.'],
      ['0', '65.5', '66', 'Speaker B', 'Fine.'],
    ]);
    for (const text of ['=cmd', '+1', '-1', '@SUM(A1)', '\tx', '＝x', '\r=x'])
      expect(csvText(text)).toMatch(/^"?'/);
  });

  it('round-trips any transcript', () => {
    fc.assert(
      fc.property(any, fc.boolean(), (transcript, words) => {
        const rows = parseCsv(renderCsv(transcript, { format: 'csv', words }));
        const width = rows[0]?.length;
        for (const row of rows) expect(row).toHaveLength(width ?? 0);
        if (!words) {
          const text = rows.slice(1).map((row) => row[4]?.replace(/^'(?=[=+\-@\t\r\n＝＋－＠])/u, ''));
          expect(bareText(text.join(' '))).toBe(bareWords(transcript));
        }
      }),
    );
  });
});

describe('JSON', () => {
  it("joins segments as the API's text does, without spaces in Thai", () => {
    const texts = ['สวัสดีครับ', 'ขอบคุณ', 'Okay.'];
    const thai = transcriptOf(texts.map((text, index) => segmentOf(text, index, index + 1)));
    const { text } = JSON.parse(renderJson(thai, { format: 'json' }));
    expect(text).toBe(joinTexts(texts));
    expect(text).toBe('สวัสดีครับขอบคุณ Okay.');
  });

  it('has the API’s field names, and words if there are any', async () => {
    const { body } = await renderExport(TALK, { format: 'json' });
    const parsed = JSON.parse(String(body));
    expect(parsed.segments).toEqual(TALK.segments);
    expect(parsed.text).toBe('=1+1 is "two", she said. # Not a *heading*. Fine.');
    expect(parsed).toMatchObject({
      id: TALK.id,
      language: 'en',
      topics: ['Finance'],
      speakers: TALK.speakers,
    });
  });
});

describe('DOCX', () => {
  const texts = async (transcript: typeof TALK, options: Partial<ExportQuery> = {}) => {
    const { body } = await renderExport(transcript, { format: 'docx', ...options });
    if (typeof body === 'string') throw new Error('a Word document is bytes');
    const files = unzip(body);
    for (const [name, bytes] of files) if (/\.(?:xml|rels)$/.test(name)) parseXml(bytes.toString('utf8'));
    expect([...files.keys()]).toEqual(
      expect.arrayContaining(['[Content_Types].xml', '_rels/.rels', 'word/document.xml', 'word/styles.xml']),
    );
    return parseXml(files.get('word/document.xml')?.toString('utf8') ?? '')
      .filter(({ path }) => path.endsWith('w:r/w:t'))
      .map(({ text }) => text);
  };

  it('has title, facts, summary, speaker names, times and text', async () => {
    const found = await texts(TALK);
    expect(found[0]).toBe('Meeting <1>.mp3');
    for (const text of [
      'English',
      'Finance',
      'Summary',
      'Points',
      'First & best',
      'Maria  ',
      '00:01:05',
      'Fine.',
    ]) {
      expect(found).toContain(text);
    }
  });

  it('is well-formed and has every word of any transcript', async () => {
    await fc.assert(
      fc.asyncProperty(any, async (transcript) => {
        const found = await texts(transcript, { speakers: false, times: false });
        const spoken = found.slice(found.indexOf('Transcript') + 1);
        expect(bareText(spoken.join(' '))).toBe(bareWords(transcript).replace(/[\ufffe\uffff]/g, ''));
      }),
      { numRuns: 15 },
    );
  });
});

describe('file names', () => {
  it.each([
    ['meeting.mp3', 'meeting.srt'],
    ['Šimon – 会議 (1).m4a', 'Šimon – 会議 (1).srt'],
    ['../../etc/passwd', '-..-etc-passwd.srt'],
    ['a:b*c?"d"<e>|f', 'a-b-c-d-e-f.srt'],
    ['CON', '_CON.srt'],
    ['aux.txt', '_aux.txt.srt'],
    ['...', 'transcript.srt'],
    ['   ', 'transcript.srt'],
    ['\u202egnp.exe', 'gnp.exe.srt'],
    ['name\r\nSet-Cookie: x', 'name Set-Cookie- x.srt'],
  ])('%j becomes %j', (name, expected) => {
    expect(exportFileName(name, 'srt')).toBe(expected);
  });

  it('are valid on every file system, for any name', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter, maxLength: 400 }),
        fc.constantFrom(...EXPORT_FORMATS),
        (name, format) => {
          const file = exportFileName(name, format);
          expect(Buffer.byteLength(file)).toBeLessThanOrEqual(200);
          expect(file).not.toMatch(/[<>:"/\\|?*\p{Cc}]|^[.\s]/u);
          expect(file).toMatch(/[^.\s]\.[a-z]+$/u);
          expect(file.isWellFormed()).toBe(true);
        },
      ),
    );
  });
});
