import { createStore } from 'zustand/vanilla';
import type { Client } from '../../../electron/contract/client.ts';
import type { Transcription } from '../../../electron/contract/transcript.ts';
import { debounce } from '../../lib/debounce.ts';
import { isAbort } from '../../lib/errors.ts';
import { buildDoc, type Doc, wordsBySegment } from './model/document.ts';
import { editDoc, type SegmentText, textsOf } from './model/edit.ts';

type Change = { readonly before: readonly SegmentText[]; readonly after: readonly SegmentText[] };

export type TranscriptState = {
  readonly transcript: Transcription | undefined;
  readonly doc: Doc | undefined;
  readonly error: unknown;
  readonly saving: 'saved' | 'waiting' | 'saving' | 'failed';
  readonly saveError: unknown;
  readonly past: readonly Change[];
  readonly future: readonly Change[];
};

const AUTOSAVE_MS = 700;
const OWN_ECHO_MS = 1500;

/** One open transcript: its document, its corrections with undo, and their way to the server. */
export const createTranscriptStore = (client: Client, id: string) => {
  const store = createStore<TranscriptState>(() => ({
    transcript: undefined,
    doc: undefined,
    error: undefined,
    saving: 'saved',
    saveError: undefined,
    past: [],
    future: [],
  }));
  const pending = new Map<number, string>();
  let busy: Promise<void> = Promise.resolve();
  let editing = false;
  let savedAt = 0;

  /** Shows a transcript as the server tells it; fetches word times where it has none. */
  const take = async (transcript: Transcription, signal?: AbortSignal) => {
    let { segments } = transcript;
    const bare = segments.some((segment) => segment.words === undefined);
    if (transcript.status === 'completed' && bare) {
      const { data } = await client.call('getSentences', {
        params: { id },
        ...(signal === undefined ? {} : { signal }),
      });
      segments = wordsBySegment(segments, data.sentences);
    }
    store.setState({ transcript, doc: buildDoc(transcript, segments), error: undefined });
  };

  const sendPending = async () => {
    if (pending.size === 0) return;
    const segments = [...pending].map(([segment, text]) => ({ id: segment, text }));
    pending.clear();
    store.setState({ saving: 'saving' });
    try {
      const transcript = await client.call('patchTranscript', { params: { id }, body: { segments } });
      savedAt = Date.now();
      if (pending.size > 0) return;
      store.setState({ saving: 'saved', saveError: undefined });
      // What is being typed is newer than the answer: the answer's document waits for the end of the edit.
      if (editing) store.setState({ transcript });
      else await take(transcript);
    } catch (error) {
      for (const segment of segments) {
        if (!pending.has(segment.id)) pending.set(segment.id, segment.text);
      }
      store.setState({ saving: 'failed', saveError: error });
    }
  };
  const save = () => {
    busy = busy.then(sendPending);
    return busy;
  };
  const saveSoon = debounce(() => void save(), AUTOSAVE_MS);

  const queue = (changes: readonly SegmentText[]) => {
    for (const change of changes) pending.set(change.id, change.text);
    store.setState({ saving: 'waiting' });
    saveSoon();
  };

  const apply = (changes: readonly SegmentText[]) => {
    const { doc } = store.getState();
    if (doc === undefined) return;
    store.setState({ doc: editDoc(doc, changes) });
    queue(changes);
  };

  const load = async (signal?: AbortSignal) => {
    try {
      const transcript = await client.call('getTranscript', {
        params: { id },
        ...(signal === undefined ? {} : { signal }),
      });
      await take(transcript, signal);
    } catch (error) {
      if (!isAbort(error)) store.setState({ error });
    }
  };

  return {
    store,
    load,
    /** Takes up what happened elsewhere; what happened here comes back by itself. */
    follow: () => {
      const own = Date.now() - savedAt < OWN_ECHO_MS;
      if (!editing && !own && store.getState().saving === 'saved') void load();
    },
    /** Adds what was recognised since the last event to the text of a running job. */
    grow: (from: number, more: Transcription['segments']) => {
      const { transcript } = store.getState();
      if (transcript === undefined || transcript.status !== 'processing' || more.length === 0) return;
      const segments = [...transcript.segments.slice(0, from), ...more];
      store.setState({ transcript: { ...transcript, segments } });
    },
    take: (transcript: Transcription) => void take(transcript),
    setEditing: (on: boolean) => {
      editing = on;
    },
    /** Saves what is being typed without touching the page. */
    draft: queue,
    /** Makes a correction: shown at once, undoable, saved a moment later. */
    edit: (after: readonly SegmentText[], before?: readonly SegmentText[]) => {
      const { doc, past } = store.getState();
      if (doc === undefined || after.length === 0) return;
      const old =
        before ??
        textsOf(
          doc,
          after.map((change) => change.id),
        );
      apply(after);
      store.setState({ past: [...past, { before: old, after }], future: [] });
    },
    undo: () => {
      const { past, future } = store.getState();
      const last = past.at(-1);
      if (last === undefined) return;
      apply(last.before);
      store.setState({ past: past.slice(0, -1), future: [...future, last] });
    },
    redo: () => {
      const { past, future } = store.getState();
      const next = future.at(-1);
      if (next === undefined) return;
      apply(next.after);
      store.setState({ past: [...past, next], future: future.slice(0, -1) });
    },
    save: () => {
      saveSoon.cancel();
      return save();
    },
    renameSpeaker: async (speaker: string, name: string) => {
      savedAt = Date.now();
      await take(
        await client.call('patchTranscript', { params: { id }, body: { speakers: { [speaker]: name } } }),
      );
    },
    rename: async (name: string) => {
      savedAt = Date.now();
      await take(await client.call('patchTranscript', { params: { id }, body: { name } }));
    },
  };
};
export type TranscriptStore = ReturnType<typeof createTranscriptStore>;
