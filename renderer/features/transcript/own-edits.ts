import type { Transcription } from '../../../electron/contract/transcript.ts';

/** What Undo and Redo of this page take next: ids of edits in the server's history. */
export type NextEdits = { readonly undo: number | undefined; readonly redo: number | undefined };

/** Knows which edits of the server's history are this page's: Undo leaves what another window edited. */
export const createOwnEdits = () => {
  let last = 0;
  /** The last edit before this page was opened; undefined until it is known. */
  let lastBefore: number | undefined;
  /** The last edit before a job that this page asked for; meanwhile nobody can edit. */
  let beforeJob: number | undefined;
  const own = new Set<number>();

  return {
    /** Notes the server's history; `isOwn` if this page has just changed it. */
    note: ({ edits, status }: Transcription, isOwn: boolean): NextEdits => {
      const undo = edits?.undo?.id;
      const earlier = last;
      last = undo ?? 0;
      lastBefore ??= last;
      const isOfJob = beforeJob !== undefined && status === 'completed' && last > beforeJob;
      if ((isOwn && last > earlier) || isOfJob) own.add(last);
      if (status === 'completed') beforeJob = undefined;
      const isMine = undo !== undefined && (own.has(undo) || undo <= lastBefore);
      return { undo: isMine ? undo : undefined, redo: edits?.redo?.id };
    },
    /** Notes that this page asks for a job, whose edit is this page's own; `false` after a failure. */
    expectJob: (isAsked: boolean): void => {
      beforeJob = isAsked ? last : undefined;
    },
  };
};
