import { Command, CommanderError } from 'commander';
import { ApiError } from '../contract/client.ts';
import { isAppError, messageOf } from '../core/base/errors.ts';
import { addAccountCommands } from './account-commands.ts';
import { isLostConnection } from './connect.ts';
import { UsageError, VERSION } from './environment.ts';
import { addLive } from './live.ts';
import { addMcp } from './mcp.ts';
import { addModelCommands } from './model-commands.ts';
import { addServe } from './serve.ts';
import { addStorageCommands } from './storage.ts';
import { addSystemCommands } from './system-commands.ts';
import { printable, printMessage, style } from './terminal.ts';
import { addTranscribe, inCommands } from './transcribe.ts';
import { addTimeCommands, addTranscriptCommands, addVocabularyCommands } from './transcript-commands.ts';

/** The command line, with all of its commands. */
export const createProgram = (): Command => {
  const program = new Command('earshot')
    .description('Speech to text that never leaves your machine.')
    .version(VERSION, '-V, --version')
    .showHelpAfterError('(earshot --help shows what there is)')
    .exitOverride();

  addServe(program);
  addTranscribe(program);
  addLive(program);
  addTranscriptCommands(program);
  addTimeCommands(program);
  addVocabularyCommands(program);
  addMcp(program);
  addAccountCommands(program);
  addStorageCommands(program);
  addModelCommands(program);
  addSystemCommands(program);
  return program;
};

const WRONG_USAGE = 2;

const printError = (message: string): void => printMessage(`${style('red', 'error')}  ${printable(message)}`);

/** Prints an error as one line, with its stack if EARSHOT_DEBUG is set. Returns the exit code. */
export const reportError = (error: unknown): number => {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
  if (error instanceof UsageError) {
    printError(error.message);
    return WRONG_USAGE;
  }
  if (isAppError(error) || error instanceof ApiError) {
    printError(inCommands(error.message));
    return error.code === 'invalid_request' ? WRONG_USAGE : 1;
  }
  const message = isLostConnection(error)
    ? 'The service ended, or does not answer any more.'
    : messageOf(error);
  printError(message);
  if (process.env.EARSHOT_DEBUG) console.error(error);
  return 1;
};
