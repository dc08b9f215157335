import { ApiError, type Client } from '../../../electron/contract/client.ts';
import type { Transcription } from '../../../electron/contract/transcript.ts';
import { debounce } from '../../lib/debounce.ts';
import type { SegmentText } from './model/edit.ts';
import { readUnsaved, type UnsavedText, writeUnsaved } from './unsaved.ts';

const AUTOSAVE_MS = 700;

/** A paragraph's text that was corrected here and, in the meantime, elsewhere. */
export type Conflict = {
  readonly id: number;
  /** What both were made from. */
  readonly was: string;
  readonly mine: string;
  readonly theirs: string;
};

export type SavingState = {
  readonly saving: 'saved' | 'waiting' | 'saving' | 'failed';
  readonly saveError: unknown;
  readonly conflicts: readonly Conflict[];
};
export const SAVED: SavingState = { saving: 'saved', saveError: undefined, conflicts: [] };

type Parts = {
  readonly client: Client;
  readonly id: string;
  readonly storage: Storage;
  readonly state: () => SavingState;
  readonly show: (change: Partial<SavingState>) => void;
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
export const createSaving = (parts: Parts) => {
  const { client, id, storage, state, show } = parts;
  const pending = new Map<number, string>();
  const sent = new Map<number, string>();
  // Each segment's text as the server last told it, which a correction here began from.
  const base = new Map<number, string>();
  let busy: Promise<void> = Promise.resolve();

  const owed = (): UnsavedText[] => [
    // Kept with what it was made from: a page that is loaded anew finds the conflict again.
    ...state().conflicts.map(({ id: segment, mine, was }) => ({ id: segment, text: mine, was })),
    ...[...new Map([...sent, ...pending])].map(([segment, text]) => ({
      id: segment,
      text,
      was: base.get(segment) ?? '',
    })),
  ];
  const owes = (segment: number) => owed().some((each) => each.id === segment);
  // Another window of this browser keeps its own there: what this one never wrote, it does not clear.
  let wrote = false;
  const keep = () => {
    const texts = owed();
    if (texts.length > 0 || wrote) writeUnsaved(storage, id, texts);
    wrote = texts.length > 0;
  };
  let recovered = false;

  /** Sorts out what the server refused: what is in dispute is shown, the rest goes its way. */
  const settle = async () => {
    const now = await client.call('getTranscript', { params: { id } });
    const conflicts = [...state().conflicts];
    for (const [segment, mine] of pending) {
      const theirs = tidy(now.segments[segment]?.text ?? '');
      const was = base.get(segment) ?? '';
      if (theirs === tidy(was) || theirs === tidy(mine)) continue;
      conflicts.push({ id: segment, was, mine, theirs });
      pending.delete(segment);
      base.set(segment, theirs);
    }
    show({ saving: pending.size > 0 ? 'waiting' : 'saved', saveError: undefined, conflicts });
    keep();
    parts.onConflict(now);
    if (pending.size > 0) saveSoon();
  };

  const takeBack = () => {
    for (const [segment, text] of sent) if (!pending.has(segment)) pending.set(segment, text);
    sent.clear();
  };

  const send = async () => {
    if (pending.size === 0) return;
    for (const [segment, text] of pending) sent.set(segment, text);
    pending.clear();
    show({ saving: 'saving' });
    parts.onSend(false);
    try {
      const segments = [...sent].map(([segment, text]) => ({
        id: segment,
        text,
        was: base.get(segment) ?? '',
      }));
      const transcript = await client.call('patchTranscript', { params: { id }, body: { segments } });
      for (const segment of sent.keys()) base.set(segment, transcript.segments[segment]?.text ?? '');
      sent.clear();
      keep();
      if (pending.size > 0) return;
      show({ saving: 'saved', saveError: undefined });
      parts.onSaved(transcript);
    } catch (error) {
      parts.onSend(true);
      takeBack();
      show({ saving: 'failed', saveError: error });
      if (error instanceof ApiError && error.code === 'conflict') await settle().catch(fail);
    }
  };
  const fail = (error: unknown) => show({ saving: 'failed', saveError: error });
  const save = () => {
    busy = busy.then(send);
    return busy;
  };
  const saveSoon = debounce(() => void save(), AUTOSAVE_MS);

  const queue = (changes: readonly SegmentText[]) => {
    const { conflicts } = state();
    const disputed = new Map(changes.map((change) => [change.id, change.text]));
    for (const { id: segment, text } of changes) {
      if (!conflicts.some((conflict) => conflict.id === segment)) pending.set(segment, text);
    }
    show({
      conflicts: conflicts.map((each) => ({ ...each, mine: disputed.get(each.id) ?? each.mine })),
      ...(pending.size > 0 ? { saving: 'waiting' as const } : {}),
    });
    keep();
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
    learn: (transcript: Transcription) => {
      for (const segment of transcript.segments)
        if (!sent.has(segment.id) && !pending.has(segment.id)) base.set(segment.id, segment.text);
    },
    /** Corrections that are not saved yet, to be shown over the server's text. */
    unsaved: (): SegmentText[] => [...sent, ...pending].map(([segment, text]) => ({ id: segment, text })),
    /** Takes up what an earlier page could not save any more. */
    recover: () => {
      if (recovered) return;
      recovered = true;
      for (const { id: segment, text, was } of readUnsaved(storage, id)) {
        if (owes(segment) || tidy(base.get(segment) ?? '') === tidy(text)) continue;
        base.set(segment, was);
        pending.set(segment, text);
      }
      wrote = true;
      keep();
      if (pending.size === 0) return;
      show({ saving: 'waiting' });
      saveSoon();
    },
    /** Ends a conflict; gives the text that is to stand where it is the one from here. */
    settleConflict: (segment: number, keepMine: boolean): SegmentText[] => {
      const conflict = state().conflicts.find((each) => each.id === segment);
      show({ conflicts: state().conflicts.filter((each) => each.id !== segment) });
      keep();
      return conflict !== undefined && keepMine ? [{ id: segment, text: conflict.mine }] : [];
    },
  };
};
