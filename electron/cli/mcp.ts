import type { Command } from 'commander';
import { connect } from './connect.ts';
import type { ServerOptions } from './environment.ts';
import { withServerOptions } from './serve.ts';

export const addMcp = (program: Command): void => {
  withServerOptions(
    program
      .command('mcp')
      .description(
        'offer the recordings to a local assistant over stdin and stdout (Model Context Protocol)',
      ),
  ).action(async (options: ServerOptions) => {
    const { bridge } = await import('./mcp-bridge.ts');
    // An assistant may run all day: the command whose service this one finds does not wait for it.
    await bridge(() => connect(options, { holds: false }));
  });
};
