import { type ReadableDb, sql, type WritableDb } from './database.ts';
import type { RememberedVoiceRow, SpeakerVoiceRow } from './schema.ts';

/** A speaker whom a user asked to remember. */
export type RememberedSpeaker = {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  /** Id of the embedding model: embeddings of different models are never compared. */
  readonly model: string;
  readonly embedding: Float32Array;
  /** Number of recordings that contributed to the embedding. */
  readonly recordings: number;
  readonly createdAt: number;
  readonly updatedAt: number;
};

/** The embedding of a speaker of a transcript. */
export type SpeakerEmbedding = {
  readonly transcriptId: string;
  /** Label in the transcript, such as `A`. */
  readonly speaker: string;
  readonly model: string;
  readonly embedding: Float32Array;
  /** Id of the remembered speaker that learned from it. */
  readonly rememberedAs: string | null;
};

export type NewSpeakerEmbedding = Pick<SpeakerEmbedding, 'speaker' | 'model' | 'embedding'>;

/** 32-bit floats, least significant byte first. */
const encodeVector = (vector: Float32Array): Uint8Array =>
  new Uint8Array(vector.buffer.slice(vector.byteOffset, vector.byteOffset + vector.byteLength));

const decodeVector = (bytes: Uint8Array): Float32Array => new Float32Array(Uint8Array.from(bytes).buffer);

const decodeSpeaker = (row: RememberedVoiceRow): RememberedSpeaker => ({
  id: row.id,
  userId: row.user_id,
  name: row.name,
  model: row.model,
  embedding: decodeVector(row.embedding),
  recordings: row.recordings,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const decodeEmbedding = (row: SpeakerVoiceRow): SpeakerEmbedding => ({
  transcriptId: row.transcript_id,
  speaker: row.speaker,
  model: row.model,
  embedding: decodeVector(row.embedding),
  rememberedAs: row.remembered_as,
});

export const listRememberedSpeakers = (db: ReadableDb, userId: string): RememberedSpeaker[] =>
  db
    .all(sql.selectFrom('remembered_voices').selectAll().where('user_id', '=', userId).orderBy('name'))
    .map(decodeSpeaker);

export const findRememberedSpeaker = (
  db: ReadableDb,
  userId: string,
  id: string,
): RememberedSpeaker | undefined => {
  const row = db.get(
    sql.selectFrom('remembered_voices').selectAll().where('user_id', '=', userId).where('id', '=', id),
  );
  return row && decodeSpeaker(row);
};

export const findRememberedSpeakerByName = (
  db: ReadableDb,
  userId: string,
  model: string,
  name: string,
): RememberedSpeaker | undefined => {
  const row = db.get(
    sql
      .selectFrom('remembered_voices')
      .selectAll()
      .where('user_id', '=', userId)
      .where('model', '=', model)
      .where('name', '=', name),
  );
  return row && decodeSpeaker(row);
};

/** Inserts a remembered speaker, or replaces the one with the same id. */
export const saveRememberedSpeaker = (db: WritableDb, speaker: RememberedSpeaker): void => {
  const changeable = {
    name: speaker.name,
    embedding: encodeVector(speaker.embedding),
    recordings: speaker.recordings,
    updated_at: speaker.updatedAt,
  };
  db.run(
    sql
      .insertInto('remembered_voices')
      .values({
        ...changeable,
        id: speaker.id,
        user_id: speaker.userId,
        model: speaker.model,
        created_at: speaker.createdAt,
      })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(changeable)),
  );
};

export const deleteRememberedSpeaker = (db: WritableDb, id: string): void => {
  db.run(sql.deleteFrom('remembered_voices').where('id', '=', id));
};

/** Returns how many there were. */
export const deleteRememberedSpeakersOf = (db: WritableDb, userId: string): number =>
  db.run(sql.deleteFrom('remembered_voices').where('user_id', '=', userId)).changes;

export const readSpeakerEmbeddings = (db: ReadableDb, transcriptId: string): SpeakerEmbedding[] =>
  db
    .all(sql.selectFrom('speaker_voices').selectAll().where('transcript_id', '=', transcriptId))
    .map(decodeEmbedding);

/** The embeddings that a model made of the speakers in all of a user's transcripts. */
export const listSpeakerEmbeddings = (db: ReadableDb, userId: string, model: string): SpeakerEmbedding[] =>
  db
    .all(
      sql
        .selectFrom('speaker_voices as v')
        .innerJoin('transcripts as t', 't.id', 'v.transcript_id')
        .selectAll('v')
        .where('t.user_id', '=', userId)
        .where('v.model', '=', model),
    )
    .map(decodeEmbedding);

export const replaceSpeakerEmbeddings = (
  db: WritableDb,
  transcriptId: string,
  embeddings: readonly NewSpeakerEmbedding[],
): void =>
  db.transaction(() => {
    db.run(sql.deleteFrom('speaker_voices').where('transcript_id', '=', transcriptId));
    for (const { speaker, model, embedding } of embeddings) {
      db.run(
        sql.insertInto('speaker_voices').values({
          transcript_id: transcriptId,
          speaker,
          model,
          embedding: encodeVector(embedding),
          remembered_as: null,
        }),
      );
    }
  });

/** Links an embedding to the remembered speaker that learned from it. */
export const linkSpeakerEmbedding = (
  db: WritableDb,
  { transcriptId, speaker }: Pick<SpeakerEmbedding, 'transcriptId' | 'speaker'>,
  rememberedAs: string,
): void => {
  db.run(
    sql
      .updateTable('speaker_voices')
      .set({ remembered_as: rememberedAs })
      .where('transcript_id', '=', transcriptId)
      .where('speaker', '=', speaker),
  );
};

export const deleteSpeakerEmbedding = (
  db: WritableDb,
  { transcriptId, speaker }: Pick<SpeakerEmbedding, 'transcriptId' | 'speaker'>,
): void => {
  db.run(
    sql.deleteFrom('speaker_voices').where('transcript_id', '=', transcriptId).where('speaker', '=', speaker),
  );
};

export const deleteSpeakerEmbeddingsOf = (db: WritableDb, userId: string): void => {
  db.run(
    sql
      .deleteFrom('speaker_voices')
      .where('transcript_id', 'in', sql.selectFrom('transcripts').select('id').where('user_id', '=', userId)),
  );
};
