import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { ERROR_STATUS } from '../../electron/contract/errors.ts';
import { errorCodesOf, openApiDocument } from '../../electron/contract/openapi.ts';
import type { Route } from '../../electron/contract/route.ts';
import { routes } from '../../electron/contract/routes.ts';
import { ROOT } from '../support/paths.ts';

const committed = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8'));
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const table: Readonly<Record<string, Route>> = routes;

describe('openapi.json', () => {
  it('matches the route table; update it with `npm run -s earshot -- openapi > openapi.json`', () => {
    expect(committed).toEqual(JSON.parse(JSON.stringify(openApiDocument(table, version))));
  });

  it('has every path, and every operation once', () => {
    const paths = Object.entries(table).map(([id, route]) => `${route.method} ${route.path} ${id}`);
    const named = Object.entries<Record<string, { operationId: string }>>(committed.paths).flatMap(
      ([path, methods]) =>
        Object.entries(methods).map(
          ([method, operation]) => `${method.toUpperCase()} ${path} ${operation.operationId}`,
        ),
    );
    expect(named.toSorted()).toEqual(paths.toSorted());
    expect(new Set(paths.map((text) => text.replace(/ \w+$/, ''))).size).toBe(paths.length);
  });

  it('has valid JSON Schemas, whose references all resolve', () => {
    const ajv = new Ajv2020({ strict: false, formats: { binary: true, uri: true, 'date-time': true } });
    ajv.addSchema({ $id: 'doc', ...committed });
    for (const name of Object.keys(committed.components.schemas)) {
      expect(ajv.getSchema(`doc#/components/schemas/${name}`)).toBeTypeOf('function');
    }
    const references = JSON.stringify(committed).match(/#\/components\/schemas\/\w+/g) ?? [];
    for (const reference of new Set(references)) {
      expect(Object.keys(committed.components.schemas)).toContain(reference.split('/').at(-1));
    }
  });

  /** Every object in the document, outside of examples. */
  const objectsIn = (value: unknown): Record<string, unknown>[] => {
    if (Array.isArray(value)) return value.flatMap(objectsIn);
    if (typeof value !== 'object' || value === null) return [];
    const { example: _, ...rest } = value as Record<string, unknown>;
    return [rest, ...Object.values(rest).flatMap(objectsIn)];
  };

  it('has no reference with keywords beside it, no recursive schema, and items of every list', () => {
    const objects = objectsIn(committed);
    const references = objects.filter(({ $ref }) => typeof $ref === 'string');
    expect(references.length).toBeGreaterThan(1000);
    expect(references.filter((object) => Object.keys(object).length > 1)).toEqual([]);
    expect(objects.filter(({ type, items }) => type === 'array' && typeof items !== 'object')).toEqual([]);
    expect(Object.keys(committed.components.schemas).filter((name) => name.startsWith('_'))).toEqual([]);
    const reaches = (name: string, seen: Set<string>): Set<string> => {
      for (const { $ref } of objectsIn(committed.components.schemas[name])) {
        const next =
          String($ref ?? '')
            .split('/')
            .at(-1) ?? '';
        if (next !== '' && !seen.has(next)) reaches(next, seen.add(next));
      }
      return seen;
    };
    for (const name of Object.keys(committed.components.schemas)) {
      expect([...reaches(name, new Set())], name).not.toContain(name);
    }
  });

  it('has examples that fit their schemas', () => {
    const ajv = new Ajv2020({ strict: false, formats: { binary: true, uri: true, 'date-time': true } });
    ajv.addSchema({ $id: 'doc', ...committed });
    const inDocument = (schema: unknown): object =>
      JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"doc#/components'));
    const withExamples = (value: unknown): { schema: object; example: unknown }[] => {
      if (Array.isArray(value)) return value.flatMap(withExamples);
      if (typeof value !== 'object' || value === null) return [];
      const object = value as { schema?: object; example?: unknown };
      const own =
        object.schema !== undefined && 'example' in object
          ? [{ schema: object.schema, example: object.example }]
          : [];
      return [...own, ...Object.values(value).flatMap(withExamples)];
    };
    const pairs = withExamples(committed.paths);
    expect(pairs.length).toBeGreaterThan(150);
    for (const { schema, example } of pairs) {
      const isValid = ajv.compile(inDocument(schema));
      expect(isValid(example), JSON.stringify([example, isValid.errors])).toBe(true);
    }
  });

  it('is hardly larger at rest than it must be', () => {
    const text = readFileSync(join(ROOT, 'openapi.json'), 'utf8');
    expect(text.length).toBeLessThan(JSON.stringify(committed).length * 1.01);
    expect(text.split('\n').length).toBeGreaterThan(200);
  });

  it('lists the error codes of each operation, each declared once with its status', () => {
    for (const route of Object.values(table)) {
      for (const code of errorCodesOf(route)) expect(ERROR_STATUS[code]).toBeGreaterThanOrEqual(400);
    }
  });
});
