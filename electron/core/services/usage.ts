import { round } from '../base/numbers.ts';
import { creditsBy, creditsUsed } from '../stores/credits.ts';
import type { ReadableDb } from '../stores/database.ts';
import type { UserRecord } from '../stores/users.ts';

/** The credits that a user's transcripts cost so far. */
export class UsageService {
  readonly #db: ReadableDb;

  constructor(db: ReadableDb) {
    this.#db = db;
  }

  of(user: UserRecord) {
    const groups = (column: 'model' | 'month') =>
      creditsBy(this.#db, user.id, column).map(({ name, credits, seconds, transcripts }) => ({
        name,
        credits: round(credits, 2),
        seconds: round(seconds, 3),
        transcripts,
      }));
    return {
      credits_used: round(creditsUsed(this.#db, user.id), 2),
      credit_budget: user.creditBudget,
      by_model: groups('model').map(({ name, ...rest }) => ({ model: name, ...rest })),
      by_month: groups('month').map(({ name, ...rest }) => ({ month: name, ...rest })),
    };
  }
}
