import { type ReadableDb, sql, type WritableDb } from './database.ts';
import type { SpeakerVoiceRow, VoiceRow } from './schema.ts';

/** A vector as it is kept. */
export const packVector = (vector: Float32Array): Uint8Array =>
  new Uint8Array(vector.buffer.slice(vector.byteOffset, vector.byteOffset + vector.byteLength));

export const unpackVector = (bytes: Uint8Array): Float32Array =>
  new Float32Array(Uint8Array.from(bytes).buffer);

export const listVoices = (db: ReadableDb, userId: string): VoiceRow[] =>
  db.all(sql.selectFrom('remembered_voices').selectAll().where('user_id', '=', userId).orderBy('name'));

export const findVoice = (db: ReadableDb, userId: string, id: string): VoiceRow | undefined =>
  db.get(sql.selectFrom('remembered_voices').selectAll().where('user_id', '=', userId).where('id', '=', id));

export const findVoiceByName = (
  db: ReadableDb,
  userId: string,
  model: string,
  name: string,
): VoiceRow | undefined =>
  db.get(
    sql
      .selectFrom('remembered_voices')
      .selectAll()
      .where('user_id', '=', userId)
      .where('model', '=', model)
      .where('name', '=', name),
  );

export const insertVoice = (db: WritableDb, row: VoiceRow): void => {
  db.run(sql.insertInto('remembered_voices').values(row));
};

export const updateVoice = (db: WritableDb, id: string, change: Partial<VoiceRow>): void => {
  db.run(sql.updateTable('remembered_voices').set(change).where('id', '=', id));
};

/** Notes which remembered voice was learned from a speaker. */
export const noteRemembered = (
  db: WritableDb,
  { transcript_id, speaker }: Pick<SpeakerVoiceRow, 'transcript_id' | 'speaker'>,
  voice: string,
): void => {
  db.run(
    sql
      .updateTable('speaker_voices')
      .set({ remembered_as: voice })
      .where('transcript_id', '=', transcript_id)
      .where('speaker', '=', speaker),
  );
};

export const deleteVoice = (db: WritableDb, id: string): void => {
  db.run(sql.deleteFrom('remembered_voices').where('id', '=', id));
};

export const deleteVoicesOf = (db: WritableDb, userId: string): number =>
  db.run(sql.deleteFrom('remembered_voices').where('user_id', '=', userId)).changes;

export const readSpeakerVoices = (db: ReadableDb, transcriptId: string): SpeakerVoiceRow[] =>
  db.all(sql.selectFrom('speaker_voices').selectAll().where('transcript_id', '=', transcriptId));

/** How the speakers of all of a user's transcripts sound to one model. */
export const listSpeakerVoices = (db: ReadableDb, userId: string, model: string): SpeakerVoiceRow[] =>
  db.all(
    sql
      .selectFrom('speaker_voices as v')
      .innerJoin('transcripts as t', 't.id', 'v.transcript_id')
      .selectAll('v')
      .where('t.user_id', '=', userId)
      .where('v.model', '=', model),
  );

/** Puts other voices in the place of those of a transcript. */
export const replaceSpeakerVoices = (
  db: WritableDb,
  transcriptId: string,
  voices: readonly Omit<SpeakerVoiceRow, 'transcript_id' | 'remembered_as'>[],
): void =>
  db.transaction(() => {
    db.run(sql.deleteFrom('speaker_voices').where('transcript_id', '=', transcriptId));
    for (const voice of voices) {
      db.run(
        sql
          .insertInto('speaker_voices')
          .values({ ...voice, transcript_id: transcriptId, remembered_as: null }),
      );
    }
  });

export const deleteSpeakerVoice = (db: WritableDb, transcriptId: string, speaker: string): void => {
  db.run(
    sql.deleteFrom('speaker_voices').where('transcript_id', '=', transcriptId).where('speaker', '=', speaker),
  );
};

export const deleteSpeakerVoicesOf = (db: WritableDb, userId: string): void => {
  db.run(
    sql
      .deleteFrom('speaker_voices')
      .where('transcript_id', 'in', sql.selectFrom('transcripts').select('id').where('user_id', '=', userId)),
  );
};
