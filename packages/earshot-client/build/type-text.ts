import { z } from 'zod';

/** The subset of JSON Schema in the contract's OpenAPI document. */
export const Schema = z.object({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  get anyOf() {
    return z.array(Schema).optional();
  },
  get oneOf() {
    return z.array(Schema).optional();
  },
  get allOf() {
    return z.array(Schema).optional();
  },
  get properties() {
    return z.record(z.string(), Schema).optional();
  },
  required: z.array(z.string()).optional(),
  get additionalProperties() {
    return z.union([z.boolean(), Schema]).optional();
  },
  /** False after `prefixItems`: a tuple has no more items. */
  get items() {
    return z.union([z.boolean(), Schema]).optional();
  },
  get prefixItems() {
    return z.array(Schema).optional();
  },
  description: z.string().optional(),
});
export type Schema = z.output<typeof Schema>;

const PRIMITIVES: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

export const comment = (text: string | undefined, indent = ''): string =>
  text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '* /')} */\n`;

const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

const union = (texts: readonly string[]): string => [...new Set(texts)].join(' | ');

const parenthesized = (text: string): string => (/[|&]/.test(text) ? `(${text})` : text);

/** `{…}` with a line per property. */
const objectText = (schema: Schema, indent: string): string => {
  const { properties = {}, required = [], additionalProperties } = schema;
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(
    ([name, property]) =>
      `${comment(property.description, inner)}${inner}${key(name)}${required.includes(name) ? '' : '?'}: ${typeText(property, inner)};\n`,
  );
  const rest =
    typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0
      ? typeText(additionalProperties, inner)
      : 'unknown';
  if (lines.length > 0) return `{\n${lines.join('')}${indent}}`;
  return additionalProperties === false ? 'Record<string, never>' : `{ [key: string]: ${rest} }`;
};

const typeOf = (type: string, schema: Schema, indent: string): string => {
  if (type === 'object') return objectText(schema, indent);
  if (type !== 'array') return PRIMITIVES[type] ?? 'unknown';
  if (schema.prefixItems !== undefined) {
    return `[${schema.prefixItems.map((item) => typeText(item, indent)).join(', ')}]`;
  }
  const { items } = schema;
  return `${parenthesized(typeText(typeof items === 'object' ? items : {}, indent))}[]`;
};

/** The TypeScript type of a schema. `indent` is that of the line on which it starts. */
export const typeText = (schema: Schema, indent = ''): string => {
  const { $ref, anyOf, oneOf, allOf, type } = schema;
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf('/') + 1);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map((value) => JSON.stringify(value)));
  const either = anyOf ?? oneOf;
  if (either !== undefined) return union(either.map((each) => typeText(each, indent)));
  if (allOf !== undefined) return allOf.map((each) => parenthesized(typeText(each, indent))).join(' & ');
  if (type === undefined) return 'unknown';
  return typeof type === 'string'
    ? typeOf(type, schema, indent)
    : union(type.map((each) => typeOf(each, schema, indent)));
};
