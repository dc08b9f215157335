import { type ReadableDb, sql, type WritableDb } from './database.ts';

const PREFIX = 'outdated-analysis.';

/** Notes that the analyses of a transcript are those of an earlier text. Call it in the transaction of the edit. */
export const markAnalysisOutdated = (db: WritableDb, transcriptId: string): void => {
  db.run(sql.replaceInto('meta').values({ key: PREFIX + transcriptId, value: '1' }));
};

export const isAnalysisOutdated = (db: ReadableDb, transcriptId: string): boolean =>
  db.get(
    sql
      .selectFrom('meta')
      .select('key')
      .where('key', '=', PREFIX + transcriptId),
  ) !== undefined;

export const clearOutdatedAnalysis = (db: WritableDb, transcriptId: string): void => {
  db.run(sql.deleteFrom('meta').where('key', '=', PREFIX + transcriptId));
};

/** Ids of transcripts, of which some may have been deleted since. */
export const outdatedAnalyses = (db: ReadableDb): string[] =>
  db
    .all(sql.selectFrom('meta').select('key').where('key', 'like', `${PREFIX}%`))
    .map(({ key }) => key.slice(PREFIX.length));
