import type { Speaker, Transcription } from '../../contract/transcript.ts';
import type { Voice } from '../../contract/voices.ts';
import { type Clock, isoTime } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { cosine, meanDirection, round } from '../base/numbers.ts';
import { isNamed } from '../base/speaker-names.ts';
import type { Transcript } from '../stores/codecs.ts';
import type { WritableDb } from '../stores/database.ts';
import { runPendingScrub } from '../stores/scrub.ts';
import { markForScrub } from '../stores/scrub-mark.ts';
import * as store from '../stores/speakers.ts';

type Deps = {
  readonly db: WritableDb;
  readonly clock: Clock;
  /** The cosine similarity from which on two embeddings of a model are one speaker. */
  readonly sameSpeakerCosine: (model: string) => number;
  /** Id of the embedding model in use. */
  readonly embeddingModel: () => string;
};

const notFound = () => new AppError('voice_not_found', 'There is no such remembered voice.');

type Suggestion = { readonly label: string; readonly name: string; readonly similarity: number };

/** The speakers whom users asked to remember; the API calls them voices. Speakers of different users are never compared. */
export class SpeakerService {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  list(userId: string): Voice[] {
    return store.listRememberedSpeakers(this.#deps.db, userId).map((speaker) => this.#present(speaker));
  }

  rename(userId: string, id: string, name: string): Voice {
    const { db, clock } = this.#deps;
    const speaker = this.#own(userId, id);
    const other = store.findRememberedSpeakerByName(db, userId, speaker.model, name);
    if (other !== undefined && other.id !== id) {
      throw new AppError('conflict', 'Another voice is remembered by that name already.');
    }
    const renamed = { ...speaker, name, updatedAt: clock.now() };
    store.saveRememberedSpeaker(db, renamed);
    return this.#present(renamed);
  }

  /** Forgets a speaker, with the embeddings of that speaker in the user's transcripts. */
  forget(userId: string, id: string): void {
    const { db, sameSpeakerCosine } = this.#deps;
    const speaker = this.#own(userId, id);
    const minCosine = sameSpeakerCosine(speaker.model);
    db.transaction(() => {
      markForScrub(db, 'log');
      for (const known of store.listSpeakerEmbeddings(db, userId, speaker.model)) {
        const isSame = known.rememberedAs === id || cosine(known.embedding, speaker.embedding) >= minCosine;
        if (isSame) store.deleteSpeakerEmbedding(db, known);
      }
      store.deleteRememberedSpeaker(db, id);
    }, 'deletion');
    runPendingScrub(db, 0);
  }

  /** Forgets all speakers of a user, with every embedding in the user's transcripts. Returns how many. */
  forgetAll(userId: string): number {
    const { db } = this.#deps;
    const forgotten = db.transaction(() => {
      markForScrub(db, 'log');
      store.deleteSpeakerEmbeddingsOf(db, userId);
      return store.deleteRememberedSpeakersOf(db, userId);
    }, 'deletion');
    runPendingScrub(db, 0);
    return forgotten;
  }

  /**
   * Remembers a speaker by a name; one of that name learns from the new embedding. Throws `conflict` if the
   * transcript has no embedding of the speaker. Call it in the transaction that names the speaker.
   */
  remember(transcript: Pick<Transcript, 'id' | 'userId'>, label: string, name: string): void {
    const { db, clock } = this.#deps;
    const { id: transcriptId, userId } = transcript;
    const found = store.readSpeakerEmbeddings(db, transcriptId).find(({ speaker }) => speaker === label);
    if (found === undefined) {
      throw new AppError(
        'conflict',
        `How speaker ${label} sounds is not kept: tell the speakers apart again first. With redacted transcriptions no voice is ever kept.`,
      );
    }
    const { model, embedding } = found;
    const known = store.findRememberedSpeakerByName(db, userId, model, name);
    if (known !== undefined && found.rememberedAs === known.id) return;
    const now = clock.now();
    const learned: store.RememberedSpeaker =
      known === undefined
        ? {
            id: newId('voice'),
            userId,
            name,
            model,
            embedding,
            recordings: 1,
            createdAt: now,
            updatedAt: now,
          }
        : {
            ...known,
            embedding: meanDirection([
              { vector: known.embedding, weight: known.recordings },
              { vector: embedding, weight: 1 },
            ]),
            recordings: known.recordings + 1,
            updatedAt: now,
          };
    store.saveRememberedSpeaker(db, learned);
    store.linkSpeakerEmbedding(db, found, learned.id);
  }

  /** The transcription with suggested names for its unnamed speakers. */
  withSuggestions(userId: string, transcript: Transcription): Transcription {
    const { speakers } = transcript;
    if (speakers === undefined) return transcript;
    const remembered = store.listRememberedSpeakers(this.#deps.db, userId);
    if (remembered.length === 0) return transcript;
    const embeddings = store.readSpeakerEmbeddings(this.#deps.db, transcript.id);
    const suggested = { ...speakers };
    for (const { label, name, similarity } of this.#suggest(speakers, embeddings, remembered)) {
      const speaker = suggested[label];
      if (speaker === undefined) continue;
      suggested[label] = { ...speaker, suggested_name: name, similarity: round(similarity, 3) };
    }
    return { ...transcript, speakers: suggested };
  }

  /** Pairs unnamed speakers with remembered ones, the most similar first, each of them at most once. */
  #suggest(
    speakers: Readonly<Record<string, Speaker>>,
    embeddings: readonly store.SpeakerEmbedding[],
    remembered: readonly store.RememberedSpeaker[],
  ): Suggestion[] {
    const { sameSpeakerCosine } = this.#deps;
    const takenNames = new Set(Object.values(speakers).map((speaker) => speaker.name));
    const candidates = embeddings
      .filter(({ speaker: label }) => {
        const speaker = speakers[label];
        return speaker !== undefined && !isNamed(label, speaker);
      })
      .flatMap(({ speaker: label, model, embedding }) =>
        remembered
          .filter((known) => known.model === model)
          .map((known) => ({ label, name: known.name, similarity: cosine(embedding, known.embedding) }))
          .filter(({ similarity }) => similarity >= sameSpeakerCosine(model)),
      )
      .toSorted((a, b) => b.similarity - a.similarity);
    const takenLabels = new Set<string>();
    return candidates.filter(({ label, name }) => {
      if (takenLabels.has(label) || takenNames.has(name)) return false;
      takenLabels.add(label);
      takenNames.add(name);
      return true;
    });
  }

  #present(speaker: store.RememberedSpeaker): Voice {
    return {
      id: speaker.id,
      name: speaker.name,
      model: speaker.model,
      comparable: speaker.model === this.#deps.embeddingModel(),
      recordings: speaker.recordings,
      created_at: isoTime(speaker.createdAt),
      updated_at: isoTime(speaker.updatedAt),
    };
  }

  #own(userId: string, id: string): store.RememberedSpeaker {
    const speaker = store.findRememberedSpeaker(this.#deps.db, userId, id);
    if (speaker === undefined) throw notFound();
    return speaker;
  }
}
