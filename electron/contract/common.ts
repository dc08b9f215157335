import { z } from 'zod';

/** `prefix_` and a ULID, which sorts by creation time. */
export const idSchema = (prefix: 'tr' | 'usr' | 'key' | 'file' | 'whk' | 'voice' | 'cor', what: string) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$`))
    .describe(what);

/** ISO 8601 in UTC with milliseconds. */
export const Timestamp = z.iso.datetime({ precision: 3 }).describe('ISO 8601, UTC, milliseconds.');

export const Seconds = z.number().describe('Seconds, rounded to milliseconds.');
export const Bytes = z.int().min(0).describe('Bytes.');
export const Probability = z.number().min(0).max(1);

const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d{1,3})?$/i;

/** Converts a number in a query string or form field; leaves other text for the schema to reject. */
export const queryNumber = <T extends z.ZodType<number>>(schema: T) =>
  z.preprocess((text) => (typeof text === 'string' && NUMBER.test(text) ? Number(text) : text), schema);

/** An integer in a query string, such as `?limit=20`. */
export const queryInt = (min: number, max: number, fallback: number) =>
  queryNumber(z.int().min(min).max(max)).default(fallback);

const BOOLEANS = new Map<unknown, boolean>([
  ['true', true],
  ['false', false],
]);

/** `true` or `false` in a query string or form field. */
export const QueryBoolean = z.preprocess((text) => BOOLEANS.get(text) ?? text, z.boolean());

export type JsonValue = z.core.util.JSONType;
/** Any JSON value: bodies are parsed from JSON. Described without a recursive schema, which generators of clients cannot read. */
export const JsonValue = z
  .custom<JsonValue>((value) => value !== undefined)
  .meta({ id: 'JsonValue', description: 'Any JSON value.' });

export const Pagination = z
  .object({
    page: z.int(),
    limit: z.int(),
    total: z.int(),
    pages: z.int(),
    hasNext: z.boolean(),
    hasPrev: z.boolean(),
  })
  .meta({ id: 'Pagination' });
export type Pagination = z.output<typeof Pagination>;

/** Wraps a payload in `{success: true, data}`. */
export const success = <T extends z.ZodType>(data: T) => z.object({ success: z.literal(true), data });

export const Metadata = z.record(z.string(), JsonValue).describe('Custom metadata, at most 16 KB as JSON.');

export const TranscriptId = idSchema('tr', 'Unique transcription identifier.');

/** Rejects an empty PATCH body: `schema.refine(...namesAChange)`. */
export const namesAChange: [check: (body: object) => boolean, params: { error: string }] = [
  (body) => Object.keys(body).length > 0,
  { error: 'names nothing to change' },
];
