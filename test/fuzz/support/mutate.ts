import type { Random } from './choices.ts';
import type { ApiDocument, Operation } from './document.ts';
import type { Draft } from './plan.ts';
import { EDGE_TEXTS, RawJson, wildValue } from './values.ts';

const UNKNOWN_NAMES = [
  'unknown_field',
  'Name',
  'constructor',
  'toString',
  'hasOwnProperty',
  '日本',
  '',
] as const;

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof RawJson);

const changedField = (value: Fields, name: string, random: Random): Fields => {
  const field = value[name];
  // What is inside is changed as often as the field itself.
  if (isFields(field) && random.chance(0.5)) return { ...value, [name]: changed(field, random) };
  if (Array.isArray(field) && field.length > 0 && random.chance(0.5)) {
    const at = random.int(0, field.length - 1);
    const item = isFields(field[at]) ? changed(field[at], random) : wildValue(random);
    return { ...value, [name]: field.with(at, item) };
  }
  return { ...value, [name]: wildValue(random) };
};

/** A body with one thing changed that may make it wrong. */
export const changed = (value: unknown, random: Random): unknown => {
  if (!isFields(value) || random.chance(0.08)) return wildValue(random);
  const names = Object.keys(value);
  const kind = random.int(0, 3);
  if (kind === 0 || names.length === 0) return { ...value, [random.pick(UNKNOWN_NAMES)]: wildValue(random) };
  const name = random.pick(names);
  if (kind > 1) return changedField(value, name, random);
  const { [name]: _, ...rest } = value;
  return rest;
};

/** JSON that is none, or hardly. */
export const brokenJson = (text: string, random: Random): Buffer =>
  random.pick<() => Buffer>([
    () => Buffer.alloc(0),
    () => Buffer.from(text.slice(0, -1)),
    () => Buffer.from(`${text}${text}`),
    () => Buffer.from(`\ufeff${text}`),
    () => Buffer.from('null'),
    () => Buffer.from('"text"'),
    () => Buffer.from('[]'),
    () => Buffer.from('{"a":NaN}'),
    () => Buffer.from("{'a':1}"),
    () => Buffer.from('{"a":1,}'),
    () => Buffer.from('['.repeat(20_000)),
    () => Buffer.from(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`),
    () => Buffer.from('{"constructor":{"prototype":{"a":1}}}'),
    () => Buffer.from([0xff, 0xfe, 0x00, 0x7b]),
    () =>
      Buffer.concat([
        Buffer.from('{"name":"'),
        Buffer.from([0xc3, 0x28, 0xed, 0xa0, 0x80]),
        Buffer.from('"}'),
      ]),
    () => Buffer.from('x'.repeat(1_100_000)),
  ])();

const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/** A query's text as the value that the document speaks of. */
const asValue = (text: string, type: unknown): unknown => {
  if ((type === 'integer' || type === 'number') && NUMBER.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
};

/** What the document has against a query. */
export const queryFault = (
  document: ApiDocument,
  operation: Operation,
  query: readonly (readonly [string, string])[],
): string | undefined => {
  const parameters = operation.parameters.filter((parameter) => parameter.in === 'query');
  const missing = parameters.find(({ name, required }) => required && !query.some(([sent]) => sent === name));
  if (missing !== undefined) return `${missing.name} is missing`;
  for (const [name, text] of query) {
    const map = parameters.find(
      (parameter) => parameter.style === 'deepObject' && name.startsWith(`${parameter.name}[`),
    );
    if (map !== undefined) continue;
    const parameter = parameters.find((known) => known.name === name && known.style === undefined);
    if (parameter === undefined) return `${name} is not a parameter`;
    if (query.filter(([sent]) => sent === name).length > 1) return `${name} comes twice`;
    const problem = document.parameterProblem(operation, parameter, asValue(text, parameter.schema.type));
    if (problem !== undefined) return `${name}: ${problem}`;
  }
  return undefined;
};

/** Changes the query so that it may be wrong. */
export const changeQuery = (draft: Draft, operation: Operation, text: string, random: Random): void => {
  const names = operation.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  const kind = random.int(0, 3);
  const [first] = draft.query;
  if (kind === 0 || names.length === 0) {
    draft.query.push([random.pick(['unknown', 'limit[]', '__proto__', 'format[x]', 'metadata[', '']), text]);
  } else if (kind === 1 && first !== undefined) draft.query.push(first);
  else if (kind === 2 && first !== undefined) draft.query = draft.query.slice(1);
  else draft.query.push([random.pick(names), random.chance(0.5) ? text : random.pick(EDGE_TEXTS)]);
};
