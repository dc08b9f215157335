import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Transcription } from '../../../contract/transcript.ts';
import type {
  AddSpeaker,
  MergeSpeakers,
  PatchTranscript,
  SplitSpeaker,
} from '../../../contract/transcript-edits.ts';
import { type Clock, isoTime } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { createYielder } from '../../base/event-loop.ts';
import { KeyedLock } from '../../base/in-order.ts';
import { defaultName, nextLabel } from '../../base/speaker-names.ts';
import type { Analyzer } from '../../pipeline/findings/analyze.ts';
import { withWordSpeakers } from '../../pipeline/findings/speaker-words.ts';
import type { StoredAnalysis, Transcript } from '../../stores/codecs.ts';
import type { ReadableDb, WritableDb } from '../../stores/database.ts';
import {
  addEdit,
  type Direction,
  deleteEdits,
  deleteUndone,
  type EditKind,
  type EditPatch,
  encodePatch,
  findEdit,
  isAnalysisOutdated,
  isContinued,
  readPatch,
  readTextPatches,
  turnEdit,
} from '../../stores/edits.ts';
import { markForScrub } from '../../stores/scrub-mark.ts';
import { type IndexedText, prepareIndexedText, touchesIndex } from '../../stores/search.ts';
import {
  readSegment,
  readSegments,
  readSegmentTexts,
  replaceSpans,
  type SegmentSpan,
  type SegmentText,
  type StoredSegment,
} from '../../stores/segments.ts';
import { readSpeakerEmbeddings, replaceSpeakerEmbeddings } from '../../stores/speakers.ts';
import { updateTranscript } from '../../stores/transcripts.ts';
import type { SpeakerService } from '../speakers.ts';
import { learn, readLesson } from './corrections.ts';
import {
  editSegments,
  isTimeEdit,
  type Replacement,
  refuseUnknownSpeaker,
  type SegmentEdit,
} from './edited-segments.ts';
import { type FollowUpAnalyses, isSameText, nameSpeakers } from './follow-up.ts';
import { type PreparedEdit, prepareEdit } from './prepare-edit.ts';

/** Segments that are read, or written, before other requests are let in: 20 to 40 ms of work. */
const BATCH = 400;

type Merge = { readonly from: string; readonly into: string };
type MergeStep = {
  readonly replacements: readonly Replacement[];
  /** The place at which the next step goes on; undefined at the end. */
  readonly next: number | undefined;
};

/** Gives segments of one speaker to another, beginning at a place and ending if they are many. */
const mergeStep = async (
  db: ReadableDb,
  id: string,
  segments: readonly SegmentText[],
  { from, into }: Merge,
  start: number,
): Promise<MergeStep> => {
  const isTaken = (segment: StoredSegment): boolean =>
    segment.speaker_id === from || segment.words.some(({ speaker_id }) => speaker_id === from);
  const replacements: Replacement[] = [];
  for (let place = start; place < segments.length; place += BATCH) {
    for (const [index, segment] of readSegments(db, id, segments[place]?.id, BATCH).entries()) {
      if (!isTaken(segment)) continue;
      const speakerOf = (word: number) =>
        (segment.words[word]?.speaker_id ?? segment.speaker_id) === from ? into : undefined;
      const span = { at: place + index, count: 1, segments: withWordSpeakers(segment, speakerOf) };
      replacements.push({ span, replaced: [segment] });
    }
    const next = place + BATCH;
    if (replacements.length >= BATCH && next < segments.length) return { replacements, next };
    await nextTurn();
  }
  return { replacements, next: undefined };
};

/** The edits that give chosen segments of one speaker to another. */
const splitEdits = (from: string, to: string, chosen: SplitSpeaker['segments']): SegmentEdit[] =>
  chosen.map((each) => {
    const { id, words } = typeof each === 'number' ? { id: each, words: undefined } : each;
    return { id, speaker_id: to, was_speaker_id: from, ...(words === undefined ? {} : { words }) };
  });

/** The segments that a step in the history replaces; undefined if it does not fit the transcript. */
const patchReplacements = (
  db: ReadableDb,
  id: string,
  segments: readonly SegmentText[],
  { spans }: EditPatch,
): Replacement[] | undefined => {
  if (spans.some(({ at, count }) => at + count > segments.length)) return undefined;
  const replacements: Replacement[] = [];
  for (const span of spans) {
    const replaced: StoredSegment[] = [];
    for (const each of segments.slice(span.at, span.at + span.count)) {
      const segment = readSegment(db, id, each.id);
      if (segment !== undefined) replaced.push(segment);
    }
    replacements.push({ span, replaced });
  }
  return replacements;
};

