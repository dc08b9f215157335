import type { z } from 'zod';
import { createStore } from 'zustand/vanilla';
import { ApiError, type Client } from '../../../electron/contract/client.ts';
import type { AnalyzeTranscript, Transcription } from '../../../electron/contract/transcript.ts';
import type { PatchTranscript } from '../../../electron/contract/transcript-edits.ts';
import { isAbort } from '../../api/errors.ts';
import { createAutosave, NOTHING_UNSAVED, type SaveState } from './autosave.ts';
import { type Change, createHistory, type HistoryState, NO_HISTORY, type Step } from './history.ts';
import { buildDoc, type Doc, wordsBySegment } from './model/document.ts';
import { editDoc, type SegmentText, segmentTexts } from './model/edit.ts';
import type { SpokenPart } from './model/spoken-parts.ts';
import { createServerEdits, type Send } from './server-edits.ts';
import { removeUnsavedEdits } from './unsaved-edits.ts';

type TimesOfSegment = NonNullable<PatchTranscript['segments']>[number];
type PlanTimes = (transcript: Transcription, doc: Doc) => TimesOfSegment;

type SpeakerChange = {
  readonly name?: string;
  readonly remember?: boolean;
  readonly color?: number | null;
};

type TranscriptState = SaveState &
  HistoryState & {
    readonly transcript: Transcription | undefined;
    readonly doc: Doc | undefined;
    readonly error: unknown;
    /** What the server can undo and redo beyond the stacks: edits before the page was opened, and before a split. */
    readonly beyond: { readonly undo: boolean; readonly redo: boolean };
  };

/** What Undo and Redo can do now. While a text is being saved, only the page's own steps are known. */
export const canUndo = ({ undoStack, saving, beyond }: TranscriptState): boolean =>
  undoStack.length > 0 || (saving === 'saved' && beyond.undo);
export const canRedo = ({ redoStack, saving, beyond }: TranscriptState): boolean =>
  redoStack.length > 0 || (saving === 'saved' && beyond.redo);

/** True while a finished transcript is being analyzed again; its text is complete. */
export const isReanalyzing = (transcript: Transcription | undefined): boolean =>
  transcript?.status === 'processing' && transcript.duration > 0 && transcript.segments.length > 0;

const hasSameSegments = (a: Doc, b: Doc): boolean =>
  a.segments.length === b.segments.length &&
  a.segments.every(({ text, start }, index) => {
    const other = b.segments[index];
    // An edit changes the text or the times; where both differ, it is another segment.
    return other !== undefined && (text === other.text || start === other.start);
  });

const changedSegments = (a: Doc, b: Doc): Set<number> =>
  new Set(
    a.segments.filter(({ text }, index) => text !== b.segments[index]?.text).map((segment) => segment.id),
  );

