/** Node's options for the command line. */
export const NODE_OPTIONS: readonly string[];
