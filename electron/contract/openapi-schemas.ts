import { z } from 'zod';

export type Json = Record<string, unknown>;

export const BINARY: Json = { type: 'string', format: 'binary' };

/** zod leaves out the default of a field that `z.preprocess` reads from text, though it is written as one may send it. */
const keepDefault: z.core.ToJSONSchemaParams['override'] = ({ zodSchema, jsonSchema }) => {
  const { def } = zodSchema._zod;
  if (def.type === 'default' && jsonSchema.$ref === undefined) jsonSchema.default ??= def.defaultValue;
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
      override: keepDefault,
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
    return JSON.parse(JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json;
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
