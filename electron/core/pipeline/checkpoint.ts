import { z } from 'zod';

/**
 * Where a job goes on after an interruption: everything before `at` is saved as segments. The pieces that
 * follow depend on the audio from `at` on alone, so that the text is the same as without the interruption.
 */
const Checkpoint = z.object({
  /** The audio the pieces were cut from: another source means a new beginning. */
  source: z.string(),
  /** The next piece. */
  piece: z.number(),
  /** Seconds on the source's timeline. */
  at: z.number(),
  segments: z.number(),
  language: z.string().nullable(),
  languageConfidence: z.number().nullable(),
  /** The model that made what is saved. */
  model: z.string(),
  /** How often the engine went down while it worked on a piece, by the piece's number. */
  crashes: z.record(z.string(), z.number()),
});
export type Checkpoint = z.output<typeof Checkpoint>;

/** The stored checkpoint, if it belongs to this audio and model; else undefined. */
export const readCheckpoint = (
  text: string | null,
  source: string,
  model: string,
): Checkpoint | undefined => {
  if (text === null) return undefined;
  const result = Checkpoint.safeParse(JSON.parse(text));
  if (!result.success || result.data.source !== source || result.data.model !== model) return undefined;
  return result.data;
};

export const firstCheckpoint = (at: number, source: string, model: string): Checkpoint => ({
  source,
  piece: 0,
  at,
  segments: 0,
  language: null,
  languageConfidence: null,
  model,
  crashes: {},
});

/** The crashes that still matter once all pieces before `piece` are saved. */
export const crashesFrom = (crashes: Checkpoint['crashes'], piece: number): Checkpoint['crashes'] =>
  Object.fromEntries(Object.entries(crashes).filter(([index]) => Number(index) >= piece));
