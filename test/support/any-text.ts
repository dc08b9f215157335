import fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };
const CODE_POINTS = 0x110000;

/**
 * Any code point but halves of pairs, as a unit of `fc.string`. fast-check's own, `binary`, first makes a table of all of
 * them: a second in each process, and a large map that later garbage collections look through.
 */
export const anyCharacter = fc
  .nat(CODE_POINTS - SURROGATES.count - 1)
  .map((at) => String.fromCodePoint(at < SURROGATES.first ? at : at + SURROGATES.count));
