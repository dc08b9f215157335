import type { Command } from 'commander';
import { VERSION } from './environment.ts';
import { printResult } from './terminal.ts';

/** Text of a manual page: hyphens that stay hyphens, and no line that is taken for a request. */
const roff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1');

const term = (words: string, text: string): string => `.TP\n.B ${roff(words)}\n${roff(text)}`;

const usageOf = (command: Command, path: string): string => {
  const names = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '…' : ''}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return ['earshot', path, ...names].filter((word) => word !== '').join(' ');
};

/** The commands that do something, with the words that lead to them. */
const commandsOf = (command: Command, path = ''): [string, Command][] =>
  command.commands.flatMap((each) => {
    const at = `${path} ${each.name()}`.trim();
    return each.commands.length > 0 ? commandsOf(each, at) : [[at, each] as [string, Command]];
  });

const ENVIRONMENT = [
  ['EARSHOT_DATA_DIR', 'The data folder; \\-\\-data\\-dir goes first.'],
  ['EARSHOT_API_KEY', "The owner's key for this run."],
  ['EARSHOT_CHROMIUM', 'The browser that earshot open shows the window in.'],
  ['FFMPEG_PATH, FFPROBE_PATH', 'Other programs than those of the PATH.'],
  ['NO_COLOR', 'No colors.'],
] as const;

const FILES = [
  ['~/.local/share/earshot', 'The library: recordings, transcripts, models, keys, logs.'],
  ['/var/lib/earshot', 'The library of the system service, which is off until an administrator enables it.'],
  ['/etc/default/earshot', 'Options of the system service.'],
] as const;

const pageOf = (program: Command): string => {
  const commands = commandsOf(program).map(([path, command]) => {
    const options = command.options
      .filter(({ hidden }) => !hidden)
      .map(({ flags, description }) => term(flags, description));
    return [`.SS ${roff(usageOf(command, path))}`, roff(command.description()), ...options].join('\n');
  });
  const terms = (rows: readonly (readonly [string, string])[]) =>
    rows.map(([name, text]) => `.TP\n.B ${roff(name)}\n${text}`);
  return [
    `.TH EARSHOT 1 "" "Earshot ${VERSION}" "User Commands"`,
    '.SH NAME',
    'earshot \\- speech to text that never leaves your machine',
    '.SH SYNOPSIS',
    '.B earshot\n.I command\n[options]',
    '.SH DESCRIPTION',
    'Earshot turns recordings into text with times and speakers, on this machine. It is a service with an HTTP API and a',
    'window, and this command. Commands talk to the service that runs on the data folder, or start one for themselves.',
    '.SH COMMANDS',
    ...commands,
    '.SH ENVIRONMENT',
    ...terms(ENVIRONMENT),
    '.SH FILES',
    ...terms(FILES.map(([name, text]) => [name, roff(text)] as const)),
    '.SH EXIT STATUS',
    '0 on success, 1 on failure, 2 for wrong usage, 130 after Ctrl\\-C.',
    '',
  ].join('\n');
};

/** `earshot manual`: the manual page of all commands, in the form of man(1). Packages install it. */
export const addManual = (program: Command): void => {
  program
    .command('manual')
    .description('print the manual page (earshot manual | man -l -)')
    .action(() => printResult(pageOf(program)));
};
