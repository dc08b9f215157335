/** Node's options for the command line. */
export const NODE_OPTIONS: readonly string[];
/** The environment of the command line. */
export const MALLOC_ENVIRONMENT: Readonly<Record<string, string>>;
