import { existsSync, readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { z } from 'zod';
import { SubtitleTime, Word } from '../contract/segments.ts';
import { TRANSCRIPT_STATUSES, type Transcription } from '../contract/transcript.ts';
import type { PatchTranscript } from '../contract/transcript-edits.ts';
import {
  formatVocabulary,
  parseVocabulary,
  type TermSuggestions,
  Vocabulary,
  type VocabularyEntry,
} from '../contract/vocabulary.ts';
import { counted } from '../core/base/numbers.ts';
import { formatLongClock, formatTenths } from '../core/base/time.ts';
import { type Connection, withConnection } from './connect.ts';
import { oneOf, type ServerOptions, UsageError } from './environment.ts';
import { checkOutput, FORMATS, type Format, render, writeOutput } from './results.ts';
import { withServerOptions } from './serve.ts';
import { printMessage, printResult, style, table } from './terminal.ts';

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

/** Reads `3,5-9`: numbers of segments, as `transcripts show` prints them. */
const parseSegments = (text: string): number[] => {
  const numbers = text.split(',').flatMap((part) => {
    const [, first, last = first] = /^\s*(\d+)\s*(?:-\s*(\d+)\s*)?$/.exec(part) ?? [];
    const from = Number(first ?? Number.NaN);
    const count = Number(last ?? Number.NaN) - from + 1;
    if (!(count > 0 && count <= MAX_RANGE))
      throw new UsageError(`${text}: write numbers of segments as in 3,5-9.`);
    return Array.from({ length: count }, (_, index) => from + index);
  });
  return [...new Set(numbers)];
};

const MAX_RANGE = 100_000;
const MAX_LISTED = 100;

const parseLimit = (text: string): number => {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LISTED) {
    throw new UsageError(`--limit ${text}: write a whole number from 1 to ${MAX_LISTED}.`);
  }
  return limit;
};

const nameOf = ({ speakers }: Transcription, label: string | null): string =>
  label === null ? '' : (speakers?.[label]?.name ?? label);

const STOPPED = 'stopped';
const STATES = [...TRANSCRIPT_STATUSES, STOPPED] as const;

const filterOf = (state: (typeof STATES)[number]) => {
  if (state === STOPPED) return { status_reason: 'cancelled' } as const;
  return state === 'failed' ? ({ status_reason: 'error' } as const) : { status: state };
};

const addList = (transcripts: Command): void => {
  type Options = ServerOptions & { limit: number; status?: (typeof STATES)[number] };
  withServerOptions(transcripts.command('list', { isDefault: true }))
    .description('the latest transcripts')
    .option('--limit <number>', `how many, up to ${MAX_LISTED}`, parseLimit, 20)
    .addOption(new Option('--status <status>', 'only those').choices(STATES))
    .action(({ limit, status, ...options }: Options) =>
      withConnection(options, async ({ client }) => {
        const query = { limit, ...(status === undefined ? {} : filterOf(status)) };
        const { data } = await client.call('listTranscripts', { query });
        const rows = data.transcriptions.map((each) => [
          each.id,
          each.created_at.slice(0, 16).replace('T', ' '),
          formatLongClock(each.duration),
          each.status_reason === 'cancelled' ? STOPPED : each.status,
          each.name,
        ]);
        await printResult(`${table([['ID', 'CREATED', 'LENGTH', 'STATUS', 'NAME'], ...rows])}\n`);
      }),
    );
};

const addShow = (transcripts: Command): void => {
  withServerOptions(transcripts.command('show'))
    .argument('<id>')
    .description('the segments of a transcript with their numbers, times and speakers')
    .action((id: string, options: ServerOptions) =>
      withConnection(options, async ({ client }) => {
        const transcript = await client.call('getTranscript', { params: { id } });
        const rows = transcript.segments.map((segment) => [
          String(segment.id),
          `[${formatTenths(segment.start)} → ${formatTenths(segment.end)}]`,
          ...(transcript.speakers === undefined ? [] : [nameOf(transcript, segment.speaker_id)]),
          segment.text,
        ]);
        await printResult(rows.length === 0 ? '' : `${table(rows)}\n`);
      }),
    );
};

const addExport = (transcripts: Command): void => {
  type Options = ServerOptions & { format: Format; output?: string };
  withServerOptions(transcripts.command('export'))
    .argument('<id>')
    .description('the text of a transcript, to stdout or a file')
    .option('-f, --format <format>', `one of ${FORMATS.join(', ')}`, oneOf('--format', FORMATS), 'times')
    .option('-o, --output <file>', 'write the result to a file instead of stdout')
    .action(async (id: string, { format, output, ...options }: Options) => {
      if (output !== undefined) await checkOutput(output);
      await withConnection(options, async ({ client }) => {
        const transcript = await client.call('getTranscript', { params: { id } });
        await writeOutput(output, await render(client, transcript, format));
      });
    });
};

