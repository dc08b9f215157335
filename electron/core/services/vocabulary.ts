import type { UserVocabulary, VocabularyEntry } from '../../contract/vocabulary.ts';
import { type Clock, isoTime } from '../base/clock.ts';
import type { WritableDb } from '../stores/database.ts';
import { markForScrub } from '../stores/scrub-mark.ts';
import { readUserVocabulary, writeUserVocabulary } from '../stores/vocabularies.ts';

type Deps = { readonly db: WritableDb; readonly clock: Clock };

/** The names and terms that each user's recordings are recognized with, unless a request brings its own. */
export class VocabularyService {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  get(userId: string): UserVocabulary {
    const stored = readUserVocabulary(this.#deps.db, userId);
    if (stored === undefined) return { terms: [], updated_at: null };
    return { terms: [...stored.entries], updated_at: isoTime(stored.updatedAt) };
  }

  /** Replaces the whole list. */
  set(userId: string, terms: readonly VocabularyEntry[]): UserVocabulary {
    const { db, clock } = this.#deps;
    db.transaction(() => {
      writeUserVocabulary(db, userId, { entries: terms, updatedAt: clock.now() });
      markForScrub(db, 'log');
    });
    return this.get(userId);
  }
}
