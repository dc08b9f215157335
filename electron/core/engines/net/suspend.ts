/** How much longer than its timeout a wait may take before we conclude that the machine was suspended. */
const TOLERANCE_SECONDS = 10;

/**
 * Whether the wall clock shows that the machine was suspended during a wait that timed out. The timeout then says nothing
 * about the other side, which deserves another attempt.
 */
export const wasSuspended = (waitedMs: number, timeoutSeconds: number): boolean =>
  waitedMs > (timeoutSeconds + TOLERANCE_SECONDS) * 1000;
