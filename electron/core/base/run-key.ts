import { AppError } from './errors.ts';

const MIN_LENGTH = 20;

/** The owner's key for one run, from `EARSHOT_API_KEY`; undefined if that is not set. Throws for a key that can be guessed. */
export const runKeyOf = ({ EARSHOT_API_KEY: key }: NodeJS.ProcessEnv): string | undefined => {
  if (key === undefined || key === '') return undefined;
  if (key.length >= MIN_LENGTH && !/\s/.test(key)) return key;
  throw new AppError(
    'invalid_request',
    `EARSHOT_API_KEY needs at least ${MIN_LENGTH} characters and no spaces. Make one with: openssl rand -hex 24`,
  );
};
