import { Command, CommanderError } from 'commander';
import { ApiError } from '../contract/client.ts';
import { isAppError, messageOf } from '../core/base/errors.ts';
import { addAccountCommands } from './account-commands.ts';
import { UsageError, VERSION } from './environment.ts';
import { addMcp } from './mcp.ts';
import { addModelCommands } from './model-commands.ts';
import { addOpenApi } from './openapi-command.ts';
import { addServe } from './serve.ts';
import { addStorageCommands } from './storage.ts';
import { addSystemCommands } from './system-commands.ts';
import { say, style } from './terminal.ts';
import { addTranscribe } from './transcribe.ts';

const program = new Command('earshot')
  .description('Speech to text that never leaves your machine.')
  .version(VERSION, '-V, --version')
  .showHelpAfterError('(earshot --help shows what there is)')
  .exitOverride();

addServe(program);
addTranscribe(program);
addMcp(program);
addAccountCommands(program);
addStorageCommands(program);
addModelCommands(program);
addSystemCommands(program);
addOpenApi(program);

/** One clear line for a person; a stack only for what nobody foresaw. */
const report = (error: unknown): number => {
  if (error instanceof CommanderError) return error.exitCode;
  if (error instanceof UsageError) {
    say(`${style('red', 'error')}  ${error.message}`);
    return 2;
  }
  if (isAppError(error) || error instanceof ApiError) {
    say(`${style('red', 'error')}  ${error.message}`);
    return 1;
  }
  say(`${style('red', 'error')}  ${messageOf(error)}`);
  if (process.env.EARSHOT_DEBUG) console.error(error);
  return 1;
};

// `earshot … | head` closes the pipe early: that is no failure. A closed stderr only means that nobody listens.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
process.stderr.on('error', () => {});

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}
