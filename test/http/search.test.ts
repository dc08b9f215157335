import BetterSqlite3 from 'better-sqlite3';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findMarks, makeSnippet, matchExpression, parseQuery } from '../../electron/core/search/query.ts';
import { FTS_TOKENIZER, indexText, tokenize } from '../../electron/core/search/tokens.ts';
import { anyCharacter } from '../support/any-text.ts';

const TEXTS = [
  'We signed the contract with Northwind on Monday.', // 1
  'The Café in Šimonov was crowded, naïve and loud.', // 2
  'Der Straßenverkehr in Łódź und Malmö nimmt zu.', // 3
  '今天我们来讨论人工智能的发展。会議は月曜日です。', // 4
  '東京タワーに行きました。', // 5
  '회의에서 예산을 논의했습니다.', // 6
  'สวัสดีครับ วันนี้เราจะประชุมกัน', // 7
  "Don't e-mail the contracts to ben@example.com, call 555-0100.", // 8
  'हिन्दी में बात करते हैं', // 9
  'اجتماع اليوم عن المُيزانِية', // 10
];

let database: BetterSqlite3.Database;

const search = (query: string): number[] => {
  const parsed = parseQuery(query);
  if (parsed === undefined) return [];
  const rows: unknown[] = database
    .prepare('SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rowid')
    .pluck()
    .all(matchExpression(parsed));
  return rows.map(Number);
};

beforeAll(() => {
  database = new BetterSqlite3(':memory:');
  database.exec(
    `CREATE VIRTUAL TABLE texts USING fts5(body, content='', contentless_delete=1, prefix='2 3', tokenize="${FTS_TOKENIZER}")`,
  );
  const insert = database.prepare('INSERT INTO texts (rowid, body) VALUES (?, ?)');
  TEXTS.forEach((text, index) => {
    insert.run(index + 1, indexText(text));
  });
});
afterAll(() => database.close());

