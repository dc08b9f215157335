import { type Command, Option } from 'commander';
import { TRANSCRIPT_STATUSES, type Transcription } from '../contract/transcript.ts';
import { formatLongClock, formatTenths } from '../core/base/time.ts';
import { type Connection, withConnection } from './connect.ts';
import { oneOf, type ServerOptions, UsageError } from './environment.ts';
import { checkOutput, FORMATS, type Format, render, writeOutput } from './results.ts';
import { withServerOptions } from './serve.ts';
import { printMessage, printResult, style, table } from './terminal.ts';

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
