import type { z } from 'zod';
import type { Route, RouteBodyInput, RouteQueryInput } from '../route.ts';

/** A request that works once its placeholders are replaced, and its answer. */
export type ExampleOf<R extends Route> = {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: RouteQueryInput<R>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: RouteBodyInput<R>;
  /** Fields of a form, without its file. */
  readonly form?: Readonly<Record<string, string>>;
  /** The JSON of a successful answer. */
  readonly answers?: { readonly [S in keyof R['responses']]?: z.input<R['responses'][S]> };
  /** The text of a successful answer that is not JSON, by media type. */
  readonly texts?: Readonly<Record<string, string>>;
};

/** An example of each operation of a table. */
export type ExamplesOf<T extends Readonly<Record<string, Route>>> = {
  readonly [Id in keyof T]: ExampleOf<T[Id]>;
};