const printSpeakers = async ({ speakers = {} }: Transcription): Promise<void> => {
  if (Object.keys(speakers).length === 0) {
    printMessage('This transcript has no speakers: `earshot transcribe --speakers` finds them.');
    return;
  }
  const rows = Object.entries(speakers).map(([label, { name, talk_seconds, share }]) => [
    label,
    name,
    formatLongClock(talk_seconds),
    `${Math.round(share * 100)} %`,
  ]);
  await printResult(`${table([['LABEL', 'NAME', 'TALKS', 'SHARE'], ...rows])}\n`);
};

/** Runs an edit and prints the speakers after it. */
const edit = (
  options: ServerOptions,
  work: (connection: Connection) => Promise<Transcription>,
): Promise<void> => withConnection(options, async (connection) => printSpeakers(await work(connection)));

const SEGMENTS = ['<segments>', 'numbers of segments: 3,5-9', parseSegments] as const;

const addWhole = (speakers: Command): void => {
  withServerOptions(speakers.command('list', { isDefault: true }))
    .argument('<id>')
    .description('the speakers of a transcript')
    .action((id: string, options: ServerOptions) =>
      edit(options, ({ client }) => client.call('getTranscript', { params: { id } })),
    );
  withServerOptions(speakers.command('rename'))
    .argument('<id>')
    .argument('<speaker>', 'the label, such as A')
    .argument('<name>')
    .description('name a speaker')
    .action((id: string, speaker: string, name: string, options: ServerOptions) =>
      edit(options, ({ client }) =>
        client.call('patchTranscript', { params: { id }, body: { speakers: { [speaker]: name } } }),
      ),
    );
  withServerOptions(speakers.command('add'))
    .argument('<id>')
    .argument('[name]')
    .description('add a speaker, who says nothing yet')
    .action((id: string, name: string | undefined, options: ServerOptions) =>
      edit(options, ({ client }) =>
        client.call('addSpeaker', { params: { id }, body: name === undefined ? {} : { name } }),
      ),
    );
  withServerOptions(speakers.command('merge'))
    .argument('<id>')
    .argument('<from>', 'the label of the speaker who goes')
    .argument('<into>', 'the label of the speaker who stays')
    .description('give everything that one speaker says to another')
    .action((id: string, from: string, into: string, options: ServerOptions) =>
      edit(options, ({ client }) => client.call('mergeSpeakers', { params: { id }, body: { from, into } })),
    );
};

const addParts = (speakers: Command): void => {
  withServerOptions(speakers.command('move'))
    .argument('<id>')
    .argument(...SEGMENTS)
    .argument('<speaker>', 'the label of the speaker who says them')
    .description('give segments to another speaker')
    .action((id: string, numbers: number[], speaker: string, options: ServerOptions) =>
      edit(options, ({ client }) => {
        const segments = numbers.map((number) => ({ id: number, speaker_id: speaker }));
        return client.call('patchTranscript', { params: { id }, body: { segments } });
      }),
    );
  withServerOptions(speakers.command('split'))
    .argument('<id>')
    .argument('<from>', 'the label of the speaker who says them now')
    .argument(...SEGMENTS)
    .option('--name <name>', 'of the new speaker')
    .description('make a new speaker of segments of another')
    .action(
      (
        id: string,
        from: string,
        segments: number[],
        { name, ...options }: ServerOptions & { name?: string },
      ) =>
        edit(options, ({ client }) =>
          client.call('splitSpeaker', {
            params: { id },
            body: { from, segments, ...(name === undefined ? {} : { name }) },
          }),
        ),
    );
};

/** `earshot transcripts` and `earshot speakers`. */
export const addTranscriptCommands = (program: Command): void => {
  const transcripts = program.command('transcripts').description('what was transcribed');
  addList(transcripts);
  addShow(transcripts);
  addExport(transcripts);
  for (const [direction, operation] of [
    ['undo', 'undoEdit'],
    ['redo', 'redoEdit'],
  ] as const) {
    withServerOptions(transcripts.command(direction))
      .argument('<id>')
      .description(
        direction === 'undo' ? 'take back the last edit' : 'make the edit again that was taken back',
      )
      .action((id: string, options: ServerOptions) =>
        withConnection(options, async ({ client }) => {
          const { edits } = await client.call(operation, { params: { id }, body: {} });
          const left = edits?.[direction] ?? null;
          printMessage(
            `${style('green', '✓')} Done. ${left === null ? 'There are no more edits' : 'There are more edits'} to ${direction}.`,
          );
        }),
      );
  }
  const speakers = program.command('speakers').description('who speaks in a transcript');
  addWhole(speakers);
  addParts(speakers);
};
