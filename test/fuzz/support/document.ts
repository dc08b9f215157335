import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { ROOT } from '../../support/paths.ts';

/** The subset of JSON Schema that the document uses. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly pattern?: string;
  readonly format?: string;
};

export type Parameter = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly style?: 'deepObject';
  readonly example?: unknown;
  readonly schema: Schema;
};

type Media = { readonly schema: Schema; readonly example?: unknown; readonly examples?: unknown };
type Content = Readonly<Record<string, Media>>;

type Response = {
  readonly $ref?: string;
  readonly description: string;
  readonly headers: Readonly<Record<string, { readonly $ref?: string; readonly required: boolean }>>;
  readonly content?: Content;
};

export type Operation = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
  // The document's keys.
  readonly method: string;
  readonly path: string;
  /** JSON pointer to the operation. */
  readonly pointer: string;
};

type OpenApi = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Omit<Operation, 'method' | 'path'>>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

const isReference = (place: unknown): place is { readonly $ref: string } =>
  typeof place === 'object' && place !== null && '$ref' in place && typeof place.$ref === 'string';

const escaped = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1');

/** The committed openapi.json: its operations, and validation against its schemas. */
export class ApiDocument {
  readonly operations: readonly Operation[];
  readonly #document: OpenApi;
  readonly #ajv = new Ajv2020({
    strict: true,
    strictTypes: false,
    strictTuples: false,
    allErrors: false,
    inlineRefs: false,
  });
  /** By schema text, since most error responses have the same schema. */
  readonly #validators = new Map<string, ValidateFunction>();
  readonly #byPointer = new Map<string, ValidateFunction>();

  constructor(path = join(ROOT, 'openapi.json')) {
    this.#document = JSON.parse(readFileSync(path, 'utf8'));
    addFormats.default(this.#ajv);
    // Keywords of OpenAPI that are not part of JSON Schema.
    for (const word of ['openapi', 'info', 'servers', 'tags', 'components', 'paths'])
      this.#ajv.addKeyword(word);
    this.#ajv.addKeyword('example');
    this.#ajv.addFormat('binary', true);
    this.#ajv.addSchema({ $id: 'document', ...this.#document });
    this.operations = Object.entries(this.#document.paths).flatMap(([path_, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        ...operation,
        responses: Object.fromEntries(
          Object.entries(operation.responses).map(([status, response]) => [status, this.#response(response)]),
        ),
        method: method.toUpperCase(),
        path: path_,
        pointer: `/paths/${escaped(path_)}/${method}`,
      })),
    );
  }

  resolve(schema: Schema): Schema {
    const name = schema.$ref?.split('/').at(-1);
    if (name === undefined) return schema;
    const found = this.#document.components.schemas[name];
    if (found === undefined) throw new Error(`${schema.$ref} is not in the document`);
    return found;
  }

  /** The first violation of the schema at `pointer`, or undefined. */
  problem(pointer: string, value: unknown): string | undefined {
    const validate = this.#byPointer.get(pointer) ?? this.#compile(pointer);
    if (validate(value)) return undefined;
    const [error] = validate.errors ?? [];
    return `${error?.instancePath} ${error?.message} ${JSON.stringify(error?.params)}`;
  }

  /** The first violation of an operation's request schema, or undefined. */
  bodyProblem({ pointer }: Operation, media: string, value: unknown): string | undefined {
    return this.problem(`${pointer}/requestBody/content/${escaped(media)}/schema`, value);
  }

  responseProblem({ pointer }: Operation, status: string, media: string, value: unknown): string | undefined {
    return this.problem(`${pointer}/responses/${status}/content/${escaped(media)}/schema`, value);
  }

  parameterProblem(operation: Operation, parameter: Parameter, value: unknown): string | undefined {
    const index = operation.parameters.indexOf(parameter);
    return this.problem(`${operation.pointer}/parameters/${index}/schema`, value);
  }

  /** A response with its references resolved. */
  #response(given: Response): Response {
    const response = this.#resolved<Response>(given);
    const headers = Object.entries(response.headers).map(([name, header]) => [name, this.#resolved(header)]);
    return { ...response, headers: Object.fromEntries(headers) };
  }

  #resolved<T extends { readonly $ref?: string }>(value: T): T {
    // OpenAPI guarantees that a reference's target has the type of the place that refers to it.
    return value.$ref === undefined ? value : (this.#at(value.$ref.slice(1)) as T);
  }

  #at(pointer: string): unknown {
    const parts = pointer.slice(1).split('/');
    return parts.reduce<unknown>((place, part) => {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
      const target = isReference(place) ? this.#at(place.$ref.slice(1)) : place;
      return typeof target === 'object' && target !== null
        ? Object.entries(target).find(([key]) => key === name)?.[1]
        : undefined;
    }, this.#document);
  }

  #compile(pointer: string): ValidateFunction {
    const text = JSON.stringify(this.#at(pointer)).replaceAll('"#/', '"document#/');
    const validate = this.#validators.get(text) ?? this.#ajv.compile(JSON.parse(text));
    this.#validators.set(text, validate);
    this.#byPointer.set(pointer, validate);
    return validate;
  }
}
