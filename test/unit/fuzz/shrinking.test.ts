import fc from 'fast-check';
import { expect, it } from 'vitest';
import { choicesOf } from '../../fuzz/support/choices.ts';
import { ApiDocument } from '../../fuzz/support/document.ts';
import { ValueMaker } from '../../fuzz/support/values.ts';

const text = { type: 'string', maxLength: 2000 };
const SCHEMA = {
  type: 'object',
  required: ['address'],
  properties: {
    address: text,
    name: text,
    prompt: text,
    webhook: text,
    tags: { type: 'array', items: text },
    count: { type: 'integer', minimum: 0, maximum: 1000 },
    diarize: { type: 'boolean' },
  },
};

it('a request of the fuzz with a problem is made simpler', () => {
  const document = new ApiDocument();
  const failing: object[] = [];
  const property = fc.property(fc.gen(), (generate) => {
    const body = new ValueMaker(document, choicesOf(generate)).valid(SCHEMA);
    if (typeof body !== 'object' || body === null || !('diarize' in body) || body.diarize !== true) return;
    failing.push(body);
    throw new Error('It has a problem.');
  });
  // One seed, since this is about one counterexample and not about all.
  fc.check(property, { seed: 4, numRuns: 1000 });
  const [first = {}] = failing;
  const last = failing.at(-1) ?? {};
  expect(Object.keys(first).length).toBeGreaterThan(3);
  expect(last).toMatchObject({ address: expect.any(String), diarize: true });
  expect(Object.keys(last).length).toBeLessThan(Object.keys(first).length);
  expect(JSON.stringify(last).length).toBeLessThan(60);
});
