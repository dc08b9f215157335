import { z } from 'zod';

const Waits = z.strictObject({
  /** Until an idle model is unloaded. */
  idleModelSeconds: z.number().default(300),
  /** Before each retry of a webhook that was not answered with 2xx. */
  webhookRetrySeconds: z.array(z.number()).default([5, 30, 120, 600, 3600]),
  /** That a language model may take per answer. */
  languageModelSeconds: z.number().default(120),
});

/** Waits that no one has to set. Tests shorten them by EARSHOT_TEST_WAITS, a JSON object. */
export const WAITS = Waits.parse(JSON.parse(process.env.EARSHOT_TEST_WAITS ?? '{}'));
