import type { Client } from '../../../electron/contract/client.ts';
import type { Transcription } from '../../../electron/contract/transcript.ts';
import { TranscriptEdit } from '../../../electron/contract/transcript-edits.ts';
import { applyEdit } from './model/apply-edit.ts';
import { wordsBySegment } from './model/document.ts';

/** What every request of an edit has: the transcript, and the wish to be answered with what changed. */
type To = {
  readonly params: { readonly id: string };
  readonly headers: Record<string, string>;
};

/** The request of an edit. */
export type EditRequest = (to: To) => Promise<Response>;

/** Around the place that is shown first, in seconds. */
const NEAR = { before: 60, after: 180 };

/** Whether words of some segments are still to be loaded. */
export const lacksWords = ({ segments, timestamp_style: style }: Transcription): boolean =>
  style === 'word' && segments.some(({ words }) => words === undefined);

type Options = {
  readonly client: Client;
  readonly id: string;
  /** Called when somebody else changed the transcript on the server. */
  readonly onForeignChange: () => void;
};

/**
 * The transcript as the server has it, with words. An edit's answer is only what changed; an event with a later revision than
 * that of this page's edits is of somebody else's change.
 */
export const createServerCopy = ({ client, id, onForeignChange }: Options) => {
  let copy: Transcription | undefined;
  let waiting = 0;
  let seen = 0;
  let last: Promise<unknown> = Promise.resolve();

  /** While an answer is due, an event may be that of its edit. */
  const compare = () => {
    if (waiting === 0 && copy !== undefined && seen > copy.revision) onForeignChange();
  };

  /** With the words near a second alone, where one is given. */
  const load = async (signal?: AbortSignal, near?: number): Promise<Transcription> => {
    const query =
      near === undefined ? {} : { words_from: Math.max(0, near - NEAR.before), words_to: near + NEAR.after };
    const transcript = await client.call('getTranscript', { params: { id }, query, signal });
    const { segments, status, timestamp_style: style } = transcript;
    const sentences =
      status === 'completed' && style !== 'word' && segments.some(({ words }) => words === undefined)
        ? (await client.call('getSentences', { params: { id }, signal })).data.sentences
        : undefined;
    // An edit's answer may have come meanwhile.
    if (copy === undefined || transcript.revision >= copy.revision)
      copy =
        sentences === undefined
          ? transcript
          : { ...transcript, segments: wordsBySegment(segments, sentences) };
    compare();
    return copy;
  };

  const send = async (request: EditRequest): Promise<Transcription> => {
    const response = await request({ params: { id }, headers: { prefer: 'return=minimal' } });
    const { data: edit } = TranscriptEdit.safeParse(await response.json());
    // Somebody else's change came first, or beside it.
    if (edit === undefined || edit.previous !== copy?.revision) return load();
    copy = applyEdit(copy, edit);
    return copy;
  };

  return {
    load,
    /** One edit after the other, because each answer says what changed since the one before. */
    send: (request: EditRequest): Promise<Transcription> => {
      waiting++;
      const sent = last.then(() => send(request));
      last = sent
        .catch(() => undefined)
        .then(() => {
          waiting--;
          compare();
        });
      return sent;
    },
    /** Takes an answer other than that of an edit. */
    put: (transcript: Transcription): void => {
      copy = transcript;
    },
    /** Handles an event of this transcript. */
    see: (revision: number): void => {
      seen = Math.max(seen, revision);
      compare();
    },
  };
};
