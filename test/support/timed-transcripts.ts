import { ApiError, type Client } from '../../electron/contract/client.ts';
import type { Transcription } from '../../electron/contract/transcript.ts';
import type { PatchTranscript } from '../../electron/contract/transcript-edits.ts';
import type { StoredSegment } from '../../electron/core/stores/segments.ts';
import { spokenFor, storeTranscript } from './long-transcript.ts';
import { discard, startServer, type TestServer } from './server.ts';
import { temporaryFolder } from './temporary-folder.ts';

type Spoken = readonly [word: string, start: number, end: number];

const segment = (id: number, spoken: readonly Spoken[], channel?: number): StoredSegment => ({
  id,
  text: spoken.map(([word]) => word).join(' '),
  start: spoken[0]?.[1] ?? 0,
  end: spoken.at(-1)?.[2] ?? 0,
  speaker_id: null,
  ...(channel === undefined ? {} : { channel }),
  words: spoken.map(([word, start, end]) => ({ word, start, end, confidence: 0.9, speaker_id: null })),
});

const TALK = [
  segment(0, [
    ['The', 1, 1.2],
    ['quick', 1.2, 1.6],
    ['fox', 1.7, 2.1],
  ]),
  segment(1, [
    ['jumped', 2.1, 2.5],
    ['over', 4.6, 4.9],
    ['it.', 4.9, 5.2],
  ]),
  segment(2, [
    ['Nobody', 8, 8.4],
    ['saw.', 8.4, 8.8],
  ]),
];

const SECRET = segment(0, [
  ['My', 1, 1.2],
  ['number', 1.2, 1.6],
  ['is', 1.6, 2],
  ['(415)', 2, 2.8],
  ['555-2671', 2.8, 3.6],
]);

/** Two channels that take turns; the second begins while the first speaks. */
const CALL = [
  segment(
    0,
    [
      ['Hello', 0, 1],
      ['there', 1, 2],
    ],
    0,
  ),
  segment(
    1,
    [
      ['Yes', 1.5, 2.5],
      ['please', 2.5, 3],
    ],
    1,
  ),
  segment(2, [['Good.', 3, 4]], 0),
];

const WITH_WORDS = { timestamp_style: 'word' } as const;
const COPIES = 30;

export type Segments = NonNullable<PatchTranscript['segments']>;

/** Transcripts whose times a test edits, and the requests to the one that it chose last. */
export class TimedTranscripts {
  #server: TestServer | undefined;
  #id = '';
  readonly #ids: Record<'talk' | 'call' | 'analyzed' | 'secret' | 'spoken', string[]> = {
    talk: [],
    call: [],
    analyzed: [],
    secret: [],
    spoken: [],
  };

  get server(): TestServer {
    if (this.#server === undefined) throw new Error('The server was not started.');
    return this.#server;
  }

  get client(): Client {
    return this.server.client;
  }

  get id(): string {
    return this.#id;
  }

  async start(): Promise<void> {
    const dataDir = temporaryFolder();
    this.#store(dataDir);
    this.#server = await startServer({ dataDir });
  }

  async restart(): Promise<void> {
    await this.server.stop();
    this.#server = await startServer({ dataDir: this.server.dataDir });
  }

  discard(): Promise<void> {
    return discard(this.server);
  }

  /** The next transcript of a kind, which no other test has edited. */
  choose(kind: 'talk' | 'call' | 'analyzed' | 'secret' | 'spoken'): void {
    const id = this.#ids[kind].pop();
    if (id === undefined) throw new Error(`There is no other ${kind}.`);
    this.#id = id;
  }

  readonly read = (): Promise<Transcription> =>
    this.client.call('getTranscript', { params: { id: this.#id } });

  readonly patch = (...segments: Segments): Promise<Transcription> =>
    this.client.call('patchTranscript', { params: { id: this.#id }, body: { segments } });

  readonly turn = (operation: 'undoEdit' | 'redoEdit') =>
    this.client.call(operation, { params: { id: this.#id }, body: {} });

  readonly exported = async (format: 'srt' | 'vtt' | 'csv' | 'json', query: Record<string, unknown> = {}) =>
    (
      await this.client.send('exportTranscript', { params: { id: this.#id }, query: { format, ...query } })
    ).text();

  #store(dataDir: string): void {
    const { talk, call, analyzed, secret, spoken } = this.#ids;
    for (let n = 0; n < COPIES; n++) talk.push(storeTranscript(dataDir, TALK, WITH_WORDS, { duration: 10 }));
    for (let n = 0; n < 3; n++) {
      call.push(storeTranscript(dataDir, CALL, WITH_WORDS, { duration: 5, channels: 2 }));
    }
    analyzed.push(storeTranscript(dataDir, spokenFor(0.05), { ...WITH_WORDS, summarization: true }));
    secret.push(storeTranscript(dataDir, [SECRET], WITH_WORDS, { duration: 10 }));
    const speakers = Object.fromEntries(
      ['A', 'B'].map((label) => [label, { name: `Speaker ${label}`, talk_seconds: 1, share: 0.5 }]),
    );
    const bySpeaker = TALK.map((each) => ({
      ...each,
      speaker_id: 'A',
      words: each.words.map((own) => ({ ...own, speaker_id: 'A' })),
    }));
    spoken.push(storeTranscript(dataDir, bySpeaker, WITH_WORDS, { duration: 10, analysis: { speakers } }));
  }
}

/** "The 1–1.2, quick 1.2–1.6 | …" */
export const timesOf = ({ segments }: Transcription): string =>
  segments
    .map(({ words = [] }) => words.map(({ word, start, end }) => `${word} ${start}–${end}`).join(', '))
    .join(' | ');
export const boundsOf = ({ segments }: Transcription) => segments.map(({ start, end }) => [start, end]);
export const stateOf = ({ edits: _, revision: __, ...transcript }: Transcription) => transcript;
/** In- and out-times of SRT, in seconds, with the text. */
export const cuesOf = (srt: string): [start: number, end: number, text: string][] =>
  srt
    .trim()
    .split('\r\n\r\n')
    .map((cue) => {
      const [, line = '', ...text] = cue.split('\r\n');
      const [start = 0, end = 0] = line.split(' --> ').map((time) => {
        const [hours = 0, minutes = 0, rest = 0] = time.replace(',', '.').split(':').map(Number);
        return hours * 3600 + minutes * 60 + rest;
      });
      return [start, end, text.join(' ')];
    });

export const refusal = async (
  work: Promise<unknown>,
): Promise<{ code: string; message: string; detail?: string }> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw new Error('The request was not refused.', { cause: error });
  return { code: error.code, message: error.message, detail: error.details?.[0]?.message };
};
