import { join } from 'node:path';
import { silentLogger } from '../../electron/core/base/logger.ts';
import { openDatabase } from '../../electron/core/stores/database.ts';
import { updateTranscript } from '../../electron/core/stores/transcripts.ts';

type Source = Parameters<typeof updateTranscript>[2]['source'];

/** Stores what a web page said of a transcript's recording, also beside a server that has the data folder open. */
export const storeSource = (dataDir: string, id: string, source: Source): void => {
  const db = openDatabase(join(dataDir, 'earshot.db'), { logger: silentLogger, now: Date.now });
  updateTranscript(db, id, { source });
  db.close();
};
