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

  it('lists the error codes of each operation, each declared once with its status', () => {
    for (const route of Object.values(table)) {
      for (const code of errorCodesOf(route)) expect(ERROR_STATUS[code]).toBeGreaterThanOrEqual(400);
    }
  });
});
