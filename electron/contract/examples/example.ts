import type { z } from 'zod';
import type { Route, RouteBodyInput, RouteQueryInput } from '../route.ts';

/**
 * Ids in the examples of the document. Readers replace them with their own to run an example, and so do the tests.
 */
export const PLACEHOLDERS = {
  transcript: 'tr_01JD3Z9X7Q2K5V8M4N6P1R0S3T',
  user: 'usr_01JD3Z8W2M4N6P1R0S3T5V7X9Z',
  voice: 'voice_01JD3Z9A4B5C6D7E8F9G0H1J2K',
  suggestion: 'cor_01JZ8Y7WQK4T5R6S7V8X9Y0Z1A',
  apiKey: 'key_01JD3Z8X1R0S3T5V7X9Z2K4M6N',
  file: '/usr_01JD3Z8W2M4N6P1R0S3T5V7X9Z/meetings/planning_20261120T174500123Z.wav',
  recording: 'file_01JD3Z9A5C7E9G2J4K6M8N0P1R',
  uploadToken: 'upload-token',
  readToken: 'read-token',
  loginToken: 'login-token',
  model: 'base',
  modelFile: '/home/maria/models/ggml-base.bin',
  exportedFile: '/home/maria/export/planning.wav',
  url: 'https://example.com/planning.wav',
  webhook: 'https://example.com/hooks/earshot',
  signature: 'signature',
} as const;

export const BASE_URL = 'http://127.0.0.1:3277';
export const CREATED = '2026-11-20T17:45:00.123Z';
export const COMPLETED = '2026-11-20T17:45:04.871Z';
export const FILE_KEY = PLACEHOLDERS.file;
export const TRANSCRIPT_ID = PLACEHOLDERS.transcript;

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
