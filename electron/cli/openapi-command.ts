import type { Command } from 'commander';
import { openApiDocument } from '../contract/openapi.ts';
import { routes } from '../contract/routes.ts';
import { VERSION } from './environment.ts';
import { print } from './terminal.ts';

/** `earshot openapi`: the API's document, without a server. */
export const addOpenApi = (program: Command): void => {
  program
    .command('openapi')
    .description('print the OpenAPI document of the API')
    .action(() => print(`${JSON.stringify(openApiDocument(routes, VERSION), undefined, 1)}\n`));
};
