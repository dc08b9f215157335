import fc from 'fast-check';
import { anyCharacter } from './any-text.ts';

const TRICKS = [
  '..',
  '.',
  '...',
  '../',
  '..\\',
  '/',
  '\\',
  '//',
  '%2e%2e',
  '%2e%2e%2f',
  '%252e',
  '%00',
  '\u0000',
  'C:\\',
  'C:',
  '\\\\server\\share',
  'CON',
  'nul',
  'COM1',
  'aux.txt',
  'name.',
  'name ',
  ' ',
  '\u202e',
  '\u200f',
  '\u2024\u2024',
  '\uff0e\uff0e',
  '\uff0f',
  '\u2215',
  '\u2044',
  '\u29f8',
  '‥',
  '\ud800',
  '\u0301',
  'é',
  'e\u0301',
  '\u{1f600}',
  'a'.repeat(300),
  '~',
  '$HOME',
  '`id`',
  '\r\n',
  '\t',
  '-rf',
  'file.mp3',
  '.htaccess',
  ':',
  '*',
  '?',
  '"',
  '<',
  '>',
  '|',
  '\u007f',
  '\u0085',
];
const hostilePart = fc
  .array(
    fc.oneof(
      fc.constantFrom(...TRICKS),
      fc.string({ unit: anyCharacter, maxLength: 12 }),
      fc.string({ maxLength: 12 }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));
/** Names and folders that try to leave a folder, or that some operating system treats specially. */
export const hostileNames = fc
  .array(fc.oneof(hostilePart, fc.constantFrom('/', '\\')), { maxLength: 6 })
  .map((parts) => parts.join(''));
