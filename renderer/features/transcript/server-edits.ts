import type { Client } from '../../../electron/contract/client.ts';
import type { Transcription } from '../../../electron/contract/transcript.ts';

/** An edit that the server made. One that is made again by its request has another number. */
export type ServerEdit = { number: number };

/** Sends the request of an edit. */
export type Send = () => Promise<Transcription>;

/** Undoes and makes again edits of the server, whose own history also has each save of a text. */
export const createServerEdits = (client: Client, id: string, onStep: () => void) => {
  let edits: Transcription['edits'];
  const savedTexts = new Set<number>();
  const next = (direction: 'undo' | 'redo'): number | undefined => edits?.[direction]?.id;
  const turn = (operation: 'undoEdit' | 'redoEdit', edit: number) =>
    client.call(operation, { params: { id }, body: { edit } });

  return {
    /** The edit that the server would undo, or make again, next. */
    next,
    /** Notes the server's history in its latest answer. */
    note: (transcript: Transcription): void => {
      edits = transcript.edits;
    },
    /** Notes an edit of texts that this page saved. */
    noteSavedText: (transcript: Transcription): void => {
      const saved = transcript.edits?.undo;
      if (saved !== undefined && saved?.kind === 'text' && saved.id !== next('undo'))
        savedTexts.add(saved.id);
      edits = transcript.edits;
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
      if (send === undefined || next('redo') === edit.number) return turn('redoEdit', edit.number);
      const transcript = await send();
      edit.number = transcript.edits?.undo?.id ?? edit.number;
      return transcript;
    },
  };
};
