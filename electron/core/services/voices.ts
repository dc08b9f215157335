import type { Speaker, Transcription } from '../../contract/transcript.ts';
import type { Voice } from '../../contract/voices.ts';
import { type Clock, isoTime } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { round } from '../base/numbers.ts';
import { cosine, meanDirection } from '../base/vectors.ts';
import type { PipelineDeps } from '../pipeline/deps.ts';
import { isNamed } from '../pipeline/findings/diarize-names.ts';
import type { SpeakerVoiceRow, VoiceRow } from '../stores/schema.ts';
import { markForScrub, runPendingScrub } from '../stores/scrub.ts';
import type { Transcript } from '../stores/transcript-record.ts';
import * as store from '../stores/voices.ts';

type Options = {
  readonly db: PipelineDeps['db'];
  readonly clock: Clock;
  /** From which cosine on two embeddings of a model are one voice. */
  readonly sameVoice: (model: string) => number;
};

const present = ({ id, name, model, recordings, created_at, updated_at }: VoiceRow): Voice => ({
  id,
  name,
  model,
  recordings,
  created_at: isoTime(created_at),
  updated_at: isoTime(updated_at),
});

const notFound = () => new AppError('voice_not_found', 'There is no such remembered voice.');

const likeness = (a: Pick<VoiceRow, 'embedding'>, b: Pick<VoiceRow, 'embedding'>): number =>
  cosine(store.unpackVector(a.embedding), store.unpackVector(b.embedding));

/** The voices that users asked to be remembered. Nobody's voices are ever compared with another user's. */
export class VoiceService {
  readonly #o: Options;

  constructor(options: Options) {
    this.#o = options;
  }

  list(userId: string): Voice[] {
    return store.listVoices(this.#o.db, userId).map(present);
  }

  rename(userId: string, id: string, name: string): Voice {
    const { db, clock } = this.#o;
    const row = this.#own(userId, id);
    const other = store.findVoiceByName(db, userId, row.model, name);
    if (other !== undefined && other.id !== id) {
      throw new AppError('conflict', 'Another voice is remembered by that name already.');
    }
    const changed = { ...row, name, updated_at: clock.now() };
    store.updateVoice(db, id, changed);
    return present(changed);
  }

  /** Forgets a voice, and how it sounds in the user's transcripts. */
  forget(userId: string, id: string): void {
    const { db, sameVoice } = this.#o;
    const row = this.#own(userId, id);
    db.transaction(() => {
      markForScrub(db, 'log');
      for (const heard of store.listSpeakerVoices(db, userId, row.model)) {
        const learned = heard.remembered_as === id;
        if (!learned && likeness(heard, row) < sameVoice(row.model)) continue;
        store.deleteSpeakerVoice(db, heard.transcript_id, heard.speaker);
      }
      store.deleteVoice(db, id);
    });
    runPendingScrub(db);
  }

  /** Forgets every voice of a user, those of the speakers in the user's transcripts included. */
  forgetAll(userId: string): number {
    const { db } = this.#o;
    const forgotten = db.transaction(() => {
      markForScrub(db, 'log');
      store.deleteSpeakerVoicesOf(db, userId);
      return store.deleteVoicesOf(db, userId);
    });
    runPendingScrub(db);
    return forgotten;
  }

  /** Whether something is known of how this transcript's speakers sound; asked before it is deleted. */
  isKnown(transcriptId: string): boolean {
    return store.readSpeakerVoices(this.#o.db, transcriptId).length > 0;
  }

  /**
   * Learns a speaker's voice by a name; one of that name is made surer by it. Throws `conflict` where nothing is
   * known of the voice. Meant to be called inside the transaction that names the speaker.
   */
  remember(transcript: Pick<Transcript, 'id' | 'userId'>, speaker: string, name: string): void {
    const { db, clock } = this.#o;
    const heard = store.readSpeakerVoices(db, transcript.id).find((voice) => voice.speaker === speaker);
    if (heard === undefined) {
      throw new AppError(
        'conflict',
        `How speaker ${speaker} sounds is not kept: tell the speakers apart again first. With redacted transcriptions no voice is ever kept.`,
      );
    }
    const known = store.findVoiceByName(db, transcript.userId, heard.model, name);
    if (known !== undefined && heard.remembered_as === known.id) return;
    const now = clock.now();
    const id = known?.id ?? newId('voice');
    if (known === undefined) {
      const { model, embedding } = heard;
      const fresh = { id, user_id: transcript.userId, name, model, embedding, recordings: 1 };
      store.insertVoice(db, { ...fresh, created_at: now, updated_at: now });
    } else {
      const embedding = meanDirection([
        { vector: store.unpackVector(known.embedding), weight: known.recordings },
        { vector: store.unpackVector(heard.embedding), weight: 1 },
      ]);
      const recordings = known.recordings + 1;
      store.updateVoice(db, id, { embedding: store.packVector(embedding), recordings, updated_at: now });
    }
    store.noteRemembered(db, heard, id);
  }

  /** The transcription with the names of remembered voices that its unnamed speakers sound like. */
  withSuggestions(userId: string, transcript: Transcription): Transcription {
    const { speakers } = transcript;
    if (speakers === undefined) return transcript;
    const remembered = store.listVoices(this.#o.db, userId);
    if (remembered.length === 0) return transcript;
    const heard = store.readSpeakerVoices(this.#o.db, transcript.id);
    const suggested = { ...speakers };
    for (const { label, name, similarity } of this.#matches(speakers, heard, remembered)) {
      const speaker = suggested[label];
      if (speaker === undefined) continue;
      suggested[label] = { ...speaker, suggested_name: name, similarity: round(similarity, 3) };
    }
    return { ...transcript, speakers: suggested };
  }

  /** Unnamed speakers with the remembered voices they sound like, each voice and each speaker once. */
  #matches(
    speakers: Readonly<Record<string, Speaker>>,
    heard: readonly SpeakerVoiceRow[],
    remembered: readonly VoiceRow[],
  ): { label: string; name: string; similarity: number }[] {
    const taken = new Set(Object.values(speakers).map((speaker) => speaker.name));
    const pairs = heard
      .filter(({ speaker: label }) => {
        const speaker = speakers[label];
        return speaker !== undefined && !isNamed(label, speaker);
      })
      .flatMap((voice) =>
        remembered
          .filter(({ model, name }) => model === voice.model && !taken.has(name))
          .map((known) => ({
            label: voice.speaker,
            name: known.name,
            similarity: likeness(voice, known),
            known,
          })),
      )
      .filter(({ similarity, known }) => similarity >= this.#o.sameVoice(known.model))
      .toSorted((a, b) => b.similarity - a.similarity);
    const given = new Set<string>();
    return pairs.filter(({ label, name }) => {
      if (given.has(label) || taken.has(name)) return false;
      given.add(label);
      taken.add(name);
      return true;
    });
  }

  #own(userId: string, id: string): VoiceRow {
    const row = store.findVoice(this.#o.db, userId, id);
    if (row === undefined) throw notFound();
    return row;
  }
}
