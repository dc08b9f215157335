import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AppError } from '../../../electron/core/base/errors.ts';
import { validate } from '../../../electron/core/http/add-route.ts';

const Recording = z.strictObject({ name: z.string(), range: z.object({ start: z.number() }).optional() });

const refusal = (value: unknown, schema: z.ZodType = Recording): AppError => {
  try {
    validate(schema, value, 'body');
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('The value was accepted.');
};

describe('a part of a request', () => {
  it('is parsed by its schema', () => {
    expect(validate(z.object({ limit: z.coerce.number().default(20) }), {}, 'query')).toEqual({ limit: 20 });
  });

  it('is refused with a hundred details at most', () => {
    const keys = Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`key${n}`, n]));
    expect(refusal({ name: 'a note', ...keys }).details).toHaveLength(100);
    expect(
      refusal(
        Array.from({ length: 500 }, () => keys),
        z.array(Recording),
      ).details,
    ).toHaveLength(100);
  });

  it('is refused with too many fields', () => {
    const keys = Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`key${n}`, n]));
    expect(refusal(keys, z.looseObject({})).message).toBe('The body has more than 1000 fields.');
  });

  it('is refused with a detail for each issue', () => {
    const error = refusal({ name: 1, range: { start: 'now' }, color: 'red', size: 1 });
    expect(error.code).toBe('invalid_request');
    expect(error.details).toEqual([
      { path: 'name', message: 'expected string, received number' },
      { path: 'range.start', message: 'expected number, received string' },
      { path: 'color', message: 'is not a known field' },
      { path: 'size', message: 'is not a known field' },
    ]);
    expect(error.message).toBe('The request is not valid: name: expected string, received number.');
  });

  it('is named in the message where an issue concerns all of it', () => {
    expect(refusal('text').message).toBe('The request is not valid: body: expected object, received string.');
  });

  it('is refused with `__proto__`, even where other unknown fields are allowed', () => {
    const value: unknown = JSON.parse('{"name": "a", "__proto__": {"admin": true}}');
    expect(refusal(value, z.looseObject({ name: z.string() })).details).toEqual([
      { path: '__proto__', message: 'is not a known field' },
    ]);
  });

  it('is refused where it nests too deep, without recursion', () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 200_000; depth++) deep = [deep];
    expect(refusal(deep, z.unknown()).message).toBe('The body nests deeper than 100 levels.');
  });
});
