import { AppError } from '../../base/errors.ts';
import { FileMetadata } from '../../stores/codecs.ts';

const MAX_BYTES = 16 * 1024;
const MAX_DEPTH = 32;

const refuse = (message: string): AppError =>
  new AppError('invalid_request', `The metadata is not valid: it ${message}.`, {
    details: [{ path: 'metadata', message }],
  });

/** Depth of the brackets in a JSON text, counted without parsing: JSON.parse and what follows recurse. */
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

/** Returns the metadata. Throws `invalid_request` when it is too large or too deep to be stored. */
export const checkMetadata = (metadata: FileMetadata): FileMetadata => {
  checkText(JSON.stringify(metadata));
  return metadata;
};

/** Parses the `metadata` form field, a JSON object. Throws `invalid_request` for anything else. */
export const parseMetadata = (text: string): FileMetadata => {
  checkText(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refuse('must be a JSON object');
  }
  const metadata = FileMetadata.safeParse(value);
  if (!metadata.success) throw refuse('must be a JSON object');
  return metadata.data;
};
