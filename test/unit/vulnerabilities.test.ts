import { expect, it } from 'vitest';
import { findingsOf } from '../notices/vulnerabilities.ts';

const advisory = (title: string) => ({
  source: 1,
  title,
  url: 'https://example.invalid/1',
  severity: 'high',
});
const report = (vulnerabilities: object): string =>
  JSON.stringify({ auditReportVersion: 2, vulnerabilities });
const SHIPPED = new Set(['node_modules/fastify', 'node_modules/scalar/node_modules/undici']);

it('finds a development dependency that ships, by the folder of the version', () => {
  const json = report({
    fastify: {
      severity: 'high',
      range: '<5',
      nodes: ['node_modules/fastify'],
      via: [advisory('Leak'), 'undici'],
    },
    undici: {
      severity: 'low',
      range: '<6',
      nodes: ['node_modules/node-gyp/node_modules/undici'],
      via: [advisory('Loop')],
    },
  });
  expect(findingsOf(json, SHIPPED)).toEqual({
    shipped: ['high: fastify <5: Leak, https://example.invalid/1; undici'],
    tools: 1,
  });
});

it('finds nothing in an empty report', () => {
  expect(findingsOf(report({}), SHIPPED)).toEqual({ shipped: [], tools: 0 });
});

it('does not take a refused request for a report', () => {
  const refused = JSON.stringify({ message: '405 Method Not Allowed', error: { summary: '', detail: '' } });
  expect(() => findingsOf(refused, SHIPPED)).toThrow('could not ask for known vulnerabilities: 405 Method');
});
