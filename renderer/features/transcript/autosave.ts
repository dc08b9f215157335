import type { z } from 'zod';
import { ApiError } from '../../../electron/contract/client.ts';
import type { Transcription } from '../../../electron/contract/transcript.ts';
import {
  MAX_EDITED_CHARACTERS,
  MAX_EDITS,
  type PatchTranscript,
} from '../../../electron/contract/transcript-edits.ts';
import { debounce } from '../../lib/debounce.ts';
import type { SegmentText } from './model/edit.ts';
import { readUnsavedEdits, type UnsavedEdit, writeUnsavedEdits } from './unsaved-edits.ts';

const AUTOSAVE_MS = 700;
/** The group of the edits that an earlier page could not save. */
const RESTORED = 0;

/** A segment that was edited here and elsewhere. */
export type Conflict = {
  readonly id: number;
  /** The text that both edits started from. */
  readonly was: string;
  readonly mine: string;
  readonly theirs: string;
};

export type SaveState = {
  readonly saving: 'saved' | 'waiting' | 'saving' | 'failed';
  readonly saveError: unknown;
  readonly conflicts: readonly Conflict[];
};
export const NOTHING_UNSAVED: SaveState = { saving: 'saved', saveError: undefined, conflicts: [] };

type Options = {
  readonly id: string;
  readonly storage: Storage;
  /** Sends an edit; resolves to the transcript after it. */
  readonly patch: (body: z.input<typeof PatchTranscript>) => Promise<Transcription>;
  /** The server's transcript. */
  readonly load: () => Promise<Transcription>;
  readonly getState: () => SaveState;
  readonly setState: (change: Partial<SaveState>) => void;
  /** Receives the transcript after each request; others may be waiting. */
  readonly onStored: (transcript: Transcription) => void;
  /** Receives the transcript after all edits were saved. */
  readonly onSaved: (transcript: Transcription) => void;
  /** Receives the server's transcript after it rejected edits of an outdated text. */
  readonly onConflict: (transcript: Transcription) => void;
};

/** An edit that waits to be saved. Those of one `group` are one step of the history, in however many requests. */
type Queued = { readonly edit: SegmentText; readonly group: number };

const keyOf = ({ edit, group }: Queued): string => `${group}:${edit.id}`;

const hasParagraphs = (saved: SegmentText | undefined, { paragraphStarts }: SegmentText): boolean =>
  paragraphStarts === undefined ||
  JSON.stringify(paragraphStarts) === JSON.stringify(saved?.paragraphStarts ?? null);

/** Paragraphs that nobody decided need not be sent: another window may have decided since. */
const paragraphStartsToSend = (edit: SegmentText, saved: SegmentText | undefined) => {
  const { paragraphStarts: starts } = edit;
  if (starts === undefined || (starts === null && hasParagraphs(saved, edit))) return {};
  return { paragraph_starts: starts === null ? null : [...starts] };
};

/**
 * Saves edits to the server, debounced. Unsaved edits are kept in the browser, and are sent with the text that they
 * started from, so that they never overwrite another window's edit.
 */
