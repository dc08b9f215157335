import type { Command } from 'commander';
import { z } from 'zod';
import { SubtitleTime, Word } from '../contract/segments.ts';
import type { PatchTranscript } from '../contract/transcript-edits.ts';
import { type Connection, withConnection } from './connect.ts';
import { type ServerOptions, UsageError } from './environment.ts';
import { withServerOptions } from './serve.ts';
import { printResult, table } from './terminal.ts';

type Edit = NonNullable<PatchTranscript['segments']>[number];
type Borders<T> = { readonly start?: T; readonly end?: T };

/** Of the JSON export, which has the words of every transcript. */
const TimedSegments = z.object({
  segments: z.array(
    z.object({ id: z.int(), words: z.array(Word), subtitle_times: z.array(SubtitleTime).default([]) }),
  ),
});

const parseNumber = (text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`${text}: write a number, from 0.`);
  return Number(text);
};

const parseSeconds = (text: string): number => {
  if (!/^\d+(\.\d+)?$/.test(text)) throw new UsageError(`${text}: write seconds as in 83.25.`);
  return Number(text);
};

// Commander takes null for a missing value.
const parseSecondsOrAuto = (text: string): number | 'auto' => (text === 'auto' ? text : parseSeconds(text));
const orNull = (time: number | 'auto'): number | null => (time === 'auto' ? null : time);

const precise = (seconds: number | undefined): string => (seconds === undefined ? '' : seconds.toFixed(3));

/** Prints the words of a segment with their times, and the borders of subtitles that a person set. */
const printWords = async ({ client }: Connection, id: string, number: number): Promise<void> => {
  const answer = await client.send('exportTranscript', { params: { id }, query: { format: 'json' } });
  const { segments } = TimedSegments.parse(await answer.json());
  const segment = segments.find((each) => each.id === number);
  if (segment === undefined) throw new UsageError(`There is no segment ${number}.`);
  const rows = segment.words.map(({ word, start, end }, index) => {
    const own = segment.subtitle_times.find((each) => each.word === index);
    return [String(index), precise(start), precise(end), word, precise(own?.start), precise(own?.end)];
  });
  const head = ['WORD', 'START', 'END', 'TEXT', 'SUBTITLE FROM', 'SUBTITLE TO'];
  await printResult(`${table([head, ...rows])}\n`);
};

const withWord = (command: Command): Command =>
  withServerOptions(command)
    .argument('<id>')
    .argument('<segment>', 'the number of the segment', parseNumber)
    .argument('<word>', 'the number of the word, from 0', parseNumber);

/** Changes the times of a word and prints those of its segment. */
const change = async <T>(
  { start, end, ...options }: ServerOptions & Borders<T>,
  id: string,
  segment: number,
  edit: (borders: Borders<T>) => Omit<Edit, 'id'>,
): Promise<void> => {
  if (start === undefined && end === undefined) throw new UsageError('Write --start, --end or both.');
  const borders = { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) };
  await withConnection(options, async (connection) => {
    const segments = [{ id: segment, ...edit(borders) }];
    await connection.client.call('patchTranscript', { params: { id }, body: { segments } });
    await printWords(connection, id, segment);
  });
};

/** `earshot times`. */
export const addTimeCommands = (program: Command): void => {
  const times = program.command('times').description('when words are said and subtitles are shown');
  withServerOptions(times.command('list', { isDefault: true }))
    .argument('<id>')
    .argument('<segment>', 'the number of the segment', parseNumber)
    .description('the words of a segment with their times')
    .action((id: string, segment: number, options: ServerOptions) =>
      withConnection(options, (connection) => printWords(connection, id, segment)),
    );
  withWord(times.command('word'))
    .description('move the start or the end of a word')
    .option('--start <seconds>', 'when it begins', parseSeconds)
    .option('--end <seconds>', 'when it ends', parseSeconds)
    .action((id: string, segment: number, word: number, options: ServerOptions & Borders<number>) =>
      change(options, id, segment, (borders) => ({ times: [{ word, ...borders }] })),
    );
  withWord(times.command('subtitle'))
    .description('let a subtitle begin or end with a word, at a time')
    .option('--start <seconds>', 'when it comes; auto: follow the words again', parseSecondsOrAuto)
    .option('--end <seconds>', 'when it goes; auto: follow the words again', parseSecondsOrAuto)
    .action((id: string, segment: number, word: number, options: ServerOptions & Borders<number | 'auto'>) =>
      change(options, id, segment, ({ start, end }) => {
        const borders = {
          ...(start === undefined ? {} : { start: orNull(start) }),
          ...(end === undefined ? {} : { end: orNull(end) }),
        };
        return { subtitle_times: [{ word, ...borders }] };
      }),
    );
};
