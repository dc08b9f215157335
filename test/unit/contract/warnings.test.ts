import { describe, expect, it } from 'vitest';
import { describeWarning, WARNINGS } from '../../../electron/contract/warnings.ts';

describe('warnings', () => {
  it.each(Object.entries(WARNINGS))('%s is known by its sentence, with its values', (code, sentence) => {
    const values = Object.fromEntries(
      [...sentence.matchAll(/\{(\w+)\}/g)].map(([, name = ''], at) => [name, `the ${at + 1}. (value)`]),
    );
    const message = sentence.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
    expect(describeWarning(message)).toEqual({ code, message, values });
  });

  it('has no code for a sentence of another version', () => {
    expect(describeWarning('Something new.')).toEqual({ code: null, message: 'Something new.', values: {} });
  });
});
