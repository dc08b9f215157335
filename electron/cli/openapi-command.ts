import type { Command } from 'commander';
import { routes } from '../contract/routes.ts';
import { VERSION } from './environment.ts';
import { print } from './terminal.ts';

/** `earshot openapi`: the API's document, without a server. */
export const addOpenApi = (program: Command): void => {
  program
    .command('openapi')
    .description('print the OpenAPI document of the API')
    .action(async () => {
      const { openApiDocument } = await import('../contract/openapi.ts');
      await print(`${JSON.stringify(openApiDocument(routes, VERSION), undefined, 1)}\n`);
    });
};
