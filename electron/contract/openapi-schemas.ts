import { z } from 'zod';

export type Json = Record<string, unknown>;

export const BINARY: Json = { type: 'string', format: 'binary' };

/**
 * Writes a schema as generators of clients read it. zod leaves out the default of a field that `z.preprocess` reads from text,
 * though it is written as one may send it; tools compile patterns without the flag that `\\p{…}` needs, and want the items of
 * a pair described; a reference has no keywords beside it.
 */
const adjust: z.core.ToJSONSchemaParams['override'] = ({ zodSchema, jsonSchema }) => {
  const { def } = zodSchema._zod;
  if (def.type === 'default' && jsonSchema.$ref === undefined) jsonSchema.default ??= def.defaultValue;
  if (jsonSchema.pattern?.includes('\\p{') === true) delete jsonSchema.pattern;
  if (jsonSchema.prefixItems !== undefined && jsonSchema.items === false) {
    jsonSchema.items = jsonSchema.prefixItems[0] ?? {};
  }
};

/** `{$ref, …}` as `{allOf: [{$ref}], …}`, everywhere in a schema. */
const withoutSiblings = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutSiblings);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, withoutSiblings(inner)] as const);
  const { $ref, ...rest }: Json = Object.fromEntries(entries);
  if ($ref === undefined) return rest;
  return Object.keys(rest).length === 0 ? { $ref } : { allOf: [{ $ref }], ...rest };
};

/** Collects the JSON Schemas of a document. */
export class Schemas {
  readonly components: Json = {};
  /** Responses that operations share. */
  readonly responses: Json = {};

  /** Converts a zod schema to JSON Schema; schemas with an id become shared components. */
  of(schema: z.ZodType, io: 'input' | 'output'): Json {
    // A JSON Schema is plain JSON; zod types it by its keywords.
    const {
      $schema: _,
      $defs,
      ...rest
    } = z.toJSONSchema(schema, {
      target: 'draft-2020-12',
      io,
      unrepresentable: 'any',
      reused: 'inline',
      override: adjust,
    }) as Json & { $defs?: Json };
    for (const [name, definition] of Object.entries($defs ?? {})) {
      this.#define(name, this.#relocated(definition));
    }
    const id = schema.meta()?.id;
    const relocated = this.#relocated(rest);
    if (id === undefined) return relocated;
    // zod returns a schema with an id as a reference to its definition, which the loop above has stored.
    if (relocated.$ref === undefined) this.#define(id, relocated);
    return { $ref: `#/components/schemas/${id}` };
  }

  /** Stores a response under its name and returns a reference to it. */
  response(name: string, value: Json): Json {
    this.responses[name] ??= value;
    return { $ref: `#/components/responses/${name}` };
  }

  #define(name: string, schema: Json): void {
    const known = this.components[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`Two schemas have the id ${name}, or it differs between requests and answers.`);
    }
    this.components[name] = schema;
  }

  #relocated(value: unknown): Json {
    // Safe on the serialized schema: the prefix occurs in `$ref` only.
    return withoutSiblings(
      JSON.parse(JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/')),
    ) as Json;
  }
}

export type Field = { readonly name: string; readonly required: boolean; readonly schema: Json };

/** The fields of an object schema that is sent as text: query, path, headers or form. */
export const fieldsOf = (schemas: Schemas, schema: z.ZodType | undefined): Field[] => {
  if (schema === undefined) return [];
  // The JSON Schema of an object.
  const { properties = {}, required = [] } = schemas.of(schema, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    required: required.includes(name),
    schema: property,
  }));
};