/** What a person sees of segments. */
const visible = (segments: readonly StoredSegment[]) =>
  segments.map(({ text, speaker_id, words }) => ({
    text: text.trim(),
    speaker_id,
    starts: words.map(({ startsParagraph }) => startsParagraph ?? null),
  }));

/** Edits of the same segments that are looked through: a window saves what is being typed every second or two. */
const MAX_STEPS = 30;

/**
 * The steps in the history that come to the same as new texts: typing the old text again undoes the edits, with the times
 * and the confidence of its words.
 */
const matchingTurn = async (
  db: ReadableDb,
  id: string,
  replacements: readonly Replacement[],
): Promise<{ readonly direction: Direction; readonly steps: number } | undefined> => {
  if (replacements.length === 0) return undefined;
  const fits = ({ spans }: EditPatch): boolean =>
    spans.length === replacements.length &&
    spans.every(({ at, count }, index) => {
      const own = replacements[index]?.span;
      return own?.at === at && own.count === count;
    });
  const leadsThere = ({ spans }: EditPatch): boolean =>
    spans.every(({ segments }, index) =>
      isDeepStrictEqual(visible(replacements[index]?.span.segments ?? []), visible(segments)),
    );
  const directions: readonly Direction[] = ['undo', 'redo'];
  for (const direction of directions) {
    let steps = 0;
    for (const patch of readTextPatches(db, id, direction, MAX_STEPS)) {
      if (!fits(patch)) break;
      steps++;
      if (leadsThere(patch)) return { direction, steps };
      // One patch may hold 50,000 words.
      await nextTurn();
    }
  }
  return undefined;
};

type Deps = {
  readonly db: WritableDb;
  readonly clock: Clock;
  readonly analyze: Analyzer;
  readonly speakers: SpeakerService;
  readonly followUp: FollowUpAnalyses;
  /** The stored transcript of a user. Throws `transcript_not_found`. */
  readonly stored: (userId: string, id: string) => Transcript;
  readonly publishChange: (id: string) => void;
};

type Speakers = NonNullable<StoredAnalysis['speakers']>;

/** What an edit makes of a transcript, by its state before. */
type Plan = {
  readonly kind: EditKind;
  readonly replacements: readonly Replacement[];
  /** The transcript with a speaker who is new. */
  readonly base?: Transcript;
  /** Called in the transaction with the speakers after segments changed hands. Undefined for none. */
  readonly speakers?: (moved: Speakers | undefined, transcript: Transcript) => Speakers | undefined;
  /** Takes a step in the history instead of adding one. */
  readonly turn?: { readonly direction: Direction; readonly patch: EditPatch };
  /** Whether it continues the edit before it, with which it is undone and made again. */
  readonly follows?: boolean;
  /** The edit of texts that it continues if that is still the last one. */
  readonly continues?: number | undefined;
  /** False if another step is to follow. */
  readonly isLast?: boolean;
  /** Called when the step is stored. */
  readonly onStored?: () => void;
  readonly name?: string | undefined;
};

/** What an edit did to the stored transcript. */
export type EditOutcome = {
  /** The number of its revisions. */
  readonly updates: number;
  /** In the order in which they are applied; the places of each are those after the ones before. */
  readonly spans: readonly SegmentSpan[];
};

type Planner = (transcript: Transcript, segments: readonly SegmentText[]) => Plan | Promise<Plan>;

/** What an edit of several kinds is called: by its text, then by who speaks. */
const kindOf = ({ segments: edits = [], speakers, name }: PatchTranscript): EditKind => {
  if (edits.length === 0 && speakers === undefined && name !== undefined) return 'name';
  if (edits.some(({ text, paragraph_starts: starts }) => text !== undefined || starts !== undefined))
    return 'text';
  const isSpeakers = edits.some(({ speaker_id }) => speaker_id !== undefined);
  return !isSpeakers && edits.some(isTimeEdit) ? 'times' : 'speakers';
};

const notReady = (message: string) => new AppError('transcript_not_ready', message);

