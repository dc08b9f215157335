import { AppError } from '../../base/errors.ts';

const MAX_BYTES = 16 * 1024;
const MAX_DEPTH = 32;

const refuse = (message: string): AppError =>
  new AppError('invalid_request', `The metadata is not valid: it ${message}.`, {
    details: [{ path: 'metadata', message }],
  });

/** How deep brackets nest in a JSON text, without parsing it: recursion over hostile input is never begun. */
const nesting = (text: string): number => {
  let [depth, deepest, inString] = [0, 0, false];
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === '\\') i++;
    else if (character === '"') inString = !inString;
    else if (!inString && (character === '{' || character === '[')) deepest = Math.max(deepest, ++depth);
    else if (!inString && (character === '}' || character === ']')) depth--;
  }
  return deepest;
};

const checkText = (text: string): void => {
  if (Buffer.byteLength(text) > MAX_BYTES) throw refuse('must be at most 16 KB of JSON');
  if (nesting(text) > MAX_DEPTH) throw refuse(`must not nest deeper than ${MAX_DEPTH} levels`);
};

/** Metadata as it is stored. Throws `invalid_request` when it is too large or too deep. */
export const metadataText = (metadata: Readonly<Record<string, unknown>>): string => {
  const text = JSON.stringify(metadata);
  checkText(text);
  return text;
};

/** Reads the `metadata` form field: a JSON object. Throws `invalid_request` for anything else. */
export const parseMetadata = (text: string): Readonly<Record<string, unknown>> => {
  checkText(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refuse('must be a JSON object');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refuse('must be a JSON object');
  return { ...value };
};
