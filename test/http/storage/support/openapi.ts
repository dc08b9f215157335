import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

type Schema = Record<string, unknown>;
type Answer = { content?: Record<string, { schema: Schema }> };
type Operation = { responses: Record<string, Answer | { $ref: string }> };
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: Schema & { responses: Record<string, Answer> };
};

/** Checks an answer against the OpenAPI document; returns the issue, or undefined. */
export type AnswerCheck = (method: string, path: string, status: number, body: unknown) => string | undefined;

/** Fetches the server's OpenAPI document and compiles a check from it. */
export const answerCheck = async (url: string): Promise<AnswerCheck> => {
  // The document's form is fixed by the OpenAPI specification.
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as Document;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema({ $id: 'document', components: document.components });
  return (method, path, status, body) => {
    const named = document.paths[path]?.[method.toLowerCase()]?.responses[String(status)];
    const shared = named !== undefined && '$ref' in named ? named.$ref.split('/').at(-1) : undefined;
    const answer =
      named === undefined || !('$ref' in named) ? named : document.components.responses[shared ?? ''];
    if (answer === undefined) return `${method} ${path} does not declare ${status}`;
    const schema = answer.content?.['application/json']?.schema;
    if (schema === undefined) return `${method} ${path} declares no JSON for ${status}`;
    const relocated: Schema = JSON.parse(
      JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/'),
    );
    const validate = ajv.compile(relocated);
    return validate(body) ? undefined : `${method} ${path} ${status}: ${ajv.errorsText(validate.errors)}`;
  };
};
