import { existsSync, readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import {
  formatVocabulary,
  parseVocabulary,
  type TermSuggestions,
  Vocabulary,
  type VocabularyEntry,
} from '../contract/vocabulary.ts';
import { counted } from '../core/base/numbers.ts';
import { withConnection } from './connect.ts';
import { type ServerOptions, UsageError } from './environment.ts';
import { withServerOptions } from './serve.ts';
import { printMessage, printResult, style, table } from './terminal.ts';

/** Throws a usage error that names `source` and the term. */
const parseTerms = (text: string, source: string): VocabularyEntry[] => {
  const checked = Vocabulary.safeParse(parseVocabulary(text));
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  const at = typeof issue?.path[0] === 'number' ? `, term ${issue.path[0] + 1}` : '';
  throw new UsageError(`${source}${at}: ${issue?.message ?? 'is not a list of terms'}.`);
};

/** Reads `--vocabulary`: a file with a term a line, else terms separated by commas. */
export const readVocabulary = (given: string): VocabularyEntry[] => {
  const isFile = existsSync(given);
  const text = isFile ? readFileSync(given, 'utf8') : given.replaceAll(',', '\n');
  return parseTerms(text, isFile ? `--vocabulary ${given}` : '--vocabulary');
};

const readFile = (path: string): string => {
  if (!existsSync(path)) throw new UsageError(`${path}: there is no such file.`);
  return readFileSync(path, 'utf8');
};

const printSuggestions = async ({ enabled, suggestions }: TermSuggestions): Promise<void> => {
  if (!enabled)
    printMessage('Suggestions are off: `earshot vocabulary suggestions --on` counts corrections.');
  else if (suggestions.length === 0) printMessage('No suggestions yet.');
  else {
    const rows = suggestions.map(({ id, heard, term, count }) => [id, heard, term, String(count)]);
    await printResult(`${table([['ID', 'HEARD', 'TERM', 'PLACES'], ...rows])}\n`);
  }
};

const addSuggestionCommands = (vocabulary: Command): void => {
  withServerOptions(vocabulary.command('suggestions'))
    .description('terms that you corrected twice in the same way')
    .addOption(new Option('--on', 'count corrections from now on').conflicts('off'))
    .option('--off', 'stop counting, and forget all')
    .action(({ on = false, off = false, ...options }: ServerOptions & { on?: boolean; off?: boolean }) =>
      withConnection(options, async ({ client }) => {
        const { data } =
          on || off
            ? await client.call('patchTermSuggestions', { body: { enabled: on } })
            : await client.call('listTermSuggestions');
        await printSuggestions(data);
      }),
    );
  withServerOptions(vocabulary.command('accept'))
    .argument('<id>')
    .description('add a suggested term')
    .action((id: string, options: ServerOptions) =>
      withConnection(options, async ({ client }) => {
        const { data } = await client.call('acceptTermSuggestion', { params: { id } });
        printMessage(`${style('green', '✓')} ${counted(data.terms.length, 'term')} from now on.`);
      }),
    );
  withServerOptions(vocabulary.command('dismiss'))
    .argument('<id>')
    .description('suggest a term no more')
    .action((id: string, options: ServerOptions) =>
      withConnection(options, async ({ client }) => {
        await client.call('dismissTermSuggestion', { params: { id } });
        printMessage(`${style('green', '✓')} It is not suggested again.`);
      }),
    );
};

/** `earshot vocabulary`. */
export const addVocabularyCommands = (program: Command): void => {
  const vocabulary = program.command('vocabulary').description('your names and terms');
  withServerOptions(vocabulary.command('export', { isDefault: true }))
    .description('print them, one a line, as import reads them')
    .action((options: ServerOptions) =>
      withConnection(options, async ({ client }) => {
        const { data } = await client.call('getVocabulary');
        await printResult(formatVocabulary(data.terms));
      }),
    );
  withServerOptions(vocabulary.command('import'))
    .argument('<file>', 'a term a line: `kubectl`, `kubectl = cube control; cubectl`, `Nguyen ^2`')
    .description('replace them by those of a file')
    .action((file: string, options: ServerOptions) => {
      const terms = parseTerms(readFile(file), file);
      return withConnection(options, async ({ client }) => {
        const { data } = await client.call('putVocabulary', { body: { terms } });
        printMessage(`${style('green', '✓')} ${counted(data.terms.length, 'term')} from now on.`);
      });
    });
  addSuggestionCommands(vocabulary);
};