const presentEdit = (db: ReadableDb, id: string, direction: Direction) => {
  const edit = findEdit(db, id, direction);
  return edit === undefined
    ? null
    : { id: edit.number, kind: edit.kind, created_at: isoTime(edit.createdAt) };
};

/** What can be undone and redone; nothing if no one edited. */
export const editsOf = (db: ReadableDb, { id }: Transcript): Pick<Transcription, 'edits'> => {
  const edits = { undo: presentEdit(db, id, 'undo'), redo: presentEdit(db, id, 'redo') };
  return edits.undo === null && edits.redo === null ? {} : { edits };
};

/** What undoes the edit that an edit continues; undefined if it continues none. */
const continuedEdit = (db: ReadableDb, id: string, { kind, continues }: Plan): EditPatch | undefined => {
  const last = continues === undefined ? undefined : findEdit(db, id, 'undo');
  return last?.number === continues && last?.kind === kind ? readPatch(db, id, 'undo') : undefined;
};

/** Whether a patch also takes back a later edit of the same segments. */
const covers = (patch: EditPatch, { spans, speakers, name }: EditPatch): boolean =>
  speakers === undefined &&
  name === undefined &&
  spans.every(
    ({ at, count, segments }) =>
      count === segments.length &&
      patch.spans.some((earlier) => earlier.at <= at && at + count <= earlier.at + earlier.count),
  );

/** People's edits of transcripts: name, texts, paragraphs, times, and who speaks. One history for all, in which each can be undone. */
export class TranscriptEdits {
  readonly #deps: Deps;
  /** Runs the edits of one transcript one after the other. */
  readonly #running = new KeyedLock();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Applies a person's corrections: name, text, times and speakers of segments, names of speakers. The analyses of a long text
   * follow when the person pauses (`FollowUpAnalyses`).
   */
  change(userId: string, id: string, patch: PatchTranscript): Promise<EditOutcome> {
    const { db, speakers: service } = this.#deps;
    const { segments: edits = [], speakers: names, name } = patch;
    const isSpeakerEdit = edits.some(({ speaker_id }) => speaker_id !== undefined);
    const isRetiming = edits.some(isTimeEdit);
    const find = () => {
      if (isSpeakerEdit) return this.#completed(userId, id);
      return patch.segments === undefined ? this.#deps.stored(userId, id) : this.#finished(userId, id);
    };
    let current = edits;
    const plan: Planner = async (transcript, segments) => {
      const replacements = await editSegments(db, transcript, segments, current);
      await nextTurn();
      const isTextAlone = names === undefined && !isSpeakerEdit && !isRetiming;
      const turn = isTextAlone ? await matchingTurn(db, id, replacements) : undefined;
      if (turn !== undefined) {
        // The steps between are no conflict.
        current = edits.map(({ was: _, ...edit }) => edit);
        return {
          ...this.#turnPlan(id, turn.direction, segments),
          ...(name === undefined ? {} : { name }),
          isLast: turn.steps === 1,
        };
      }
      return {
        kind: kindOf(patch),
        replacements,
        name,
        continues: isTextAlone ? patch.continues : undefined,
        ...(names === undefined
          ? {}
          : { speakers: (moved, now) => nameSpeakers({ ...now, speakers: moved }, names, service) }),
      };
    };
    return this.#edit(id, find, plan, patch.segments !== undefined);
  }

