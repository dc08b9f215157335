import { Argument, type Command } from 'commander';
import { printResult } from './terminal.ts';

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
export const addCompletion = (program: Command): void => {
  program
    .command('completion')
    .description('print the completion of commands and options for a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .action((shell: Shell) => printResult(WRITERS[shell](levelsOf(program))));
};
