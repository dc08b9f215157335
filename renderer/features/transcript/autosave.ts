import { ApiError, type Client } from '../../../electron/contract/client.ts';
import type { Transcription } from '../../../electron/contract/transcript.ts';
import { debounce } from '../../lib/debounce.ts';
import type { SegmentText } from './model/edit.ts';
import { readUnsavedEdits, type UnsavedEdit, writeUnsavedEdits } from './unsaved-edits.ts';

const AUTOSAVE_MS = 700;

/** A paragraph's text that was corrected here and, in the meantime, elsewhere. */
export type Conflict = {
  readonly id: number;
  /** What both were made from. */
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
  /** Takes the server's answer to a saved correction. */
  readonly onSaved: (transcript: Transcription) => void;
  /** Takes the transcript as it is on the server, where it is not what the corrections were made from. */
  readonly onConflict: (transcript: Transcription) => void;
  /** Told before each request, since its event comes back; true when it was refused. */
  readonly onSend: (refused: boolean) => void;
};

const tidy = (text: string) => text.trim();

/**
 * The way of corrections to the server: gathered for a moment, kept in the browser until they are taken, and sent
 * with the text that they were made from, so that another window's correction is never overwritten unseen.
 */
export const createAutosave = (parts: Options) => {
  const { client, id, storage, getState, setState } = parts;
  const pending = new Map<number, string>();
  const sent = new Map<number, string>();
  // Each segment's text as the server last told it, which a correction here began from.
  const baseTexts = new Map<number, string>();
  let lastSend: Promise<void> = Promise.resolve();

  const listUnsaved = (): UnsavedEdit[] => [
    // Kept with what it was made from: a page that is loaded anew finds the conflict again.
    ...getState().conflicts.map(({ id: segment, mine, was }) => ({ id: segment, text: mine, was })),
    ...[...new Map([...sent, ...pending])].map(([segment, text]) => ({
      id: segment,
      text,
      was: baseTexts.get(segment) ?? '',
    })),
  ];
  const isUnsaved = (segment: number) => listUnsaved().some((each) => each.id === segment);
  // Another window of this browser keeps its own there: what this one never wrote, it does not clear.
  let hasWritten = false;
  const persist = () => {
    const texts = listUnsaved();
    if (texts.length > 0 || hasWritten) writeUnsavedEdits(storage, id, texts);
    hasWritten = texts.length > 0;
  };
  let hasRestored = false;

  /** Sorts out what the server refused: what is in dispute is shown, the rest goes its way. */
  const collectConflicts = async () => {
    const now = await client.call('getTranscript', { params: { id } });
    const conflicts = [...getState().conflicts];
    for (const [segment, mine] of pending) {
      const theirs = tidy(now.segments[segment]?.text ?? '');
      const was = baseTexts.get(segment) ?? '';
      if (theirs === tidy(was) || theirs === tidy(mine)) continue;
      conflicts.push({ id: segment, was, mine, theirs });
      pending.delete(segment);
      baseTexts.set(segment, theirs);
    }
    setState({ saving: pending.size > 0 ? 'waiting' : 'saved', saveError: undefined, conflicts });
    persist();
    parts.onConflict(now);
    if (pending.size > 0) saveSoon();
  };

  const requeueSent = () => {
    for (const [segment, text] of sent) if (!pending.has(segment)) pending.set(segment, text);
    sent.clear();
  };

  const send = async () => {
    if (pending.size === 0) return;
    for (const [segment, text] of pending) sent.set(segment, text);
    pending.clear();
    setState({ saving: 'saving' });
    parts.onSend(false);
    try {
      const segments = [...sent].map(([segment, text]) => ({
        id: segment,
        text,
        was: baseTexts.get(segment) ?? '',
      }));
      const transcript = await client.call('patchTranscript', { params: { id }, body: { segments } });
      for (const segment of sent.keys()) baseTexts.set(segment, transcript.segments[segment]?.text ?? '');
      sent.clear();
      persist();
      if (pending.size > 0) return;
      setState({ saving: 'saved', saveError: undefined });
      parts.onSaved(transcript);
    } catch (error) {
      parts.onSend(true);
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
    const disputed = new Map(changes.map((change) => [change.id, change.text]));
    for (const { id: segment, text } of changes) {
      if (!conflicts.some((conflict) => conflict.id === segment)) pending.set(segment, text);
    }
    setState({
      conflicts: conflicts.map((each) => ({ ...each, mine: disputed.get(each.id) ?? each.mine })),
      ...(pending.size > 0 ? { saving: 'waiting' as const } : {}),
    });
    persist();
    if (pending.size > 0) saveSoon();
  };

  return {
    queue,
    /** Sends what waits, at once. */
    save: () => {
      saveSoon.cancel();
      return save();
    },
    /** Learns what the server has. What is owed to it keeps the text that it began from. */
    setBaseTexts: (transcript: Transcription) => {
      for (const segment of transcript.segments)
        if (!sent.has(segment.id) && !pending.has(segment.id)) baseTexts.set(segment.id, segment.text);
    },
    /** Corrections that are not saved yet, to be shown over the server's text. */
    unsaved: (): SegmentText[] => [...sent, ...pending].map(([segment, text]) => ({ id: segment, text })),
    /** Takes up what an earlier page could not save any more. */
    restore: () => {
      if (hasRestored) return;
      hasRestored = true;
      for (const { id: segment, text, was } of readUnsavedEdits(storage, id)) {
        if (isUnsaved(segment) || tidy(baseTexts.get(segment) ?? '') === tidy(text)) continue;
        baseTexts.set(segment, was);
        pending.set(segment, text);
      }
      hasWritten = true;
      persist();
      if (pending.size === 0) return;
      setState({ saving: 'waiting' });
      saveSoon();
    },
    /** Ends a conflict; gives the text that is to stand where it is the one from here. */
    resolveConflict: (segment: number, keepMine: boolean): SegmentText[] => {
      const conflict = getState().conflicts.find((each) => each.id === segment);
      setState({ conflicts: getState().conflicts.filter((each) => each.id !== segment) });
      persist();
      return conflict !== undefined && keepMine ? [{ id: segment, text: conflict.mine }] : [];
    },
  };
};
