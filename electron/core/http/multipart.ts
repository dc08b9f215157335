import type { MultipartFile, MultipartValue } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../base/errors.ts';

type Part = MultipartFile | MultipartValue;

/** The error of a form field. */
export const invalidField = (path: string, message: string): AppError =>
  new AppError('invalid_request', `The request is not valid: ${path}: ${message}.`, {
    details: [{ path, message }],
  });

/** A field's value as text: the parser decodes parts that call themselves JSON. */
export const textOf = ({ value }: MultipartValue): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** Reads the next part of a form. Throws `invalid_request` for whatever the parser cannot read. */
export const nextPart = async (parts: AsyncIterator<Part>): Promise<Part | undefined> => {
  try {
    const next = await parts.next();
    if (next.done === true) return undefined;
    // The parser's types do not tell that a part may lack its name.
    if (typeof next.value.fieldname !== 'string') throw invalidField('form', 'has a part without a name');
    return next.value;
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('invalid_request', 'The multipart body is malformed, or broke off before its end.', {
      cause: error,
    });
  }
};

/** Ends the parsing of a form that is refused: its rest is discarded unread. */
export const stopParsing = ({ raw }: FastifyRequest): void => {
  raw.unpipe();
};
