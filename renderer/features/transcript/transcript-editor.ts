import type { z } from 'zod';
import { createStore } from 'zustand/vanilla';
import { ApiError, type Client } from '../../../electron/contract/client.ts';
import type { AnalyzeTranscript, Transcription } from '../../../electron/contract/transcript.ts';
import type { PatchTranscript } from '../../../electron/contract/transcript-edits.ts';
import { isAbort } from '../../api/errors.ts';
import { createAutosave, NOTHING_UNSAVED, type SaveState } from './autosave.ts';
import { buildDoc, type Doc } from './model/document.ts';
import { editDoc, type SegmentText, segmentTexts } from './model/edit.ts';
import type { SpokenPart } from './model/spoken-parts.ts';
import { createOwnEdits, type NextEdits } from './own-edits.ts';
import { createServerCopy, type EditRequest, lacksWords } from './server-copy.ts';
import { removeUnsavedEdits } from './unsaved-edits.ts';

type TimesOfSegment = NonNullable<PatchTranscript['segments']>[number];
type PlanTimes = (transcript: Transcription, doc: Doc) => TimesOfSegment;

type SpeakerChange = {
  readonly name?: string;
  readonly remember?: boolean;
  readonly color?: number | null;
};

type TranscriptState = SaveState & {
  readonly transcript: Transcription | undefined;
  readonly doc: Doc | undefined;
  readonly error: unknown;
  /** What Undo and Redo take next in the server's history, once all texts are saved. */
  readonly next: NextEdits;
  /** Whether this page has made an edit. */
  readonly hasEdited: boolean;
};

/** What Undo and Redo can do now. A text that is not saved yet is undone first. */
export const canUndo = ({ saving, next }: TranscriptState): boolean =>
  saving === 'waiting' || saving === 'saving' || next.undo !== undefined;
export const canRedo = ({ saving, next }: TranscriptState): boolean =>
  saving === 'saved' && next.redo !== undefined;

/** Before the words that are far from the first place are fetched. */
const REST_AFTER_MS = 300;

/** True while a finished transcript is being analyzed again; its text is complete. */
export const isReanalyzing = (transcript: Transcription | undefined): boolean =>
  transcript?.status === 'processing' && transcript.duration > 0 && transcript.segments.length > 0;

/** Whether there is a text to read, play and export: of a finished job, or of one that its user stopped. */
export const isReadable = (transcript: Transcription | undefined): boolean =>
  transcript !== undefined &&
  (transcript.status === 'completed' ||
    isReanalyzing(transcript) ||
    (transcript.status_reason === 'cancelled' && transcript.segments.length > 0));

