import type { z } from 'zod';
import { createStore } from 'zustand/vanilla';
import { ApiError, type Client } from '../../../electron/contract/client.ts';
import type { AnalyzeTranscript, Transcription } from '../../../electron/contract/transcript.ts';
import { isAbort } from '../../lib/errors.ts';
import { buildDoc, type Doc, wordsBySegment } from './model/document.ts';
import { editDoc, type SegmentText, textsOf } from './model/edit.ts';
import { createSaving, SAVED, type SavingState } from './saving.ts';
import { writeUnsaved } from './unsaved.ts';

type Change = { readonly before: readonly SegmentText[]; readonly after: readonly SegmentText[] };

type SpeakerNaming = string | { readonly name: string; readonly remember: boolean };

export type TranscriptState = SavingState & {
  readonly transcript: Transcription | undefined;
  readonly doc: Doc | undefined;
  readonly error: unknown;
  readonly past: readonly Change[];
  readonly future: readonly Change[];
};

/** Whether a finished transcript is being analysed again: its words are there, only the findings are on their way. */
export const isAnalysedAgain = (transcript: Transcription | undefined): boolean =>
  transcript?.status === 'processing' && transcript.duration > 0 && transcript.segments.length > 0;

const sameSegments = (a: Doc | undefined, b: Doc): boolean =>
  a !== undefined &&
  a.segments.length === b.segments.length &&
  a.segments.every((segment, index) => segment.start === b.segments[index]?.start);

/** One open transcript: its document, its corrections with undo, and their way to the server. */
export const createTranscriptStore = (client: Client, id: string, storage: Storage) => {
  const store = createStore<TranscriptState>(() => ({
    ...SAVED,
    transcript: undefined,
    doc: undefined,
    error: undefined,
    past: [],
    future: [],
  }));
  let editing = false;
  // Something changed elsewhere while the page could not take it up.
  let stale = false;
  // Changes made here of which the event has not come back yet.
  let echoes = 0;

  const withUnsaved = (doc: Doc): Doc => {
    const texts = saving.unsaved();
    return texts.length === 0 ? doc : editDoc(doc, texts);
  };
  const showDoc = (transcript: Transcription, segments: Transcription['segments']) => {
    saving.learn(transcript);
    const doc = withUnsaved(buildDoc(transcript, segments));
    // Segments that were split or joined make the way back lead elsewhere.
    const kept = sameSegments(store.getState().doc, doc) ? {} : { past: [], future: [] };
    store.setState({ transcript, doc, error: undefined, ...kept });
  };

  /** Shows a transcript as the server tells it; fetches word times where it has none. */
  const take = async (transcript: Transcription, signal?: AbortSignal) => {
    const bare = transcript.segments.some((segment) => segment.words === undefined);
    if (bare && isAnalysedAgain(transcript) && store.getState().doc !== undefined) {
      store.setState({ transcript });
      return;
    }
    if (bare && transcript.status === 'completed') {
      const { data } = await client.call('getSentences', {
        params: { id },
        ...(signal === undefined ? {} : { signal }),
      });
      showDoc(transcript, wordsBySegment(transcript.segments, data.sentences));
    } else showDoc(transcript, transcript.segments);
  };

  const saving = createSaving({
    client,
    id,
    storage,
    state: store.getState,
    show: store.setState,
    // What is being typed is newer than the answer: the answer's document waits for the end of the edit.
    onSaved: (transcript) => {
      if (editing) store.setState({ transcript });
      else {
        stale = false;
        void take(transcript);
      }
    },
    onConflict: (transcript) => {
      stale = false;
      store.setState({ past: [], future: [] });
      void take(transcript);
    },
    onSend: (refused) => {
      echoes = Math.max(0, echoes + (refused ? -1 : 1));
    },
  });

  const apply = (changes: readonly SegmentText[]) => {
    const { doc } = store.getState();
    if (doc === undefined || changes.length === 0) return;
    store.setState({ doc: editDoc(doc, changes) });
    saving.queue(changes);
  };

  const load = async (signal?: AbortSignal) => {
    stale = false;
    try {
      const transcript = await client.call('getTranscript', {
        params: { id },
        ...(signal === undefined ? {} : { signal }),
      });
      await take(transcript, signal);
      if (transcript.status === 'completed') {
        saving.recover();
        const { doc } = store.getState();
        if (doc !== undefined) store.setState({ doc: withUnsaved(doc) });
      }
    } catch (error) {
      if (isAbort(error)) return;
      if (error instanceof ApiError && error.status === 404) writeUnsaved(storage, id, []);
      store.setState({ error });
    }
  };
  const catchUp = () => {
    if (editing || store.getState().saving !== 'saved') stale = true;
    else void load();
  };

  /** Sends a change that is no correction of text; the answer is the transcript as it is then. */
  const change = async (send: () => Promise<Transcription>) => {
    echoes++;
    try {
      await take(await send());
    } catch (error) {
      echoes = Math.max(0, echoes - 1);
      throw error;
    }
  };
  const patch = (body: { name: string } | { speakers: Record<string, SpeakerNaming> }) =>
    change(() => client.call('patchTranscript', { params: { id }, body }));

  return {
    store,
    load,
    /** Takes up what happened elsewhere; the event of a change made here says nothing new. */
    follow: (type: 'changed' | 'other') => {
      if (type === 'changed' && echoes > 0) {
        echoes--;
        return;
      }
      if (store.getState().saving === 'failed') void saving.save();
      catchUp();
    },
    /** The connection is there again: what could not be saved is, and events may have been missed. */
    reconnected: () => {
      echoes = 0;
      if (store.getState().saving === 'failed') void saving.save();
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
      if (!on && stale && store.getState().saving === 'saved') void load();
    },
    /** Saves what is being typed without touching the page. */
    draft: saving.queue,
    /** Makes a correction: shown at once, undoable, saved a moment later. */
    edit: (after: readonly SegmentText[], before?: readonly SegmentText[]) => {
      const { doc, past } = store.getState();
      if (doc === undefined || after.length === 0) return;
      const old =
        before ??
        textsOf(
          doc,
          after.map((each) => each.id),
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
    save: saving.save,
    /** Ends a conflict with the text from here, or with the other. */
    settleConflict: (segment: number, keepMine: boolean) => apply(saving.settleConflict(segment, keepMine)),
    /** With `remember` the voice is remembered, too, for later recordings. */
    renameSpeaker: (speaker: string, name: string, remember = false) =>
      patch({ speakers: { [speaker]: remember ? { name, remember } : name } }),
    rename: (name: string) => patch({ name }),
    /** Asks for further analyses of the words that are here, the corrected ones included. */
    analyze: async (asked: z.input<typeof AnalyzeTranscript>) => {
      await saving.save();
      await change(() => client.call('analyzeTranscript', { params: { id }, body: asked }));
    },
  };
};
export type TranscriptStore = ReturnType<typeof createTranscriptStore>;