export const createAutosave = (options: Options) => {
  const { id, storage, getState, setState } = options;
  /** By group and segment, in the order in which they were made. */
  const pending = new Map<string, Queued>();
  /** By segment. */
  const sent = new Map<number, Queued>();
  const isPending = (segment: number) => [...pending.values()].some(({ edit }) => edit.id === segment);
  /** The last edit of the history that was made of a group. */
  let saved: { readonly group: number; readonly number: number | undefined } | undefined;
  // The server's text and paragraphs of each segment, which an edit starts from.
  const base = new Map<number, SegmentText>();
  const baseText = (segment: number) => base.get(segment)?.text ?? '';
  const setBase = ({ id: segment, text, paragraph_starts }: Transcription['segments'][number]) =>
    base.set(segment, { id: segment, text, paragraphStarts: paragraph_starts ?? null });
  let lastSend: Promise<void> = Promise.resolve();

  const unsaved = (): SegmentText[] => [
    ...new Map([...sent.values(), ...pending.values()].map(({ edit }) => [edit.id, edit])).values(),
  ];
  const listUnsaved = (): UnsavedEdit[] => [
    // With the text it started from, so that a reloaded page detects the conflict again.
    ...getState().conflicts.map(({ id: segment, mine, was }) => ({ id: segment, text: mine, was })),
    ...unsaved().map((edit) => ({ ...edit, was: baseText(edit.id) })),
  ];
  const isUnsaved = (segment: number) => listUnsaved().some((each) => each.id === segment);
  // The segments whose stored edits are this window's: it leaves those of another window of this browser.
  let stored: ReadonlySet<number> = new Set();
  const persist = () => {
    const edits = listUnsaved();
    const own = new Set(edits.map((edit) => edit.id));
    const replaced = new Set([...own, ...stored]);
    if (replaced.size > 0) writeUnsavedEdits(storage, id, replaced, edits);
    stored = own;
  };
  let hasRestored = false;

  /** After a rejected save: turns edits of texts that changed on the server into conflicts and retries the others. */
  const collectConflicts = async () => {
    const current = await options.load();
    const conflicts = [...getState().conflicts];
    for (const { id: segment, text: mine } of unsaved()) {
      const theirs = (current.segments[segment]?.text ?? '').trim();
      const was = baseText(segment);
      if (theirs === was.trim() || theirs === mine.trim()) continue;
      conflicts.push({ id: segment, was, mine, theirs });
      for (const [key, { edit }] of pending) if (edit.id === segment) pending.delete(key);
      base.set(segment, { id: segment, text: theirs });
    }
    setState({ saving: pending.size > 0 ? 'waiting' : 'saved', saveError: undefined, conflicts });
    persist();
    options.onConflict(current);
    if (pending.size > 0) saveSoon();
  };

  const requeueSent = () => {
    const later = [...pending];
    pending.clear();
    for (const queued of sent.values()) pending.set(keyOf(queued), queued);
    for (const [key, queued] of later) pending.set(key, queued);
    sent.clear();
  };

  /** Moves as many edits of one group as fit into one request from `pending` to `sent`. Returns their group. */
  const takeOneRequest = (): number | undefined => {
    const group = pending.values().next().value?.group;
    let characters = 0;
    for (const [key, queued] of pending) {
      if (queued.group !== group) continue;
      const { id: segment, text } = queued.edit;
      characters += Math.max(text.length, baseText(segment).length);
      if (sent.size === MAX_EDITS || (sent.size > 0 && characters > MAX_EDITED_CHARACTERS)) return group;
      sent.set(segment, queued);
      pending.delete(key);
    }
    return group;
  };

  const send = async (): Promise<void> => {
    if (pending.size === 0) return;
    const group = takeOneRequest();
    const isCut = pending.size > 0;
    setState({ saving: 'saving' });
    try {
      const segments = [...sent.values()].map(({ edit }) => ({
        id: edit.id,
        text: edit.text,
        was: baseText(edit.id),
        ...paragraphStartsToSend(edit, base.get(edit.id)),
      }));
      const continues = saved?.group === group ? saved?.number : undefined;
      const transcript = await options.patch({ segments, continues });
      if (group !== undefined) saved = { group, number: transcript.edits?.undo?.id };
      options.onStored(transcript);
      for (const segment of sent.keys()) {
        const stored = transcript.segments[segment];
        if (stored !== undefined) setBase(stored);
      }
      sent.clear();
      persist();
      if (isCut) return await send();
      if (pending.size > 0) return;
      setState({ saving: 'saved', saveError: undefined });
      options.onSaved(transcript);
    } catch (error) {
      requeueSent();
      setState({ saving: 'failed', saveError: error });
      if (error instanceof ApiError && error.code === 'conflict') await collectConflicts().catch(fail);
    }
  };
  const fail = (error: unknown) => setState({ saving: 'failed', saveError: error });
  const save = () => {
    lastSend = lastSend.then(send);
    return lastSend;
  };
  const saveSoon = debounce(() => void save(), AUTOSAVE_MS);

  const queue = (changes: readonly SegmentText[], group: number) => {
    const { conflicts } = getState();
    const newTexts = new Map(changes.map((change) => [change.id, change.text]));
    for (const edit of changes) {
      const queued = { edit, group };
      if (!conflicts.some((conflict) => conflict.id === edit.id)) pending.set(keyOf(queued), queued);
    }
    setState({
      conflicts: conflicts.map((each) => ({ ...each, mine: newTexts.get(each.id) ?? each.mine })),
      ...(pending.size > 0 ? { saving: 'waiting' as const } : {}),
    });
    persist();
    if (pending.size > 0) saveSoon();
  };

  return {
    queue,
    /** Saves pending edits now. */
    save: () => {
      saveSoon.cancel();
      return save();
    },
    /** Updates the server's texts. A segment with unsaved edits keeps the text that they started from. */
    setBaseTexts: (transcript: Transcription) => {
      for (const segment of transcript.segments)
        if (!sent.has(segment.id) && !isPending(segment.id)) setBase(segment);
    },
    /** Edits to apply on top of the server's text. */
    unsaved,
    /** Resumes edits that an earlier page could not save. */
    restore: () => {
      if (hasRestored) return;
      hasRestored = true;
      const earlier = readUnsavedEdits(storage, id);
      for (const { was, ...edit } of earlier) {
        const { id: segment, text } = edit;
        const known = base.get(segment);
        if (isUnsaved(segment) || (known?.text.trim() === text.trim() && hasParagraphs(known, edit)))
          continue;
        base.set(segment, { ...known, id: segment, text: was });
        const queued = { edit, group: RESTORED };
        pending.set(keyOf(queued), queued);
      }
      stored = new Set([...stored, ...earlier.map((edit) => edit.id)]);
      persist();
      if (pending.size === 0) return;
      setState({ saving: 'waiting' });
      saveSoon();
    },
    /** Resolves a conflict; returns the edit to apply if the local text is kept. */
    resolveConflict: (segment: number, keepMine: boolean): SegmentText[] => {
      const conflict = getState().conflicts.find((each) => each.id === segment);
      setState({ conflicts: getState().conflicts.filter((each) => each.id !== segment) });
      persist();
      return conflict !== undefined && keepMine ? [{ id: segment, text: conflict.mine }] : [];
    },
  };
};
