import type { z } from 'zod';
import type { ErrorDetail } from '../../contract/errors.ts';
import { AppError } from '../base/errors.ts';

/** A wrong body can have one for each of its half a million values. */
const MAX_DETAILS = 100;

const UNKNOWN_FIELD = 'is not a known field';

const detailsOf = (issue: z.core.$ZodIssue): ErrorDetail[] => {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys
      .slice(0, MAX_DETAILS)
      .map((key) => ({ path: [...path, key].join('.'), message: UNKNOWN_FIELD }));
  }
  return [{ path: path.join('.'), message: issue.message.replace(/^Invalid input: /, '') }];
};

const firstDetails = ({ issues }: z.ZodError): ErrorDetail[] =>
  issues.slice(0, MAX_DETAILS).flatMap(detailsOf).slice(0, MAX_DETAILS);

const MAX_DEPTH = 100;
/** No part of a request has a tenth of them. Looking each of 90,000 up takes a quarter of a second. */
const MAX_FIELDS = 1000;

const hasTooManyFields = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length > MAX_FIELDS;

const tooManyFields = (where: string): AppError =>
  new AppError('invalid_request', `The ${where} has more than ${MAX_FIELDS} fields.`);

const [QUOTE, BACKSLASH, COLON, OPEN_LIST, CLOSE_LIST, OPEN, CLOSE] = [34, 92, 58, 91, 93, 123, 125];

/** The place behind a JSON string that begins at `from`. */
const endOfString = (json: string, from: number): number => {
  for (let end = json.indexOf('"', from + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let escapes = 0;
    while (json.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end + 1;
  }
  return json.length;
};

/**
 * Throws `invalid_request` if the text of a JSON object has more fields than any request has. Counts them in the text, because
 * parsing 80,000 fields takes a tenth of a second.
 */
export const checkFieldsOf = (json: string): void => {
  let [depth, fields] = [0, 0];
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfString(json, at) - 1;
    else if (code === COLON && depth === 1) fields += 1;
    else if (code === OPEN || code === OPEN_LIST) depth += 1;
    else if (code === CLOSE || code === CLOSE_LIST) depth -= 1;
    if (fields > MAX_FIELDS) throw tooManyFields('body');
  }
};

/** Checks level by level: recursion over a body of nothing but brackets would exhaust the stack. */
const isTooDeep = (value: unknown): boolean => {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((item): unknown[] =>
      typeof item === 'object' && item !== null ? Object.values(item) : [],
    );
  }
  return false;
};

const UNKNOWN_PROTOTYPE: ErrorDetail = { path: '__proto__', message: UNKNOWN_FIELD };

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value without the nulls at which a schema found issues; undefined if there are none. */
const withoutNulls = (value: unknown, issues: readonly z.core.$ZodIssue[]): unknown => {
  const copy: unknown = structuredClone(value);
  let hasNulls = false;
  for (const { path } of issues) {
    const parent = path
      .slice(0, -1)
      .reduce<unknown>(
        (inner, key) => (Object(inner) === inner ? Reflect.get(Object(inner), key) : undefined),
        copy,
      );
    const key = path.at(-1);
    if (key === undefined || !isObject(parent) || parent[String(key)] !== null) continue;
    delete parent[String(key)];
    hasNulls = true;
  }
  return hasNulls ? copy : undefined;
};

/**
 * Parses with a schema. `null` means "not given" in a field whose schema does not take it: clients in many languages send it
 * for whatever has no value.
 */
const parseTolerant = <T extends z.ZodType>(schema: T, value: unknown) => {
  const result = schema.safeParse(value);
  const rest = result.success ? undefined : withoutNulls(value, result.error.issues);
  return rest === undefined ? result : schema.safeParse(rest);
};

/**
 * Parses a part of a request with its schema. Throws `invalid_request` with the first `MAX_DETAILS` issues in `details`; `where` names the
 * part in the message when an issue concerns all of it.
 */
export const validate = <T extends z.ZodType>(schema: T, value: unknown, where: string): z.output<T> => {
  if (!Array.isArray(value) && hasTooManyFields(value)) {
    throw tooManyFields(where);
  }
  if (isTooDeep(value)) {
    throw new AppError('invalid_request', `The ${where} nests deeper than ${MAX_DEPTH} levels.`);
  }
  const result = parseTolerant(schema, value);
  // A schema that allows unknown keys would drop this one silently.
  const hasPrototypeKey = typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__');
  if (result.success && !hasPrototypeKey) return result.data;
  const details = result.success ? [UNKNOWN_PROTOTYPE] : firstDetails(result.error);
  const first = details[0];
  const name = first === undefined || first.path === '' ? where : first.path;
  const sentence = `The request is not valid: ${name}: ${first?.message ?? 'is not valid'}.`;
  throw new AppError('invalid_request', sentence, { details });
};
