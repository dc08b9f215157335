import alphabets from '../../../../resources/lexicons/alphabets.json' with { type: 'json' };
import { applyEdits, type Edit, type FoldedText } from '../fold.ts';
import type { Token } from '../tokens.ts';
import { findRuns, type NumberRun } from './runs.ts';

const ALPHABETS = Object.values(alphabets).map((names) => new Set(names));
/** "G comme Gaston": between a letter and its word. */
const SPELLS = /^(?:like|for|wie|comme|como|come|van|as|de)$/u;

/** How many words from a token on are names of letters in one spelling alphabet. */
const lettersFrom = (tokens: readonly Token[], at: number): number => {
  let longest = 0;
  for (const names of ALPHABETS) {
    let end = at;
    while (names.has(tokens[end]?.norm ?? '')) end += 1;
    longest = Math.max(longest, end - at);
  }
  return longest;
};

const isCharacter = (token: Token | undefined): boolean =>
  /^(?:\p{L}|colon|[\p{L}\d-]*\d[\p{L}\d-]*)$/u.test(token?.norm ?? '');

/** "Anton Berta" as "A B": three names of letters in a row, or two beside digits or letters. */
const letterEdits = (tokens: readonly Token[], isNumber: (at: number) => boolean): Edit[] => {
  const edits: Edit[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const first = tokens[at];
    const example = tokens[at + (tokens[at + 1]?.norm === 'as' ? 3 : 2)];
    if (
      first &&
      /^\p{L}$/u.test(first.text) &&
      SPELLS.test(tokens[at + 1]?.norm ?? '') &&
      example?.norm.startsWith(first.norm)
    ) {
      edits.push({ from: first.from, to: example.to, by: first.text.toUpperCase() });
      at = example.index;
      continue;
    }
    const count = lettersFrom(tokens, at);
    const isBeside = [at - 1, at + count].some((next) => isNumber(next) || isCharacter(tokens[next]));
    if (
      count < (isBeside ? 2 : 3) &&
      !(count === 1 && first?.norm !== 'november' && isNumber(at - 1) && isNumber(at + 1))
    )
      continue;
    for (const { from, to, text } of tokens.slice(at, at + count))
      edits.push({ from, to, by: text.slice(0, 1).toUpperCase() });
    at += count - 1;
  }
  return edits;
};

const numberEdits = ({ groups }: NumberRun, tokens: readonly Token[]): Edit[] => {
  const [only] = groups;
  // "fifteen thousand".
  if (groups.length === 1 && only?.isSpoken && only.digits.length >= 5) return [];
  // A small number by itself is likely an article, or a word of another meaning.
  const isAlone = groups.length === 1 && only !== undefined && only.digits.length === 1;
  if (isAlone) {
    const beside = [tokens[only.firstToken - 1], tokens[only.lastToken + 1]].filter(isCharacter);
    // "l o p e z".
    const isLetter = only.to - only.from === 1 && !beside.some((token) => /\d/u.test(token?.norm ?? ''));
    if (beside.length === 0 || isLetter) return [];
  }
  return groups.filter(({ isSpoken }) => isSpoken).map(({ from, to, digits }) => ({ from, to, by: digits }));
};

/**
 * The text with digits for spoken numbers and letters for spelling alphabets, as the model and the cues of private values read it:
 * "double five" is "55", "hundertsiebzig" 170, "Berta Ludwig" "B L".
 */
export const readNumbers = (text: string, tokens: readonly Token[], language: string): FoldedText => {
  const numbers = findRuns(tokens, language);
  const inNumber = new Set(
    numbers.flatMap(({ groups }) => groups.flatMap(({ firstToken, lastToken }) => [firstToken, lastToken])),
  );
  const edits = [
    ...numbers.flatMap((run) => numberEdits(run, tokens)),
    ...letterEdits(tokens, (at) => inNumber.has(at)),
  ];
  edits.sort((a, b) => a.from - b.from);
  let end = 0;
  return applyEdits(
    text,
    edits.filter(({ from, to }) => {
      if (from < end) return false;
      end = to;
      return true;
    }),
  );
};
