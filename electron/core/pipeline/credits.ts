import { AppError } from '../base/errors.ts';
import { round } from '../base/numbers.ts';
import type { Transcript } from '../stores/codecs.ts';
import { creditsReserved, creditsUsed } from '../stores/credits.ts';
import type { WritableDb } from '../stores/database.ts';
import { updateTranscript } from '../stores/transcripts.ts';
import { findUser } from '../stores/users.ts';

/** The smallest charge: what a new job needs beside each other one whose price is unknown, too. */
const MIN_CREDITS = 0.01;

/** `rate` is credits per minute. Rounded up to hundredths. */
export const creditsFor = (seconds: number, rate: number): number =>
  Math.ceil((seconds / 60) * rate * 100 - 1e-9) / 100;

/** Credits per minute of a job: those of each model that recognizes the audio, for each of the streams that it recognizes. */
export const creditRateOf = (
  { model, options }: Pick<Transcript, 'model' | 'options'>,
  rateOf: (model: string) => number,
  streams = 1,
): number =>
  streams * (rateOf(model) + (options.verify_with === undefined ? 0 : rateOf(options.verify_with)));

/** What a new job costs at most: the price of its range; null if the range has no end, or an unknown number of channels. */
export const creditsAtCreation = (
  { audioStartFrom, audioEndAt, options }: Pick<Transcript, 'audioStartFrom' | 'audioEndAt' | 'options'>,
  rate: number,
): number | null =>
  audioEndAt === 0 || options.multichannel ? null : creditsFor(audioEndAt - audioStartFrom, rate);

/**
 * Reserves a job's price, null while it is unknown, in place of what it has reserved. Throws `budget_exceeded` if it does
 * not fit into the user's budget beside what is spent and what the other jobs in progress have reserved. A job of known
 * price does not yield to those of unknown price, so that the first to learn its duration runs. The reservation counts
 * until the job settles.
 */
export const reserveCredits = (
  db: WritableDb,
  { id, userId }: Pick<Transcript, 'id' | 'userId'>,
  price: number | null,
): void =>
  db.transaction(() => {
    const budget = findUser(db, userId)?.creditBudget ?? null;
    if (budget !== null) {
      const used = creditsUsed(db, userId);
      if (used >= budget) throw new AppError('budget_exceeded', `The credit budget of ${budget} is spent.`);
      const needed = price ?? MIN_CREDITS;
      const left =
        budget - used - creditsReserved(db, userId, { except: id, least: price === null ? needed : 0 });
      if (needed > left + 1e-9) {
        throw new AppError(
          'budget_exceeded',
          `This transcription needs ${needed} credits or more; ${Math.max(0, round(left, 2))} of the budget of ${budget} are left beside other transcriptions in progress.`,
        );
      }
    }
    updateTranscript(db, id, { creditsReserved: price ?? 0 });
  });