  addSpeaker(userId: string, id: string, { name, color }: AddSpeaker): Promise<EditOutcome> {
    const find = () => this.#completed(userId, id);
    return this.#edit(id, find, () => ({
      kind: 'speakers',
      replacements: [],
      speakers: (speakers = {}) => {
        const label = this.#newLabel(id, speakers);
        const added = { name: name ?? defaultName(label), talk_seconds: 0, share: 0 };
        return { ...speakers, [label]: { ...added, ...(color === undefined ? {} : { color }) } };
      },
    }));
  }

  /** Gives everything that one speaker says to another. Throws `invalid_request` for a label that there is not. */
  merge(userId: string, id: string, { from, into }: MergeSpeakers): Promise<EditOutcome> {
    const find = () => this.#completed(userId, id);
    let start = 0;
    return this.#edit(id, find, async (transcript, segments) => {
      refuseUnknownSpeaker(transcript, from, 'from');
      refuseUnknownSpeaker(transcript, into, 'into');
      const { replacements, next } = await mergeStep(this.#deps.db, id, segments, { from, into }, start);
      return {
        kind: 'speakers',
        replacements,
        follows: start > 0,
        isLast: next === undefined,
        onStored: () => {
          start = next ?? segments.length;
        },
        // Until the last step, some of the text is still theirs.
        ...(next === undefined ? { speakers: ({ [from]: _, ...speakers } = {}) => speakers } : {}),
      };
    });
  }

  /** Makes a new speaker of segments of another one. Throws `conflict` if one is no longer that speaker's. */
  split(userId: string, id: string, { from, segments: chosen, name }: SplitSpeaker): Promise<EditOutcome> {
    const find = () => this.#completed(userId, id);
    return this.#edit(id, find, async (transcript, segments) => {
      refuseUnknownSpeaker(transcript, from, 'from');
      const speakers = transcript.analysis.speakers ?? {};
      const label = this.#newLabel(id, speakers);
      const added = { name: name ?? defaultName(label), talk_seconds: 0, share: 0 };
      const base = {
        ...transcript,
        analysis: { ...transcript.analysis, speakers: { ...speakers, [label]: added } },
      };
      const replacements = await editSegments(this.#deps.db, base, segments, splitEdits(from, label, chosen));
      return { kind: 'speakers', replacements, base };
    });
  }

  /**
   * Undoes the last edit, or makes the one again that was undone last. Throws `conflict` if there is none, or if it is
   * not the one that the caller means.
   */
  turn(userId: string, id: string, direction: Direction, expected: number | undefined): Promise<EditOutcome> {
    const { db } = this.#deps;
    const find = () => this.#completed(userId, id);
    let isFirst = true;
    return this.#edit(id, find, async (_, segments) => {
      const next = findEdit(db, id, direction);
      if (next === undefined) throw new AppError('conflict', `There is nothing to ${direction}.`);
      if (isFirst && expected !== undefined && next.number !== expected) {
        throw new AppError('conflict', 'The transcript was changed elsewhere in the meantime.');
      }
      return {
        ...this.#turnPlan(id, direction, segments),
        isLast: !isContinued(db, id, direction),
        onStored: () => {
          isFirst = false;
        },
      };
    });
  }

  /** Forgets all edits, with the texts that they replaced. */
  forget(userId: string, id: string): Promise<void> {
    const { db, stored, publishChange } = this.#deps;
    return this.#running.run(id, async () => {
      stored(userId, id);
      db.transaction(() => {
        deleteEdits(db, id);
        updateTranscript(db, id, {});
        markForScrub(db, 'log');
      });
      await nextTurn();
      publishChange(id);
    });
  }

  #turnPlan(id: string, direction: Direction, segments: readonly SegmentText[]): Plan {
    const { db } = this.#deps;
    const patch = readPatch(db, id, direction);
    const replacements = patch && patchReplacements(db, id, segments, patch);
    if (patch === undefined || replacements === undefined) {
      throw new AppError('conflict', 'This edit no longer fits the transcript.');
    }
    const { speakers, name } = patch;
    return {
      kind: 'speakers',
      replacements,
      name,
      turn: { direction, patch },
      ...(speakers === undefined ? {} : { speakers: () => speakers ?? undefined }),
    };
  }

  /** Names alone need no segments, which are many in ten hours. */
  #edit(id: string, find: () => Transcript, plan: Planner, readsSegments = true): Promise<EditOutcome> {
    return this.#running.run(id, async () => {
      const outcome = { updates: 0, spans: [] as SegmentSpan[] };
      // The text may change between reading and writing only by an analysis, whose masked words must not be lost.
      while (!(await this.#tryEdit(find, plan, readsSegments, outcome))) await nextTurn();
      await nextTurn();
      this.#deps.publishChange(id);
      return outcome;
    });
  }

  /** False if the transcript changed meanwhile, or another step is to follow: try again. */
  async #tryEdit(
    find: () => Transcript,
    planner: Planner,
    readsSegments: boolean,
    outcome: { updates: number; spans: SegmentSpan[] },
  ): Promise<boolean> {
    const { db } = this.#deps;
    const before = find();
    const segments = readsSegments ? readSegmentTexts(db, before.id) : [];
    await nextTurn();
    const plan = await planner(before, segments);
    await nextTurn();
    const lesson = await readLesson(db, before, plan.replacements, plan.turn?.direction === 'undo');
    const prepared = await prepareEdit(this.#deps, plan.base ?? before, segments, plan.replacements);
    const { text = before.text } = prepared.change;
    const isIndexed = plan.name !== undefined || touchesIndex(prepared.change);
    const indexed = isIndexed ? await prepareIndexedText(text, createYielder()) : undefined;
    await nextTurn();
    const isStored = db.transaction(() => {
      const now = find();
      if (plan.replacements.length > 0 && !isSameText(now, before)) return false;
      if (this.#write(now, plan, prepared, indexed)) outcome.updates++;
      learn(db, now, lesson);
      return true;
    });
    if (!isStored) return false;
    // From the last on, the places of those before it stay the same.
    outcome.spans.push(...prepared.spans.toReversed());
    plan.onStored?.();
    return plan.isLast !== false;
  }

  /** False if there is nothing to change. */
  #write(now: Transcript, plan: Plan, prepared: PreparedEdit, indexed: IndexedText | undefined): boolean {
    const { db, followUp } = this.#deps;
    const { id } = now;
    const moved = prepared.speakers ?? now.analysis.speakers;
    const speakers = plan.speakers === undefined ? moved : plan.speakers(moved, now);
    const isNaming = !isDeepStrictEqual(speakers, now.analysis.speakers);
    // Before a job has ended, its redaction may still have to cover the name.
    const isRenaming = plan.name !== undefined && plan.name !== now.name && now.status === 'completed';
    const isEdit = isNaming || isRenaming || prepared.spans.length > 0;
    if (!isEdit && plan.name === undefined) return false;
    replaceSpans(db, id, prepared.spans);
    if (isEdit) {
      const inverse: EditPatch = {
        spans: prepared.inverse,
        ...(isNaming ? { speakers: now.analysis.speakers ?? null } : {}),
        ...(isRenaming ? { name: now.name } : {}),
      };
      this.#record(now, plan, inverse);
    }
    const { speakers: _, ...analysis } = prepared.change.analysis ?? now.analysis;
    const change = {
      ...prepared.change,
      ...(isNaming ? { analysis: { ...analysis, ...(speakers === undefined ? {} : { speakers }) } } : {}),
      ...(plan.name === undefined ? {} : { name: plan.name, isNameGiven: true }),
    };
    updateTranscript(db, id, change, indexed);
    markForScrub(db, touchesIndex(change) ? 'index' : 'log');
    if (prepared.isAnalysisOutdated || isAnalysisOutdated(db, id)) followUp.schedule(id);
    return true;
  }

  #record({ id, revision }: Transcript, plan: Plan, inverse: EditPatch): void {
    const { db, clock } = this.#deps;
    const { kind, turn } = plan;
    if (turn === undefined) {
      const continued = continuedEdit(db, id, plan);
      if (continued !== undefined && covers(continued, inverse)) {
        deleteUndone(db, id);
        return;
      }
      const follows = plan.follows === true || continued !== undefined;
      const edit = { number: revision + 1, kind, createdAt: clock.now() };
      addEdit(db, id, edit, encodePatch(follows ? { ...inverse, follows } : inverse));
      return;
    }
    const { spans: _, speakers: __, name: ___, ...kept } = turn.patch;
    // Their labels are those of the other diarization.
    if (kept.forgetsVoices === true) replaceSpeakerEmbeddings(db, id, []);
    turnEdit(db, id, turn.direction, { ...kept, ...inverse });
  }

  /** A label that stands for no one, also not for the voice of a speaker who was merged. */
  #newLabel(id: string, speakers: Speakers): string {
    const voices = readSpeakerEmbeddings(this.#deps.db, id).map(({ speaker }) => speaker);
    return nextLabel([...Object.keys(speakers), ...voices]);
  }

  /** Throws `transcript_not_ready` while its job waits or runs. */
  #finished(userId: string, id: string): Transcript {
    const transcript = this.#deps.stored(userId, id);
    if (transcript.status === 'processing') throw notReady('This transcription is still being worked on.');
    return transcript;
  }

  #completed(userId: string, id: string): Transcript {
    const transcript = this.#finished(userId, id);
    if (transcript.status === 'failed') throw notReady('This transcription failed: try it again first.');
    return transcript;
  }
}
