import type { z } from 'zod';
import type { ErrorDetail } from '../../contract/errors.ts';
import { AppError } from '../base/errors.ts';

const describe = (issue: z.core.$ZodIssue): ErrorDetail[] => {
  const at = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...at, key].join('.'), message: UNKNOWN_FIELD }));
  }
  return [{ path: at.join('.'), message: issue.message.replace(/^Invalid input: /, '') }];
};

const MAX_DEPTH = 100;

/** Looks level by level: checking a body of brackets alone by recursion would exhaust the stack. */
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

const UNKNOWN_FIELD = 'is not a known field';
const UNKNOWN_PROTOTYPE: ErrorDetail = { path: '__proto__', message: UNKNOWN_FIELD };

/**
 * What a schema makes of a request's part.
 * Throws `invalid_request` with every fault in `details`; `where` names the part when it is at fault as a whole.
 */
export const validate = <T extends z.ZodType>(schema: T, value: unknown, where: string): z.output<T> => {
  if (isTooDeep(value)) {
    throw new AppError('invalid_request', `The ${where} nests deeper than ${MAX_DEPTH} levels.`);
  }
  const result = schema.safeParse(value);
  // Where further names are let in, this one would be lost on the way instead of refused.
  const prototype = typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__');
  if (result.success && !prototype) return result.data;
  const details = result.success ? [UNKNOWN_PROTOTYPE] : result.error.issues.flatMap(describe);
  const first = details[0];
  const name = first === undefined || first.path === '' ? where : first.path;
  const sentence = `The request is not valid: ${name}: ${first?.message ?? 'is not valid'}.`;
  throw new AppError('invalid_request', sentence, { details });
};
