import { presentWarning, type StoredWarning } from '../../electron/contract/warnings.ts';

/** The sentences of warnings. */
export const sentencesOf = (warnings: readonly StoredWarning[]): string[] =>
  warnings.map((warning) => presentWarning(warning).message);
