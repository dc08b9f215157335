/** Node's options for the command line. */
export const NODE_OPTIONS: readonly string[];
/** The environment of the command line. */
export const MALLOC_ENVIRONMENT: Readonly<Record<string, string>>;
/** Where Node keeps the compiled code of what it ran. */
export const codeCacheDir: () => string;
/** The absolute path of the first of these programs that is on the PATH, or undefined. */
export const onPath: (...names: string[]) => string | undefined;
