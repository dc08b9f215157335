import type { Random } from './choices.ts';
import type { ApiDocument, Schema } from './document.ts';

/** JSON text that no JavaScript value serializes to, such as 1e400 or -0. */
export class RawJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Serializes to JSON and keeps raw parts unchanged. */
export const jsonText = (value: unknown): string => {
  if (value instanceof RawJson) return value.text;
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined);
    return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${jsonText(field)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
};

const TEXTS = [
  'Meeting notes',
  '会議の議事録',
  'こんにちは、世界',
  'Übergrößenträger',
  'مرحبا بالعالم',
  '🎙️👩‍👩‍👧‍👦',
  'e\u0301 and \u00e9',
  '𝒳𝒴𝒵',
  "Robert'); DROP TABLE transcripts;--",
  '100%',
  'a"b\\c',
  'x',
] as const;

export const EDGE_TEXTS = [
  '',
  ' ',
  '\t\n',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udc00abc',
  '\ufeffbom',
  '\u202eright to left',
  '\u2028\u2029',
  'NaN',
  'null',
  'undefined',
  'true',
  '-0',
  '1e309',
  '0x10',
  '1,5',
  '٣',
  '__proto__',
  'constructor',
  'toString',
  "' OR 1=1 --",
  '"; DELETE FROM transcripts; --',
  '%',
  '*',
  '"unbalanced',
  'AND OR NOT',
  '((((((((((',
  'a NEAR/0 b ^ c:d {e}',
  '-',
  '../../etc/passwd',
  '..\\..\\windows\\win.ini',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '/etc/passwd\u0000.mp3',
  'file:///etc/passwd',
  'storage:',
  'storage:/../x',
  'http://',
  'http://[::1',
  'javascript:alert(1)',
  '<script>alert(1)</script>',
  '\r\nX-Injected: 1',
  '$' + '{7*7}',
  '日本語'.repeat(50),
  'a'.repeat(201),
  'あ'.repeat(1025),
  'x'.repeat(10_240),
] as const;

const EDGE_NUMBERS: readonly unknown[] = [
  0,
  new RawJson('-0'),
  -1,
  1,
  0.1,
  1e-7,
  5e-324,
  1e21,
  1e308,
  -1e308,
  2 ** 31,
  2 ** 53,
  Number.MAX_SAFE_INTEGER,
  new RawJson('1e400'),
  new RawJson('-1e400'),
  new RawJson('123456789012345678901234567890'),
];

const nested = (depth: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
};

const WRONG: readonly unknown[] = [
  null,
  true,
  [],
  {},
  [[]],
  [null],
  '1',
  7,
  { length: 1 },
  new RawJson('{"__proto__":{"a":1}}'),
  nested(20),
  nested(99),
  nested(300),
];

/** Any value, seldom a valid one. */
export const wildValue = (random: Random): unknown => {
  const kind = random.int(0, 3);
  if (kind === 0) return random.pick(EDGE_TEXTS);
  if (kind === 3) return random.json();
  return random.pick(kind === 1 ? EDGE_NUMBERS : WRONG);
};

/** Candidate texts for the document's patterns. */
const PATTERN_TEXTS = [
  'A',
  'B',
  'ZZZ',
  '*',
  'https://example.com',
  'http://localhost:3000',
  'https://*.example.com',
  'x-custom-header',
  'authorization',
  `copy 100 ${'ab'.repeat(32)}`,
  '2026-11-20T17:45:00.123Z',
  '2000-02-29T00:00:00+05:30',
  'segmentation-pyannote-3.0-small',
  'embedding-campplus-zh-en-small',
  'file_01JD3Z9A5C7E9G2J4K6M8N0P1Q',
  'ab'.repeat(32),
] as const;

/** Values for a field of this name where the world knows better than the schema. */
export type Hints = (name: string, random: Random) => { readonly value: unknown } | undefined;

const noHints: Hints = () => undefined;

/** Makes values that fit a schema, often at its limits. */
export class ValueMaker {
  readonly #document: ApiDocument;
  readonly #random: Random;
  readonly #hints: Hints;

  constructor(document: ApiDocument, random: Random, hints: Hints = noHints) {
    this.#document = document;
    this.#random = random;
    this.#hints = hints;
  }

