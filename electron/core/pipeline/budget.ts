import type { Transcript } from '../stores/transcript-record.ts';
import { creditRateOf, creditsFor, reserveCredits } from './credits.ts';
import type { PipelineDeps } from './deps.ts';
import type { AudioRange } from './recognition/progress.ts';

/**
 * Reserves the price of the range as far as its length is declared, and more with each chunk that is decoded beyond it, so
 * that no chunk is recognized that the budget does not cover. Throws `budget_exceeded`.
 */
export const mediaWithinBudget = (
  { db, media, settings }: PipelineDeps,
  transcript: Transcript,
  { start, expectedEnd }: AudioRange,
  streams: number,
): Pick<PipelineDeps['media'], 'decodeChunks'> => {
  const rate = creditRateOf(transcript, settings.creditRate, streams);
  const priceTo = (end: number): number => creditsFor(Math.max(0, end - start), rate);
  let reserved = transcript.creditsReserved;
  const reserve = (credits: number): void => {
    reserveCredits(db, transcript, credits);
    reserved = credits;
  };
  if (Number.isFinite(expectedEnd)) reserve(priceTo(expectedEnd));
  return {
    decodeChunks: (input, options) => {
      const decode = media.decodeChunks(input, options);
      const chunks = async function* () {
        for await (const chunk of decode.chunks) {
          if (priceTo(chunk.end) > reserved) reserve(priceTo(chunk.end));
          yield chunk;
        }
      };
      return { chunks: chunks(), summary: () => decode.summary() };
    },
  };
};
