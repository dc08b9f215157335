import { expect, it } from 'vitest';
import { presentWarning, uniqueWarnings, warningOf } from '../../../electron/contract/warnings.ts';

const prompt = (model: string) => warningOf('prompt_ignored', { model });

it('words a warning by its code and values', () => {
  expect(presentWarning(prompt('tiny'))).toEqual({
    code: 'prompt_ignored',
    message: 'The prompt had no effect: the model tiny does not take one.',
    values: { model: 'tiny' },
  });
});

it('keeps a sentence of another version', () => {
  expect(presentWarning('Something new.')).toEqual({ code: null, message: 'Something new.', values: {} });
});

it('leaves out repeated warnings', () => {
  expect(uniqueWarnings([prompt('a'), prompt('b'), prompt('a')])).toEqual([prompt('a'), prompt('b')]);
});
