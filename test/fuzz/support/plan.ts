import type { Operation } from './document.ts';
import type { Actor } from './world.ts';

/** One request, ready to be sent, with what is known of it. */
export type Plan = {
  /** Undefined for addresses and methods that the document does not name. */
  readonly operation: Operation | undefined;
  readonly method: string;
  /** With its query, encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  /** Whose key it carries; undefined for none, or one that is not valid. */
  readonly actor: Actor | undefined;
  /** What the document has against the request; it must not succeed then. */
  readonly fault: string | undefined;
  /** Ids in it. */
  readonly ids: readonly string[];
};

/** What a request is made from, before it is put together. */
export type Draft = {
  readonly params: Record<string, string>;
  /** By name, in order; a name may come twice. */
  query: [name: string, value: string][];
  readonly headers: Record<string, string>;
  body: Buffer | undefined;
  fault: string | undefined;
  readonly ids: string[];
};

const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The request as a command for a shell. */
export const asCurl = (url: string, { method, path, headers, body }: Plan): string => {
  const given = Object.entries(headers).map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`);
  const command = ['curl -sS -i --path-as-is -X', method, ...given, shellQuoted(url + path)].join(' ');
  if (body === undefined) return command;
  const bytes =
    body.length > 3000
      ? `${body.toString('base64', 0, 3000)}…(${body.length} bytes)`
      : body.toString('base64');
  return `printf %s ${bytes} | base64 -d | ${command} --data-binary @-`;
};
