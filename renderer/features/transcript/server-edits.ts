import type { Client } from '../../../electron/contract/client.ts';
import type { Transcription } from '../../../electron/contract/transcript.ts';

/** An edit that the server made. One that is made again by its request has another number. */
export type ServerEdit = { number: number };

/** Sends the request of an edit. */
export type Send = () => Promise<Transcription>;

type Options = {
  readonly client: Client;
  readonly id: string;
  /** Called before each further request of one step. */
  readonly onStep: () => void;
  /** Called when the server's history may have changed. */
  readonly onNote: () => void;
};

/** Undoes and makes again edits of the server, whose own history also has each save of a text. */
export const createServerEdits = ({ client, id, onStep, onNote }: Options) => {
  let edits: Transcription['edits'];
  /** The last edit before this page was opened; undefined until it is known. */
  let lastBefore: number | undefined;
  const own = new Set<number>();
  /** The last edit before a job that this page asked for; meanwhile nobody can edit. */
  let beforeJob: number | undefined;
  const savedTexts = new Set<number>();
  /** The edit that the server would undo, or make again, next. */
  const next = (direction: 'undo' | 'redo'): number | undefined => edits?.[direction]?.id;
  const turn = (operation: 'undoEdit' | 'redoEdit', edit: number) =>
    client.call(operation, { params: { id }, body: { edit } });

  /** Notes the server’s history in its latest answer. Returns whether a job that this page asked for made an edit. */
  const note = (transcript: Transcription): boolean => {
    edits = transcript.edits;
    const last = next('undo') ?? 0;
    let hasJobEdited = false;
    lastBefore ??= last;
    if (beforeJob !== undefined && transcript.status === 'completed') {
      if (last > beforeJob) own.add(last);
      hasJobEdited = last > beforeJob;
      beforeJob = undefined;
    }
    onNote();
    return hasJobEdited;
  };

  return {
    note,
    /** Notes an edit that this page made; returns its number, or undefined if nothing was changed. */
    noteOwn: (transcript: Transcription): number | undefined => {
      const earlier = next('undo') ?? 0;
      const number = transcript.edits?.undo?.id ?? 0;
      // A text that is typed back counts as undone: the edit before it is the last one again.
      const isNew = number > earlier;
      if (isNew) own.add(number);
      if (isNew && transcript.edits?.undo?.kind === 'text') savedTexts.add(number);
      note(transcript);
      return isNew ? number : undefined;
    },
    /** Notes that this page asks for a job, whose edit is this page's own; `false` after a failure. */
    expectJob: (isAsked: boolean): void => {
      beforeJob = isAsked ? (next('undo') ?? 0) : undefined;
    },
    /** The edit that Undo or Redo takes next beyond the steps of this page. Undo leaves what another window edited. */
    beyond: (direction: 'undo' | 'redo'): number | undefined => {
      const number = next(direction);
      if (number === undefined || direction === 'redo') return number;
      return own.has(number) || number <= (lastBefore ?? 0) ? number : undefined;
    },
    /**
     * Undoes an edit. This page's saves of texts after it are undone first: their steps were taken back before this one,
     * so that together they change nothing. Rejects with `conflict` if another edit is among them.
     */
    undo: async ({ number }: ServerEdit): Promise<Transcription> => {
      for (let last = next('undo'); last !== undefined && last !== number && savedTexts.has(last); ) {
        const transcript = await turn('undoEdit', last);
        onStep();
        edits = transcript.edits;
        last = next('undo');
      }
      return turn('undoEdit', number);
    },
    /** Makes an edit again; by its request where a text was edited since, after which the server has nothing to redo. */
    redo: async (edit: ServerEdit, send?: Send): Promise<Transcription> => {
      const isNext = send === undefined || next('redo') === edit.number;
      const transcript = await (isNext ? turn('redoEdit', edit.number) : send());
      if (!isNext) edit.number = transcript.edits?.undo?.id ?? edit.number;
      own.add(edit.number);
      return transcript;
    },
  };
};
