import { corsListCodec } from './codecs.ts';
import { type ReadableDb, sql, type WritableDb } from './database.ts';

/** The CORS configuration of a user's files. */
export type CorsRules = {
  readonly allowedOrigins: readonly string[];
  readonly allowedMethods: readonly string[];
  readonly allowedHeaders: readonly string[];
  readonly maxAgeSeconds: number;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
};

export const findCors = (db: ReadableDb, userId: string): CorsRules | undefined => {
  const row = db.get(sql.selectFrom('bucket_cors').selectAll().where('user_id', '=', userId));
  if (row === undefined) return undefined;
  return {
    allowedOrigins: corsListCodec.decode(row.origins),
    allowedMethods: corsListCodec.decode(row.methods),
    allowedHeaders: corsListCodec.decode(row.headers),
    maxAgeSeconds: row.max_age,
    updatedAt: row.updated_at,
  };
};

export const saveCors = (db: WritableDb, userId: string, rules: CorsRules): void => {
  db.run(
    sql.replaceInto('bucket_cors').values({
      user_id: userId,
      origins: corsListCodec.encode([...rules.allowedOrigins]),
      methods: corsListCodec.encode([...rules.allowedMethods]),
      headers: corsListCodec.encode([...rules.allowedHeaders]),
      max_age: rules.maxAgeSeconds,
      updated_at: rules.updatedAt,
    }),
  );
};
