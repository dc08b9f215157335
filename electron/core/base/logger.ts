/** Fields carry ids and numbers, never transcript text, keys or file contents. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

export type Logger = {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
};

/** Discards everything. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };
