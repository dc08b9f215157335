/**
 * Installs what is missing of these tools where that may be done without asking; returns what is still missing and how to
 * install it, in one line, or undefined if nothing is.
 */
export const missingTools: (needs: readonly string[]) => Promise<string | undefined>;
