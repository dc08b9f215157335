import { createProgram, reportError } from './program.ts';

// `earshot … | head` closes stdout early, which is not a failure. Output to a closed stderr is dropped.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
process.stderr.on('error', () => {});

try {
  await createProgram().parseAsync();
} catch (error) {
  process.exitCode = reportError(error);
}
