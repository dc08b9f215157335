import type { Command } from 'commander';
import { routes } from '../contract/routes.ts';
import { addCompletion } from './completion.ts';
import { addDoctor } from './doctor.ts';
import { VERSION } from './environment.ts';
import { addManual } from './manual.ts';
import { printResult } from './terminal.ts';

const addOpenApi = (program: Command): void => {
  program
    .command('openapi')
    .description('print the OpenAPI document of the API')
    .action(async () => {
      const { formatDocument, openApiDocument } = await import('../contract/openapi.ts');
      await printResult(formatDocument(openApiDocument(routes, VERSION)));
    });
};

/** `earshot doctor`, `openapi`, `completion` and `manual`. */
export const addSystemCommands = (program: Command): void => {
  addDoctor(program);
  addOpenApi(program);
  addCompletion(program);
  addManual(program);
};
