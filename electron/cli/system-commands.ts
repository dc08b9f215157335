import { Argument, type Command } from 'commander';
import { routes } from '../contract/routes.ts';
import { addDoctor } from './doctor.ts';
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
const addManual = (program: Command): void => {
  program
    .command('manual')
    .description('print the manual page (earshot manual | man -l -)')
    .action(() => printResult(pageOf(program)));
};

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** A command with the words that lead to it (`keys list`), what may follow, and whether it takes files. */
type Level = {
  readonly path: string;
  readonly words: readonly (readonly [word: string, description: string])[];
  readonly takesFiles: boolean;
};

const levelsOf = (command: Command, path = ''): Level[] => {
  const options = command.options
    .filter(({ hidden }) => !hidden)
    .flatMap(({ long, description }): [string, string][] =>
      typeof long === 'string' ? [[long, description]] : [],
    );
  const commands = command.commands.map((each): [string, string] => [each.name(), each.description()]);
  const choices = command.registeredArguments.flatMap(({ argChoices }) =>
    (argChoices ?? []).map((choice): [string, string] => [choice, '']),
  );
  const takesFiles = command.registeredArguments.some((argument) => /file/i.test(argument.name()));
  return [
    { path, words: [...commands, ...choices, ...options], takesFiles },
    ...command.commands.flatMap((each) => levelsOf(each, `${path} ${each.name()}`.trim())),
  ];
};

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const bash = (levels: readonly Level[]): string => `# bash completion of earshot
_earshot() {
  local cur=\${COMP_WORDS[COMP_CWORD]} path='' words='' files='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${levels
        .slice(1)
        .map(({ path }) => quoted(path))
        .join('|')}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${levels
  .map(
    ({ path, words, takesFiles }) =>
      `    ${quoted(path)}) words=${quoted(words.map(([word]) => word).join(' '))}${takesFiles ? ' files=yes' : ''} ;;`,
  )
  .join('\n')}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
  [[ $files && $cur != -* ]] && mapfile -t -O "\${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$cur")
}
complete -o filenames -F _earshot earshot
`;

const zsh = (levels: readonly Level[]): string => `#compdef earshot
local command='' word
local -a offered
for word in \${words[2,CURRENT-1]}; do
  case "\${command:+$command }$word" in
    ${levels
      .slice(1)
      .map(({ path }) => `${quoted(path)}`)
      .join('|')}) command="\${command:+$command }$word" ;;
  esac
done
case "$command" in
${levels
  .map(({ path, words, takesFiles }) => {
    const pairs = words.map(([word, text]) => quoted(`${word}:${text.replaceAll(':', '\\:')}`));
    return `  ${quoted(path)}) offered=(${pairs.join(' ')})${takesFiles ? '; _files' : ''} ;;`;
  })
  .join('\n')}
esac
_describe earshot offered
`;

const fish = (levels: readonly Level[]): string => {
  const lines = levels.flatMap(({ path, words, takesFiles }) => {
    const names = path === '' ? [] : path.split(' ');
    const seen = names.map((name) => `__fish_seen_subcommand_from ${name}`);
    const condition = seen.length === 0 ? '__fish_use_subcommand' : seen.join('; and ');
    return words.map(([word, text]) => {
      const offered = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`;
      return `complete -c earshot -n ${quoted(condition)} ${takesFiles ? '' : '-f '}${offered} -d ${quoted(text)}`;
    });
  });
  return `# fish completion of earshot\n${lines.join('\n')}\n`;
};

const WRITERS: Readonly<Record<Shell, (levels: readonly Level[]) => string>> = { bash, zsh, fish };

/** `earshot completion`. Packages install what it prints. */
const addCompletion = (program: Command): void => {
  program
    .command('completion')
    .description('print the completion of commands and options for a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .action((shell: Shell) => printResult(WRITERS[shell](levelsOf(program))));
};

const addOpenApi = (program: Command): void => {
  program
    .command('openapi')
    .description('print the OpenAPI document of the API')
    .action(async () => {
      const { formatDocument, openApiDocument } = await import('../contract/openapi.ts');
      await printResult(formatDocument(openApiDocument(routes, VERSION)));
    });
};

/** `earshot doctor`, `openapi`, `completion` and `manual`. */
export const addSystemCommands = (program: Command): void => {
  addDoctor(program);
  addOpenApi(program);
  addCompletion(program);
  addManual(program);
};