  valid(given: Schema, depth = 0): unknown {
    const schema = this.#document.resolve(given);
    if (schema.enum !== undefined) return this.#random.pick(schema.enum);
    if (schema.const !== undefined) return schema.const;
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices !== undefined) return this.valid(this.#choice(choices, depth), depth);
    switch (typeof schema.type === 'string' ? schema.type : this.#random.pick(schema.type ?? ['string'])) {
      case 'string':
        return this.#text(schema);
      case 'integer':
      case 'number':
        return this.#number(schema);
      case 'boolean':
        return this.#random.chance(0.5);
      case 'null':
        return null;
      case 'array':
        return this.#list(schema, depth);
      default:
        return this.#object(schema, depth);
    }
  }

  #choice(choices: readonly Schema[], depth: number): Schema {
    const flat = choices.filter(({ type }) => type !== 'array' && type !== 'object');
    return this.#random.pick(depth > 3 && flat.length > 0 ? flat : choices);
  }

  #text(schema: Schema): string {
    const random = this.#random;
    const { pattern, format, minLength = 0, maxLength = 10_240 } = schema;
    if (format === 'date') return random.pick(['2026-11-20', '2024-02-29', '1999-12-31']);
    if (format === 'uri') return random.pick(['http://127.0.0.1:1/a.mp3', 'http://host.invalid/x']);
    if (pattern !== undefined) {
      const fitting = PATTERN_TEXTS.filter((text) => new RegExp(pattern, 'u').test(text));
      // What is known is likelier to mean something.
      return fitting.length > 0 && random.chance(0.8)
        ? random.pick(fitting)
        : random.matching(pattern, maxLength);
    }
    const wide = [...TEXTS, ...EDGE_TEXTS].filter(
      (text) => text.length >= minLength && text.length <= maxLength,
    );
    if (random.chance(0.08))
      return random.pick(['z', '語']).repeat(random.chance(0.5) ? maxLength : minLength);
    // Of this length in UTF-16 units it has at most as many characters, which is what the schema counts.
    if (minLength === 0 && random.chance(0.2)) return random.text(0, maxLength);
    return random.chance(0.3)
      ? random.pick(wide)
      : random.pick(TEXTS).slice(0, maxLength).padEnd(minLength, 'x');
  }

  #number({ type, minimum, maximum, exclusiveMinimum }: Schema): number {
    const low = minimum ?? (exclusiveMinimum === undefined ? -1000 : exclusiveMinimum + 1);
    const high = maximum ?? low + 2000;
    const kind = this.#random.int(0, 5);
    if (kind === 0) return low;
    if (kind === 1) return high;
    const near = Math.min(high, low + 10);
    const value = low + this.#random.next() * ((kind < 4 ? near : high) - low);
    return type === 'integer' ? Math.min(high, Math.max(low, Math.round(value))) : value;
  }

  #list({ items = {}, minItems = 0, maxItems = 4, prefixItems }: Schema, depth: number): unknown[] {
    if (prefixItems !== undefined) return prefixItems.map((item) => this.valid(item, depth + 1));
    const length = this.#random.int(minItems, Math.min(maxItems, minItems + 3));
    return Array.from({ length }, () => this.valid(items, depth + 1));
  }

  #object(schema: Schema, depth: number): Record<string, unknown> {
    const random = this.#random;
    const {
      properties = {},
      required = [],
      additionalProperties,
      propertyNames = { type: 'string' },
    } = schema;
    // Few optional fields at once, since some exclude each other.
    const share = random.pick([0, 0.1, 0.3, 0.6]);
    const fields: [string, unknown][] = [];
    // Which fields come is chosen before their values, so that fewer fields are tried with the same values.
    const present = Object.entries(properties).filter(
      ([name]) => required.includes(name) || random.chance(share),
    );
    for (const [name, property] of present) {
      const hint = this.#hints(name, random);
      fields.push([name, hint === undefined ? this.valid(property, depth + 1) : hint.value]);
    }
    if (typeof additionalProperties === 'object' && depth < 4) {
      for (let count = random.int(0, 3); count > 0; count--) {
        const name = String(this.valid(propertyNames, depth + 1)).slice(0, 100);
        if (name !== '__proto__') fields.push([name, this.valid(additionalProperties, depth + 1)]);
      }
    }
    return Object.fromEntries(fields);
  }
}
