import { ApiError, type Client } from '../../../electron/contract/client.ts';
import { MAX_EDITED_CHARACTERS, MAX_EDITS } from '../../../electron/contract/edit-bounds.ts';
import type { Transcription } from '../../../electron/contract/transcript.ts';
import { debounce } from '../../lib/debounce.ts';
import type { SegmentText } from './model/edit.ts';
import { readUnsavedEdits, type UnsavedEdit, writeUnsavedEdits } from './unsaved-edits.ts';

const AUTOSAVE_MS = 700;

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
  readonly client: Client;
  readonly id: string;
  readonly storage: Storage;
  readonly getState: () => SaveState;
  readonly setState: (change: Partial<SaveState>) => void;
  /** Receives each answer to saved edits; others may be waiting. */
  readonly onStored: (transcript: Transcription) => void;
  /** Receives the server's answer after all edits were saved. */
  readonly onSaved: (transcript: Transcription) => void;
  /** Receives the server's transcript after it rejected edits of an outdated text. */
  readonly onConflict: (transcript: Transcription) => void;
  /** Called before each request, whose own event will arrive. */
  readonly onRequest: () => void;
  /** Called after a failed request, which causes no event. */
  readonly onFailure: () => void;
};

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
  const { client, id, storage, getState, setState } = options;
  const pending = new Map<number, SegmentText>();
  const sent = new Map<number, SegmentText>();
  // The server's text and paragraphs of each segment, which an edit starts from.
  const base = new Map<number, SegmentText>();
  const baseText = (segment: number) => base.get(segment)?.text ?? '';
  const setBase = ({ id: segment, text, paragraph_starts }: Transcription['segments'][number]) =>
    base.set(segment, { id: segment, text, paragraphStarts: paragraph_starts ?? null });
  let lastSend: Promise<void> = Promise.resolve();

  const listUnsaved = (): UnsavedEdit[] => [
    // With the text it started from, so that a reloaded page detects the conflict again.
    ...getState().conflicts.map(({ id: segment, mine, was }) => ({ id: segment, text: mine, was })),
    ...[...new Map([...sent, ...pending]).values()].map((edit) => ({ ...edit, was: baseText(edit.id) })),
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
    const current = await client.call('getTranscript', { params: { id } });
    const conflicts = [...getState().conflicts];
    for (const [segment, { text: mine }] of pending) {
      const theirs = (current.segments[segment]?.text ?? '').trim();
      const was = baseText(segment);
      if (theirs === was.trim() || theirs === mine.trim()) continue;
      conflicts.push({ id: segment, was, mine, theirs });
      pending.delete(segment);
      base.set(segment, { id: segment, text: theirs });
    }
    setState({ saving: pending.size > 0 ? 'waiting' : 'saved', saveError: undefined, conflicts });
    persist();
    options.onConflict(current);
    if (pending.size > 0) saveSoon();
  };

  const requeueSent = () => {
    for (const [segment, edit] of sent) if (!pending.has(segment)) pending.set(segment, edit);
    sent.clear();
  };

  /** Moves as many edits as fit into one request from `pending` to `sent`. */
  const takeOneRequest = () => {
    let characters = 0;
    for (const [segment, edit] of pending) {
      characters += Math.max(edit.text.length, baseText(segment).length);
      if (sent.size === MAX_EDITS || (sent.size > 0 && characters > MAX_EDITED_CHARACTERS)) return;
      sent.set(segment, edit);
      pending.delete(segment);
    }
  };

  const send = async (): Promise<void> => {
    if (pending.size === 0) return;
    takeOneRequest();
    const isCut = pending.size > 0;
    setState({ saving: 'saving' });
    options.onRequest();
    try {
      const segments = [...sent.values()].map((edit) => ({
        id: edit.id,
        text: edit.text,
        was: baseText(edit.id),
        ...paragraphStartsToSend(edit, base.get(edit.id)),
      }));
      const transcript = await client.call('patchTranscript', { params: { id }, body: { segments } });
      options.onStored(transcript);
      for (const segment of sent.keys()) {
        const saved = transcript.segments[segment];
        if (saved !== undefined) setBase(saved);
      }
      sent.clear();
      persist();
      if (isCut) return await send();
      if (pending.size > 0) return;
      setState({ saving: 'saved', saveError: undefined });
      options.onSaved(transcript);
    } catch (error) {
      options.onFailure();
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

  const queue = (changes: readonly SegmentText[]) => {
    const { conflicts } = getState();
    const newTexts = new Map(changes.map((change) => [change.id, change.text]));
    for (const change of changes) {
      if (!conflicts.some((conflict) => conflict.id === change.id)) pending.set(change.id, change);
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
        if (!sent.has(segment.id) && !pending.has(segment.id)) setBase(segment);
    },
    /** Edits to apply on top of the server's text. */
    unsaved: (): SegmentText[] => [...sent.values(), ...pending.values()],
    /** Resumes edits that an earlier page could not save. */
    restore: () => {
      if (hasRestored) return;
      hasRestored = true;
      const earlier = readUnsavedEdits(storage, id);
      for (const { was, ...edit } of earlier) {
        const { id: segment, text } = edit;
        const saved = base.get(segment);
        if (isUnsaved(segment) || (saved?.text.trim() === text.trim() && hasParagraphs(saved, edit)))
          continue;
        base.set(segment, { ...saved, id: segment, text: was });
        pending.set(segment, edit);
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
