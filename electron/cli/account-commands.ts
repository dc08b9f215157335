import type { Command } from 'commander';
import type { z } from 'zod';
import { isSettingKey } from '../contract/settings.ts';
import { withConnection } from './connect.ts';
import { type ServerOptions, UsageError } from './environment.ts';
import { withServerOptions } from './serve.ts';
import { printMessage, printResult, style, table } from './terminal.ts';

const formatDate = (time: string | null): string =>
  time === null ? 'never' : time.slice(0, 16).replace('T', ' ');

const printSecret = async (name: string, key: string): Promise<void> => {
  await printResult(`${key}\n`);
  printMessage(style('dim', `The key "${name}" is shown this once only. Keep it somewhere safe.`));
};

const addKeys = (program: Command): void => {
  const keys = program.command('keys').description('API keys of the owner');
  withServerOptions(keys.command('list'))
    .description('list keys, never their secrets')
    .action((options: ServerOptions) =>
      withConnection(options, async ({ client }) => {
        const { data } = await client.call('listKeys');
        const rows = data.map((key) => [
          key.id,
          key.name,
          `${key.prefix}…`,
          formatDate(key.created_at),
          formatDate(key.last_used_at),
        ]);
        await printResult(`${table([['ID', 'NAME', 'KEY', 'CREATED', 'LAST USED'], ...rows])}\n`);
      }),
    );
  withServerOptions(keys.command('create'))
    .argument('<name>', 'what the key is for')
    .description('create a key and print it once')
    .action((name: string, options: ServerOptions) =>
      withConnection(options, async ({ client }) => {
        const { data } = await client.call('createKey', { body: { name } });
        await printSecret(data.name, data.key);
      }),
    );
  withServerOptions(keys.command('rotate'))
    .argument('<id>')
    .description('give a key a new secret; the old one stops working at once')
    .action((id: string, options: ServerOptions) =>
      withConnection(options, async ({ client }) => {
        const { data } = await client.call('rotateKey', { params: { id } });
        await printSecret(data.name, data.key);
      }),
    );
  withServerOptions(keys.command('revoke'))
    .argument('<id>')
    .description('revoke a key')
    .action((id: string, options: ServerOptions) =>
      withConnection(options, async ({ client }) => {
        await client.call('revokeKey', { params: { id } });
        printMessage('The key is revoked.');
      }),
    );
};

const addUsers = (program: Command): void => {
  const users = program.command('users').description('people with their own transcripts, files and keys');
  withServerOptions(users.command('list'))
    .description('list users')
    .action((options: ServerOptions) =>
      withConnection(options, async ({ client }) => {
        const { data } = await client.call('listUsers');
        const rows = data.map((user) => [
          user.id,
          user.name,
          user.owner ? 'owner' : '',
          formatDate(user.created_at),
        ]);
        await printResult(`${table([['ID', 'NAME', '', 'CREATED'], ...rows])}\n`);
      }),
    );
  withServerOptions(users.command('create'))
    .argument('<name>')
    .description('create a user and print the first key once')
    .action((name: string, options: ServerOptions) =>
      withConnection(options, async ({ client }) => {
        const { data } = await client.call('createUser', { body: { name } });
        await printSecret(`${data.user.name}: ${data.key.name}`, data.key.key);
      }),
    );
  withServerOptions(users.command('delete'))
    .argument('<id>')
    .description('delete a user with all transcripts, files and keys')
    .action((id: string, options: ServerOptions) =>
      withConnection(options, async ({ client }) => {
        await client.call('deleteUser', { params: { id } });
        printMessage('The user is deleted.');
      }),
    );
};

type SettingValue = z.output<ReturnType<typeof z.json>>;

/** Parses `true`, `12` and `["a"]` as JSON and everything else as text. */
const parseSettingValue = (text: string): SettingValue => {
  try {
    return JSON.parse(text);
  } catch {
    // Plain text, as in `settings set models.aliases.mini small-q8_0`.
    return text;
  }
};

const unknownSetting = (key: string): UsageError =>
  new UsageError(`There is no setting ${key}: \`earshot settings list\` shows all.`);

const addSettings = (program: Command): void => {
  const settings = program.command('settings').description('settings of this installation');
  withServerOptions(settings.command('list', { isDefault: true }))
    .description('list settings with their values')
    .action((options: ServerOptions) =>
      withConnection(options, async ({ client }) => {
        const { data } = await client.call('getSettings');
        const rows = data.map((s) => [
          s.key,
          JSON.stringify(s.value),
          s.source === 'default' ? '' : s.source,
          s.help,
        ]);
        await printResult(`${table([['SETTING', 'VALUE', 'FROM', 'MEANING'], ...rows])}\n`);
      }),
    );
  withServerOptions(settings.command('get'))
    .argument('<key>')
    .description('print one value')
    .action((key: string, options: ServerOptions) =>
      withConnection(options, async ({ client }) => {
        const { data } = await client.call('getSettings');
        const found = data.find((setting) => setting.key === key);
        if (found === undefined) throw unknownSetting(key);
        await printResult(`${typeof found.value === 'string' ? found.value : JSON.stringify(found.value)}\n`);
      }),
    );
  const change = (key: string, value: SettingValue, options: ServerOptions) =>
    withConnection(options, async ({ client }) => {
      if (!isSettingKey(key)) throw unknownSetting(key);
      const { data, needs_restart } = await client.call('patchSettings', { body: { [key]: value } });
      const current = data.find((setting) => setting.key === key);
      const when =
        current?.source === 'run'
          ? `, but the service was started with ${JSON.stringify(current.value)}: that counts until it ends`
          : needs_restart.includes(key) && '; it takes effect at the next start';
      printMessage(`${key} is ${value === null ? 'reset' : 'set'}${when || ''}.`);
    });
  withServerOptions(settings.command('set'))
    .argument('<key>')
    .argument('<value>', 'JSON, or plain text')
    .description('change a setting')
    .action((key: string, value: string, options: ServerOptions) =>
      change(key, parseSettingValue(value), options),
    );
  withServerOptions(settings.command('unset'))
    .argument('<key>')
    .description('reset a setting to its default')
    .action((key: string, options: ServerOptions) => change(key, null, options));
};

/** `earshot keys`, `users` and `settings`. */
export const addAccountCommands = (program: Command): void => {
  addKeys(program);
  addUsers(program);
  addSettings(program);
};