describe('a search finds', () => {
  it.each<[string, number[]]>([
    ['contract', [1]],
    ['CONTRACT monday', [1]],
    ['contract*', [1, 8]],
    ['"with northwind"', [1]],
    ['"northwind with"', []],
    ['"signed the contr"*', [1]],
    ['contract OR contracts', [1, 8]],
    ['contract* NOT monday', [8]],
    ['contract* -monday', [8]],
    ['contract* -"on monday"', [8]],
    ['(contract OR cafe) AND (monday OR loud)', [1, 2]],
    ['cafe simonov', [2]],
    ['NAIVE', [2]],
    ['strassenverkehr lodz malmo', [3]],
    ['会議', [4]],
    ['人工智能', [4]],
    ['工智', [4]],
    ['東京', [5]],
    ['タワー', [5]],
    ['ﾀﾜｰ', [5]],
    ['が', []],
    ['회의', [6]],
    ['ประชุม', [7]],
    ["don't", [8]],
    ['e-mail', [8]],
    ['ben@example.com', [8]],
    ['555-0100', [8]],
    ['हिन्दी', [9]],
    ['हन्दी', []],
    ['الميزانية', [10]],
    ['会議 OR monday', [1, 4]],
    ['ｃｏｎｔｒａｃｔ', [1]],
  ])('%j in %j', (query, expected) => {
    expect(search(query)).toEqual(expected);
  });

  it.each([
    '',
    '   ',
    '"',
    '()',
    '*',
    'NOT contract',
    '-contract',
    'AND OR NOT',
    '!!!',
    '\u0000',
    '((((',
    ')))',
  ])('nothing and throws no error for %j', (query) => {
    expect(search(query)).toEqual([]);
  });

  it('the remaining words when operators and parentheses are unbalanced', () => {
    expect(search('contract AND')).toEqual([1]);
    expect(search('OR contract')).toEqual([1]);
    expect(search('(contract')).toEqual([1]);
    expect(search('contract)')).toEqual([1]);
    expect(search('contract) monday')).toEqual([1]);
    expect(search('"with northwind')).toEqual([1]);
    expect(search(`${'('.repeat(240)}contract${')'.repeat(240)}`)).toEqual([1]);
    expect(search('-zebra '.repeat(60).concat('contract'))).toEqual([1]);
  });

  it('something or nothing, but never a syntax error', () => {
    const piece = fc.constantFrom(
      '"',
      '(',
      ')',
      '*',
      '-',
      ' ',
      'AND',
      'OR',
      'NOT',
      'NEAR(',
      '^',
      ':',
      '{',
      '}',
      '+',
      'a',
      '会',
      "'",
      '\\',
      '\0',
      ' x ',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: anyCharacter, maxLength: 80 }),
          fc.array(piece, { maxLength: 120 }).map((p) => p.join('')),
        ),
        (query) => {
          expect(() => search(query)).not.toThrow();
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('marks and snippets', () => {
  it('point at the matches in the original text', () => {
    const marked = (query: string, text: string) => {
      const parsed = parseQuery(query);
      return parsed === undefined
        ? []
        : findMarks(parsed, text).map(([start, end]) => text.slice(start, end));
    };
    expect(marked('cafe OR simon*', TEXTS[1] ?? '')).toEqual(['Café', 'Šimonov']);
    expect(marked('"the contract" monday -northwind', TEXTS[0] ?? '')).toEqual(['the contract', 'Monday']);
    expect(marked('会議', TEXTS[3] ?? '')).toEqual(['会議']);
    expect(marked('"a b" "b c"', 'a b c')).toEqual(['a b c']);
  });

  it('agree with the index: a query that matches a single word marks it', () => {
    fc.assert(
      fc.property(fc.constantFrom(...TEXTS.flatMap((text) => text.split(' '))), (word) => {
        const parsed = parseQuery(`"${word}"`);
        if (parsed === undefined) return;
        expect(search(`"${word}"`).length).toBeGreaterThan(0);
        expect(findMarks(parsed, word)).toHaveLength(1);
      }),
    );
  });

  it('are cut around the first mark, with marks at their positions', () => {
    const text = `${'word '.repeat(100)}Northwind ${'more '.repeat(100)}`.trim();
    const parsed = parseQuery('northwind more');
    if (parsed === undefined) throw new Error('a query of two words is a query');
    const { snippet, marks } = makeSnippet(text, findMarks(parsed, text));
    expect(snippet).toMatch(/^…word .*Northwind more .*more…$/);
    expect(snippet.length).toBeLessThanOrEqual(162);
    expect(marks.map(([start, end]) => snippet.slice(start, end))[0]).toBe('Northwind');
    for (const [start, end] of marks) expect(['Northwind', 'more']).toContain(snippet.slice(start, end));
  });

  it('stay inside the snippet, split no character and keep the first mark', () => {
    fc.assert(
      fc.property(
        fc
          .array(
            fc.oneof(
              fc.constantFrom('x', '会', '👍🏽', ' ', 'Café ', 'long'.repeat(20)),
              fc.string({ unit: 'grapheme' }),
            ),
          )
          .map((p) => p.join('')),
        fc.integer({ min: 10, max: 200 }),
        (text, length) => {
          const parsed = parseQuery('cafe OR 会 OR x');
          if (parsed === undefined) throw new Error('a query of three words is a query');
          const found = findMarks(parsed, text);
          const { snippet, marks } = makeSnippet(text, found, length);
          expect(snippet.isWellFormed()).toBe(text.isWellFormed());
          expect(snippet.length).toBeLessThanOrEqual(length + 2);
          expect(marks.length > 0).toBe(found.length > 0);
          for (const [start, end] of marks)
            expect(start >= 0 && start < end && end <= snippet.length).toBe(true);
        },
      ),
    );
  });

  it('have tokens that cover exactly the letters and digits of a text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        let at = 0;
        for (const token of tokenize(text)) {
          expect(text.slice(at, token.start)).not.toMatch(/[\p{L}\p{N}]/u);
          at = token.end;
        }
        expect(text.slice(at)).not.toMatch(/[\p{L}\p{N}]/u);
      }),
    );
  });
});
