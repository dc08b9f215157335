import { z } from 'zod';
import { ServerEvent } from '../../../electron/contract/events.ts';
import { openApiDocument } from '../../../electron/contract/openapi.ts';
import type { Route } from '../../../electron/contract/route.ts';
import { routes } from '../../../electron/contract/routes.ts';
import { comment, Schema, typeText } from './type-text.ts';

const Parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  required: z.boolean(),
  description: z.string().optional(),
  schema: Schema,
});
type Parameter = z.output<typeof Parameter>;

const Media = z.object({ content: z.record(z.string(), z.object({ schema: Schema })).optional() });
type Media = z.output<typeof Media>;

const Operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  description: z.string().optional(),
  parameters: z.array(Parameter),
  requestBody: Media.optional(),
  responses: z.record(z.string(), Media),
});
type Operation = z.output<typeof Operation>;

/** The part of the OpenAPI document that this module reads. */
const Document = z.object({
  components: z.object({ schemas: z.record(z.string(), Schema) }),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
});

const parametersText = (parameters: readonly Parameter[]): string =>
  typeText(
    {
      type: 'object',
      properties: Object.fromEntries(
        parameters.map(({ name, schema, description }) => [
          name,
          {
            ...(schema.type === undefined && schema.enum === undefined ? anyPrimitive : schema),
            description,
          },
        ]),
      ),
      required: parameters.filter(({ required }) => required).map(({ name }) => name),
    },
    '    ',
  );

/** A query value without a simple type, which the server converts. */
const anyPrimitive: Schema = { type: ['string', 'number', 'boolean'] };

const bodyText = (body: Media): string => {
  const content = body.content ?? {};
  if ('multipart/form-data' in content) return 'FormData';
  if ('application/octet-stream' in content) return 'Blob';
  return typeText(content['application/json']?.schema ?? {}, '    ');
};

/** Whether an operation always answers with JSON, which its method then parses. */
const isJson = (route: Route): boolean => route.raw === undefined;

const resultText = (route: Route, { responses }: Operation): string => {
  if (!isJson(route)) return 'Response';
  const texts = Object.keys(route.responses).map((status) =>
    typeText(responses[status]?.content?.['application/json']?.schema ?? {}, '    '),
  );
  return [...new Set(texts)].join(' | ');
};

const operationText = (route: Route, operation: Operation): string => {
  const path = operation.parameters.filter((each) => each.in === 'path');
  const query = operation.parameters.filter((each) => each.in === 'query');
  const lines = [
    ...(path.length === 0 ? [] : [`params: ${parametersText(path)};`]),
    ...(query.length === 0
      ? []
      : [`query${query.some((each) => each.required) ? '' : '?'}: ${parametersText(query)};`]),
    ...(operation.requestBody === undefined ? [] : [`body: ${bodyText(operation.requestBody)};`]),
    `result: ${resultText(route, operation)};`,
  ];
  const { operationId, summary, description } = operation;
  const text = [summary, description].filter((part) => part !== undefined).join('. ');
  return `${comment(text, '  ')}  ${operationId}: {\n${lines.map((line) => `    ${line}\n`).join('')}  };\n`;
};

/** The schemas of events, with their shared parts under the names of the document's components. */
const eventSchemas = (): Readonly<Record<string, Schema>> => {
  const { $defs = {}, ...schema } = z.toJSONSchema(ServerEvent, { unrepresentable: 'any', reused: 'inline' });
  return { ...z.record(z.string(), Schema).parse($defs), ServerEvent: Schema.parse(schema) };
};

/** Names zod's numbered recursive schemas, of which the contract has one: any JSON value. */
const nameRecursive = (text: string): string => text.replace(/__schema\d+/g, 'Json');

/** The text of `operations.ts`: every type of the contract, and the endpoint of every operation. */
export const operationsText = (version: string): string => {
  const table: Readonly<Record<string, Route>> = routes;
  const document = Document.parse(openApiDocument(table, version));
  const schemas = Object.entries({ ...eventSchemas(), ...document.components.schemas });
  const found = Object.values(document.paths).flatMap((path) => Object.values(path));
  const operations = found.flatMap((operation) => {
    const route = table[operation.operationId];
    return route === undefined ? [] : [{ route, operation, id: operation.operationId }];
  });
  const endpoints = operations.map(
    ({ route, id }) =>
      `  ${id}: { method: '${route.method}', path: '${route.path}', json: ${isJson(route)} },\n`,
  );
  return [
    `// Generated from the contract of Earshot ${version}.\n`,
    ...new Set(
      schemas.map(([name, schema]) =>
        nameRecursive(`${comment(schema.description)}export type ${name} = ${typeText(schema)};\n`),
      ),
    ),
    `export interface Operations {\n${operations.map(({ route, operation }) => nameRecursive(operationText(route, operation))).join('')}}\n`,
    `export const operations = {\n${endpoints.join('')}} as const;\n`,
  ].join('\n');
};
