import { z } from 'zod';

export type Json = Record<string, unknown>;

export const BINARY: Json = { type: 'string', format: 'binary' };

/** The JSON Schemas of one document. */
export class Schemas {
  readonly components: Json = {};
  /** Answers that several operations give. */
  readonly responses: Json = {};

  /** The JSON Schema of a zod schema; those with an id become shared components. */
  of(schema: z.ZodType, io: 'input' | 'output'): Json {
    const {
      $schema: _,
      $defs,
      ...rest
    } = z.toJSONSchema(schema, {
      target: 'draft-2020-12',
      io,
      unrepresentable: 'any',
      reused: 'inline',
    }) as Json & { $defs?: Json };
    for (const [name, definition] of Object.entries($defs ?? {})) {
      this.components[name] = this.#relocated(definition);
    }
    const id = schema.meta()?.id;
    const relocated = this.#relocated(rest);
    if (id === undefined) return relocated;
    // A schema with an id comes as a reference to its own definition, which is among the components by now.
    this.components[id] ??= relocated;
    return { $ref: `#/components/schemas/${id}` };
  }

  /** A reference to an answer, kept under its name. */
  response(name: string, value: Json): Json {
    this.responses[name] ??= value;
    return { $ref: `#/components/responses/${name}` };
  }

  #relocated(value: unknown): Json {
    // A JSON round trip of plain JSON Schema; only the texts of `$ref` change.
    return JSON.parse(JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json;
  }
}

/** The value that stands in for a field that is not sent, if there is one. */
const defaultOf = (schema: z.ZodType): Json => {
  const result = schema.safeParse(undefined);
  return result.success && result.data !== undefined ? { default: result.data } : {};
};

export type Field = { readonly name: string; readonly required: boolean; readonly schema: Json };

/** The fields of an object that is sent as text: a query, a path, headers, a form. */
export const fieldsOf = (schemas: Schemas, schema: z.ZodType | undefined): Field[] => {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schemas.of(schema, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  const source = schema instanceof z.ZodPipe ? schema.in : schema;
  const shape = source instanceof z.ZodObject ? source.shape : {};
  return Object.entries(properties).map(([name, property]) => ({
    name,
    required: required.includes(name),
    // Text is turned into numbers first, which hides the default from the JSON Schema.
    schema: { ...property, ...(shape[name] === undefined ? {} : defaultOf(shape[name])) },
  }));
};