/** An open transcript: its document, its edits, which the server can undo, and autosave. */
export const createTranscriptEditor = (client: Client, id: string, storage: Storage) => {
  const store = createStore<TranscriptState>(() => ({
    ...NOTHING_UNSAVED,
    transcript: undefined,
    doc: undefined,
    error: undefined,
    next: { undo: undefined, redo: undefined },
    hasEdited: false,
  }));
  let isEditing = false;
  // The server's transcript changed while an edit was in progress.
  let isStale = false;
  // Changes of one group are one step of the history.
  let group = 1;

  const server = createServerCopy({ client, id, onForeignChange: () => reloadWhenIdle() });
  const ownEdits = createOwnEdits();
  const note = (transcript: Transcription, isOwn: boolean) =>
    store.setState({ next: ownEdits.note(transcript, isOwn), ...(isOwn ? { hasEdited: true } : {}) });

  const withUnsavedEdits = (doc: Doc): Doc => {
    const texts = autosave.unsaved();
    return texts.length === 0 ? doc : editDoc(doc, texts);
  };
  const show = (transcript: Transcription) => {
    const hasAllWords = transcript.segments.every((segment) => segment.words !== undefined);
    if (!hasAllWords && isReanalyzing(transcript) && store.getState().doc !== undefined) {
      store.setState({ transcript });
      return;
    }
    autosave.setBaseTexts(transcript);
    store.setState({ transcript, doc: withUnsavedEdits(buildDoc(transcript)), error: undefined });
  };
  const showForeign = (transcript: Transcription) => {
    note(transcript, false);
    show(transcript);
  };

  const autosave = createAutosave({
    id,
    storage,
    patch: (body) => server.send((to) => client.send('patchTranscript', { ...to, body })),
    load: server.load,
    getState: store.getState,
    setState: store.setState,
    onStored: (transcript) => note(transcript, true),
    // During an edit keep the document, which is newer than the answer.
    onSaved: (transcript) => {
      if (isEditing) store.setState({ transcript });
      else {
        isStale = false;
        show(transcript);
      }
    },
    onConflict: (transcript) => {
      isStale = false;
      showForeign(transcript);
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
      group,
    );
  };

  const load = async (signal?: AbortSignal, near?: number) => {
    isStale = false;
    try {
      const transcript = await server.load(signal, near);
      showForeign(transcript);
      if (isReadable(transcript) && lacksWords(transcript)) {
        // After the text is shown, which the reader of a long recording does not wait for.
        setTimeout(() => {
          if (signal?.aborted !== true) reloadWhenIdle();
        }, REST_AFTER_MS);
      }
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

  /** Sends an edit and shows what it made of the transcript. */
  const change = async (request: EditRequest): Promise<void> => {
    const transcript = await server.send(request);
    note(transcript, true);
    show(transcript);
  };

  // One after the other: Undo waits for an edit whose answer is still due, which is the one to take back.
  let lastEdit: Promise<unknown> = Promise.resolve();
  const noteEdit = <T>(edit: Promise<T>): Promise<T> => {
    lastEdit = edit.catch(() => undefined);
    return edit;
  };
  /** Makes an edit; saves pending texts first, which come before it. Returns its id in the history, if it changed anything. */
  const edit = (request: EditRequest): Promise<number | undefined> => noteEdit(makeEdit(request));
  const makeEdit = async (request: EditRequest): Promise<number | undefined> => {
    await autosave.save();
    const before = store.getState().next.undo;
    await change(request);
    const { undo } = store.getState().next;
    return undo === before ? undefined : undo;
  };
  const patch = (body: z.input<typeof PatchTranscript>) =>
    edit((to) => client.send('patchTranscript', { ...to, body }));
  const turn = async (direction: 'undo' | 'redo') => {
    // A text that waits to be saved changes what is next.
    await autosave.save();
    const { saving, next } = store.getState();
    const number = next[direction];
    if (saving === 'failed' || number === undefined) return;
    try {
      await change((to) => client.send(`${direction}Edit`, { ...to, body: { edit: number } }));
    } catch (error) {
      if (error instanceof ApiError && error.code === 'conflict') await load();
      throw error;
    }
  };

  /** Gives words to a speaker of this transcript. */
  const assignSpeaker = (parts: readonly SpokenPart[], speaker: string) => {
    const segments = parts.map((part) => ({
      id: part.id,
      speaker_id: speaker,
      was_speaker_id: part.speaker,
      ...(part.words === undefined ? {} : { words: part.words }),
    }));
    return patch({ segments });
  };

  /** Starts a job with the saved text. */
  const startJob = async (send: () => Promise<Transcription>): Promise<void> => {
    await autosave.save();
    ownEdits.expectJob(true);
    try {
      const transcript = await send();
      server.put(transcript);
      showForeign(transcript);
    } catch (error) {
      ownEdits.expectJob(false);
      throw error;
    }
  };

  /** Throws after a conflict, too, when what is stored is shown. */
  const moveBorder = async (plan: PlanTimes): Promise<void> => {
    await autosave.save();
    const { transcript, doc } = store.getState();
    if (transcript === undefined || doc === undefined) return;
    try {
      const body = { segments: [plan(transcript, doc)] };
      await change((to) => client.send('patchTranscript', { ...to, body }));
    } catch (error) {
      if (error instanceof ApiError && error.code === 'conflict') await load();
      throw error;
    }
  };

  return {
    store,
    load,
    /** Handles an event of this transcript; ignores what this page knows. */
    handleEvent: (revision: number) => {
      if (store.getState().saving === 'failed') void autosave.save();
      server.see(revision);
    },
    /** Retries after a reconnect what failed: a save, or the rest of the words. */
    handleReconnect: () => {
      const { saving, transcript } = store.getState();
      if (saving === 'failed') void autosave.save();
      if (transcript !== undefined && isReadable(transcript) && lacksWords(transcript)) reloadWhenIdle();
    },
    /** Appends new segments of a running job, starting at index `from`. */
    appendSegments: (from: number, added: Transcription['segments']) => {
      const { transcript } = store.getState();
      if (transcript === undefined || transcript.status !== 'processing' || added.length === 0) return;
      const segments = [...transcript.segments.slice(0, from), ...added];
      store.setState({ transcript: { ...transcript, segments } });
    },
    /** Shows an answer other than that of an edit. */
    show: (transcript: Transcription) => {
      server.put(transcript);
      showForeign(transcript);
    },
    setEditing: (on: boolean) => {
      isEditing = on;
      if (on) group++;
      else if (isStale && store.getState().saving === 'saved') void load();
    },
    /** Saves the text of an edit in progress without changing the document. */
    saveDraft: (changes: readonly SegmentText[]) => autosave.queue(changes, group),
    /** Applies the edit in progress, as one step of the history with its drafts. */
    finishEdit: apply,
    /** Applies an edit and queues it for autosave. */
    edit: (changes: readonly SegmentText[]) => {
      group++;
      apply(changes);
    },
    undo: () => noteEdit(lastEdit.then(() => turn('undo'))),
    redo: () => noteEdit(lastEdit.then(() => turn('redo'))),
    close: autosave.save,
    save: autosave.save,
    /** Saves pending edits; resolves to the id of the last one in the history, undefined after a failure. */
    saved: async (): Promise<number | undefined> => {
      await autosave.save();
      const { saving, next } = store.getState();
      return saving === 'saved' ? next.undo : undefined;
    },
    /** Resolves a conflict with the local or the server's text. */
    resolveConflict: (segment: number, keepMine: boolean) => {
      group++;
      apply(autosave.resolveConflict(segment, keepMine));
    },
    /** `remember` stores the speaker's voice for later recordings; Undo takes back the name, not the voice. */
    changeSpeaker: (speaker: string, given: SpeakerChange) => patch({ speakers: { [speaker]: given } }),
    assignSpeaker,
    /** Makes a new speaker of words of another one. */
    splitSpeaker: (from: string, parts: readonly SpokenPart[]) => {
      const segments = parts.map((part) =>
        part.words === undefined ? part.id : { id: part.id, words: part.words },
      );
      return edit((to) => client.send('splitSpeaker', { ...to, body: { from, segments } }));
    },
    mergeSpeakers: (from: string, into: string) =>
      edit((to) => client.send('mergeSpeakers', { ...to, body: { from, into } })),
    /** Gives words of several speakers to one who is new. */
    assignNewSpeaker: async (parts: readonly SpokenPart[]) => {
      await edit((to) => client.send('addSpeaker', { ...to, body: {} }));
      const added = Object.keys(store.getState().transcript?.speakers ?? {}).at(-1);
      return added === undefined ? undefined : assignSpeaker(parts, added);
    },
    /** Moves a border of a word or a subtitle; `plan` makes the request of what is shown when it is sent. */
    moveBorder: (plan: PlanTimes): Promise<void> => noteEdit(moveBorder(plan)),
    addSpeaker: () => edit((to) => client.send('addSpeaker', { ...to, body: {} })),
    rename: (name: string) => patch({ name }),
    /** Requests analyses of the current text; saves pending edits first. */
    analyze: (body: z.input<typeof AnalyzeTranscript>) =>
      startJob(() => client.call('analyzeTranscript', { params: { id }, body })),
    /** Hides words for good, or shows hidden ones again; `[]` counts what private data is still in the text. */
    redact: (parts: readonly SpokenPart[], isPrivate: boolean) =>
      startJob(() => {
        const { doc } = store.getState();
        const segments = parts.map((part) => ({
          id: part.id,
          was: doc?.segments[part.id]?.text,
          ...(part.words === undefined ? {} : { words: part.words }),
        }));
        return client.call('redactWords', { params: { id }, body: { segments, private: isPrivate } });
      }),
  };
};
export type TranscriptEditor = ReturnType<typeof createTranscriptEditor>;
