import { existsSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { Vocabulary, type VocabularyEntry } from '../contract/vocabulary.ts';
import { formatVocabulary, parseVocabulary } from '../contract/vocabulary-text.ts';
import { withConnection } from './connect.ts';
import { type ServerOptions, UsageError } from './environment.ts';
import { withServerOptions } from './serve.ts';
import { printMessage, printResult, style } from './terminal.ts';

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
        const count = data.terms.length;
        printMessage(`${style('green', '✓')} ${count} ${count === 1 ? 'term' : 'terms'} from now on.`);
      });
    });
};