/** An open transcript: its document, its edits with undo, and autosave. */
export const createTranscriptEditor = (client: Client, id: string, storage: Storage) => {
  const store = createStore<TranscriptState>(() => ({
    ...NOTHING_UNSAVED,
    ...NO_HISTORY,
    transcript: undefined,
    doc: undefined,
    error: undefined,
    beyond: { undo: false, redo: false },
  }));
  let isEditing = false;
  // The server's transcript changed while an edit was in progress.
  let isStale = false;
  // Number of own changes whose events have not arrived yet.
  let pendingEchoes = 0;

  const serverEdits = createServerEdits({
    client,
    id,
    onStep: () => {
      pendingEchoes++;
    },
    onNote: () => {
      const has = (direction: 'undo' | 'redo') => serverEdits.beyond(direction) !== undefined;
      store.setState({ beyond: { undo: has('undo'), redo: has('redo') } });
    },
  });

  const withUnsavedEdits = (doc: Doc): Doc => {
    const texts = autosave.unsaved();
    return texts.length === 0 ? doc : editDoc(doc, texts);
  };
  const showDoc = (transcript: Transcription, segments: Transcription['segments']) => {
    const hasJobEdited = serverEdits.note(transcript);
    autosave.setBaseTexts(transcript);
    const doc = withUnsavedEdits(buildDoc(transcript, segments));
    const { doc: shown } = store.getState();
    // Undo refers to segments, which may have been split or joined, and must not take back an edit made elsewhere.
    // A job's edit is later than this page's steps, and is undone first.
    if (shown === undefined || hasJobEdited || !hasSameSegments(shown, doc)) history.clear();
    else history.forget(changedSegments(shown, doc));
    store.setState({ transcript, doc, error: undefined });
  };

  /** Shows the server's transcript; fetches word times if it has none. */
  const show = async (transcript: Transcription, signal?: AbortSignal) => {
    const lacksWordTimes = transcript.segments.some((segment) => segment.words === undefined);
    if (lacksWordTimes && isReanalyzing(transcript) && store.getState().doc !== undefined) {
      store.setState({ transcript });
      return;
    }
    if (lacksWordTimes && transcript.status === 'completed') {
      const { data } = await client.call('getSentences', { params: { id }, signal });
      showDoc(transcript, wordsBySegment(transcript.segments, data.sentences));
    } else showDoc(transcript, transcript.segments);
  };

  const autosave = createAutosave({
    client,
    id,
    storage,
    getState: store.getState,
    setState: store.setState,
    // During an edit keep the document, which is newer than the answer.
    onStored: serverEdits.noteOwn,
    onSaved: (transcript) => {
      if (isEditing) store.setState({ transcript });
      else {
        isStale = false;
        void show(transcript);
      }
    },
    onConflict: (transcript) => {
      isStale = false;
      history.clear();
      void show(transcript);
    },
    onRequest: () => {
      pendingEchoes++;
    },
    onFailure: () => {
      pendingEchoes = Math.max(0, pendingEchoes - 1);
    },
  });

  const apply = (changes: readonly SegmentText[]) => {
    const { doc } = store.getState();
    if (doc === undefined || changes.length === 0) return;
    const edited = editDoc(doc, changes);
    store.setState({ doc: edited });
    autosave.queue(
      segmentTexts(
        edited,
        changes.map((each) => each.id),
      ),
    );
  };

  const load = async (signal?: AbortSignal) => {
    isStale = false;
    try {
      const transcript = await client.call('getTranscript', { params: { id }, signal });
      await show(transcript, signal);
      if (transcript.status === 'completed') {
        autosave.restore();
        const { doc } = store.getState();
        if (doc !== undefined) store.setState({ doc: withUnsavedEdits(doc) });
      }
    } catch (error) {
      if (isAbort(error)) return;
      if (error instanceof ApiError && error.status === 404) removeUnsavedEdits(storage, id);
      store.setState({ error });
    }
  };
  const reloadWhenIdle = () => {
    if (isEditing || store.getState().saving !== 'saved') isStale = true;
    else void load();
  };

  /** Sends a change other than text edits; `send` resolves with the changed transcript. Returns the edit's number. */
  const change = async (send: Send): Promise<number | undefined> => {
    pendingEchoes++;
    try {
      const transcript = await send();
      const number = serverEdits.noteOwn(transcript);
      await show(transcript);
      return number;
    } catch (error) {
      pendingEchoes = Math.max(0, pendingEchoes - 1);
      throw error;
    }
  };
  const sendName = (name: string) =>
    change(() => client.call('patchTranscript', { params: { id }, body: { name } }));
  const rename = async (name: string) => {
    const before = store.getState().transcript?.name;
    await noteEdit(sendName(name));
    if (before !== undefined) history.record({ before: { name: before }, after: { name } });
  };

  const perform = async (step: Step) => {
    if ('segments' in step) {
      apply(step.segments);
      return;
    }
    if ('name' in step) {
      await sendName(step.name);
      return;
    }
    await autosave.save();
    await change(() =>
      'undo' in step ? serverEdits.undo(step.undo) : serverEdits.redo(step.redo, step.send),
    );
  };
  const beyond = async (direction: 'undo' | 'redo'): Promise<Step | undefined> => {
    // A text that waits to be saved changes what is next.
    await autosave.save();
    const number = serverEdits.beyond(direction);
    if (number === undefined) return undefined;
    return direction === 'undo' ? { undo: { number } } : { redo: { number } };
  };
  const history = createHistory({ getState: store.getState, setState: store.setState, perform, beyond });
  /** Takes a step of the history. After a conflict the next step follows the server's history. */
  const step = async (move: () => Promise<void>) => {
    try {
      await move();
    } catch (error) {
      if (error instanceof ApiError && error.code === 'conflict') {
        history.clear();
        await load();
      }
      throw error;
    }
  };

  // Undo waits for it: an edit whose answer is still due is the one to take back.
  let lastEdit: Promise<unknown> = Promise.resolve();
  const noteEdit = <T>(edit: Promise<T>): Promise<T> => {
    lastEdit = edit.catch(() => undefined);
    return edit;
  };
  /** Makes an edit on the server, which can be undone there; saves pending texts first, which come before it. */
  const editOnServer = (send: Send): Promise<Change | undefined> => noteEdit(makeEdit(send));
  const makeEdit = async (send: Send): Promise<Change | undefined> => {
    await autosave.save();
    const number = await change(send);
    if (number === undefined) return undefined;
    const edit = { number };
    const done = { before: { undo: edit }, after: { redo: edit, send } };
    history.record(done);
    return done;
  };

  /** Gives words to a speaker of this transcript. */
  const assignSpeaker = (parts: readonly SpokenPart[], speaker: string) =>
    editOnServer(() => {
      const segments = parts.map((part) => ({
        id: part.id,
        speaker_id: speaker,
        was_speaker_id: part.speaker,
        ...(part.words === undefined ? {} : { words: part.words }),
      }));
      return client.call('patchTranscript', { params: { id }, body: { segments } });
    });

  /** Throws after a conflict, too, when what is stored is shown. */
  const moveBorder = async (plan: PlanTimes): Promise<void> => {
    await autosave.save();
    const { transcript, doc } = store.getState();
    if (transcript === undefined || doc === undefined) return;
    const segments = [plan(transcript, doc)];
    try {
      await editOnServer(() => client.call('patchTranscript', { params: { id }, body: { segments } }));
    } catch (error) {
      if (error instanceof ApiError && error.code === 'conflict') await load();
      throw error;
    }
  };

  return {
    store,
    load,
    /** Handles an event of this transcript; ignores the events of own changes. */
    handleEvent: (type: 'changed' | 'other') => {
      if (type === 'changed' && pendingEchoes > 0) {
        pendingEchoes--;
        return;
      }
      if (store.getState().saving === 'failed') void autosave.save();
      reloadWhenIdle();
    },
    /** Retries a failed save after a reconnect; events of own changes may have been missed. */
    handleReconnect: () => {
      pendingEchoes = 0;
      if (store.getState().saving === 'failed') void autosave.save();
    },
    /** Appends new segments of a running job, starting at index `from`. */
    appendSegments: (from: number, added: Transcription['segments']) => {
      const { transcript } = store.getState();
      if (transcript === undefined || transcript.status !== 'processing' || added.length === 0) return;
      const segments = [...transcript.segments.slice(0, from), ...added];
      store.setState({ transcript: { ...transcript, segments } });
    },
    show: (transcript: Transcription) => void show(transcript),
    setEditing: (on: boolean) => {
      isEditing = on;
      if (!on && isStale && store.getState().saving === 'saved') void load();
    },
    /** Saves the text of an edit in progress without changing the document. */
    saveDraft: autosave.queue,
    /** Applies an edit, adds it to the history and queues it for autosave; returns the change, if there is one. */
    edit: (after: readonly SegmentText[], before?: readonly SegmentText[]): Change | undefined => {
      const { doc } = store.getState();
      if (doc === undefined || after.length === 0) return undefined;
      const old =
        before ??
        segmentTexts(
          doc,
          after.map((each) => each.id),
        );
      const change = { before: { segments: old }, after: { segments: after } };
      apply(after);
      history.record(change);
      return change;
    },
    undo: () => lastEdit.then(() => step(history.undo)),
    redo: () => lastEdit.then(() => step(history.redo)),
    /** Saves pending edits; there is nothing to undo afterwards. */
    close: () => {
      history.clear();
      return autosave.save();
    },
    save: autosave.save,
    /** Resolves a conflict with the local or the server's text. */
    resolveConflict: (segment: number, keepMine: boolean) => {
      // A resolution is no step of this page's history; the server's has it.
      history.clear();
      apply(autosave.resolveConflict(segment, keepMine));
    },
    /** `remember` stores the speaker's voice for later recordings; Undo takes back the name, not the voice. */
    changeSpeaker: (speaker: string, given: SpeakerChange) =>
      editOnServer(() =>
        client.call('patchTranscript', { params: { id }, body: { speakers: { [speaker]: given } } }),
      ),
    assignSpeaker,
    /** Makes a new speaker of words of another one. */
    splitSpeaker: (from: string, parts: readonly SpokenPart[]) =>
      editOnServer(() => {
        const segments = parts.map((part) =>
          part.words === undefined ? part.id : { id: part.id, words: part.words },
        );
        return client.call('splitSpeaker', { params: { id }, body: { from, segments } });
      }),
    mergeSpeakers: (from: string, into: string) =>
      editOnServer(() => client.call('mergeSpeakers', { params: { id }, body: { from, into } })),
    /** Gives words of several speakers to one who is new. */
    assignNewSpeaker: async (parts: readonly SpokenPart[]) => {
      await editOnServer(() => client.call('addSpeaker', { params: { id }, body: {} }));
      const added = Object.keys(store.getState().transcript?.speakers ?? {}).at(-1);
      return added === undefined ? undefined : assignSpeaker(parts, added);
    },
    /** Moves a border of a word or a subtitle; `plan` makes the request of what is shown when it is sent. */
    moveBorder: (plan: PlanTimes): Promise<void> => noteEdit(moveBorder(plan)),
    addSpeaker: () => editOnServer(() => client.call('addSpeaker', { params: { id }, body: {} })),
    rename,
    /** Requests analyses of the current text; saves pending edits first. */
    analyze: async (request: z.input<typeof AnalyzeTranscript>) => {
      await autosave.save();
      serverEdits.expectJob(true);
      try {
        await change(() => client.call('analyzeTranscript', { params: { id }, body: request }));
      } catch (error) {
        serverEdits.expectJob(false);
        throw error;
      }
    },
  };
};
export type TranscriptEditor = ReturnType<typeof createTranscriptEditor>;
