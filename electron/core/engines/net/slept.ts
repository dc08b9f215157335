/** A wait that took this much longer than its time-out was not a wait: the machine slept, or was stopped. */
const TOLERANCE_SECONDS = 10;

/**
 * Whether the wall clock says that the machine slept during a wait that ended in a time-out. Then nothing is
 * known about the other side, and it deserves another try.
 */
export const machineSlept = (waitedMilliseconds: number, timeoutSeconds: number): boolean =>
  waitedMilliseconds > (timeoutSeconds + TOLERANCE_SECONDS) * 1000;
