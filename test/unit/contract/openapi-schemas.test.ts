import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { QueryBoolean, queryInt } from '../../../electron/contract/common.ts';
import { Schemas } from '../../../electron/contract/openapi-schemas.ts';

describe('the JSON Schemas of the OpenAPI document', () => {
  it('name the defaults of fields that are sent as text, at any depth', () => {
    const field = z.object({ limit: queryInt(1, 5, 3), all: QueryBoolean.default(false) });
    const limit = { type: 'integer', minimum: 1, maximum: 5, default: 3 };
    expect(new Schemas().of(z.object({ inner: field }), 'input')).toMatchObject({
      properties: { inner: { properties: { limit, all: { type: 'boolean', default: false } } } },
    });
  });

  it('share a schema with an id, and refuse two schemas under one id', () => {
    const schemas = new Schemas();
    const named = z.object({ a: z.string() }).meta({ id: 'Named' });
    expect(schemas.of(z.array(named), 'output')).toEqual({
      type: 'array',
      items: { $ref: '#/components/schemas/Named' },
    });
    expect(schemas.of(named, 'output')).toEqual({ $ref: '#/components/schemas/Named' });
    const dated = z.object({ at: z.int().default(1) }).meta({ id: 'Dated' });
    schemas.of(z.object({ dated }), 'output');
    // The default makes the field optional in a request and certain in an answer.
    expect(() => schemas.of(z.object({ dated }), 'input')).toThrow(/Dated/);
  });
});
