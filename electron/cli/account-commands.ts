import type { Command } from 'commander';
import type { z } from 'zod';
import { using } from './connect.ts';
import { type ServerOptions, UsageError } from './environment.ts';
import { withServerOptions } from './serve.ts';
import { print, say, style, table } from './terminal.ts';

const date = (time: string | null): string => (time === null ? 'never' : time.slice(0, 16).replace('T', ' '));

const printSecret = async (name: string, key: string): Promise<void> => {
  await print(`${key}\n`);
  say(style('dim', `The key "${name}" is shown this once only. Keep it somewhere safe.`));
};

const addKeys = (program: Command): void => {
  const keys = program.command('keys').description('API keys of the owner');
  withServerOptions(keys.command('list'))
    .description('list keys, never their secrets')
    .action((options: ServerOptions) =>
      using(options, async ({ client }) => {
        const { data } = await client.call('listKeys');
        const rows = data.map((key) => [
          key.id,
          key.name,
          `${key.prefix}…`,
          date(key.created_at),
          date(key.last_used_at),
        ]);
        await print(`${table([['ID', 'NAME', 'KEY', 'CREATED', 'LAST USED'], ...rows])}\n`);
      }),
    );
  withServerOptions(keys.command('create'))
    .argument('<name>', 'what the key is for')
    .description('create a key and print it once')
    .action((name: string, options: ServerOptions) =>
      using(options, async ({ client }) => {
        const { data } = await client.call('createKey', { body: { name } });
        await printSecret(data.name, data.key);
      }),
    );
  withServerOptions(keys.command('rotate'))
    .argument('<id>')
    .description('give a key a new secret; the old one ends at once')
    .action((id: string, options: ServerOptions) =>
      using(options, async ({ client }) => {
        const { data } = await client.call('rotateKey', { params: { id } });
        await printSecret(data.name, data.key);
      }),
    );
  withServerOptions(keys.command('revoke'))
    .argument('<id>')
    .description('end a key')
    .action((id: string, options: ServerOptions) =>
      using(options, async ({ client }) => {
        await client.call('revokeKey', { params: { id } });
        say('The key is revoked.');
      }),
    );
};

const addUsers = (program: Command): void => {
  const users = program.command('users').description('people with their own transcripts, files and keys');
  withServerOptions(users.command('list'))
    .description('list users')
    .action((options: ServerOptions) =>
      using(options, async ({ client }) => {
        const { data } = await client.call('listUsers');
        const rows = data.map((user) => [
          user.id,
          user.name,
          user.owner ? 'owner' : '',
          date(user.created_at),
        ]);
        await print(`${table([['ID', 'NAME', '', 'CREATED'], ...rows])}\n`);
      }),
    );
  withServerOptions(users.command('create'))
    .argument('<name>')
    .description('create a user and print the first key once')
    .action((name: string, options: ServerOptions) =>
      using(options, async ({ client }) => {
        const { data } = await client.call('createUser', { body: { name } });
        await printSecret(`${data.user.name}: ${data.key.name}`, data.key.key);
      }),
    );
  withServerOptions(users.command('delete'))
    .argument('<id>')
    .description('delete a user with all transcripts, files and keys')
    .action((id: string, options: ServerOptions) =>
      using(options, async ({ client }) => {
        await client.call('deleteUser', { params: { id } });
        say('The user is deleted.');
      }),
    );
};

type SettingValue = z.output<ReturnType<typeof z.json>>;

/** `true`, `12` and `["a"]` are JSON; anything else is text. */
const settingValue = (text: string): SettingValue => {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: the text itself is meant, as in `settings set models.aliases.mini starter`.
    return text;
  }
};

const addSettings = (program: Command): void => {
  const settings = program.command('settings').description('settings of this installation');
  withServerOptions(settings.command('list', { isDefault: true }))
    .description('list settings with their values')
    .action((options: ServerOptions) =>
      using(options, async ({ client }) => {
        const { data } = await client.call('getSettings');
        const rows = data.map((s) => [
          s.key,
          JSON.stringify(s.value),
          s.source === 'default' ? '' : s.source,
          s.help,
        ]);
        await print(`${table([['SETTING', 'VALUE', 'FROM', 'MEANING'], ...rows])}\n`);
      }),
    );
  withServerOptions(settings.command('get'))
    .argument('<key>')
    .description('print one value')
    .action((key: string, options: ServerOptions) =>
      using(options, async ({ client }) => {
        const { data } = await client.call('getSettings');
        const found = data.find((setting) => setting.key === key);
        if (found === undefined)
          throw new UsageError(`There is no setting ${key}: \`earshot settings list\` shows all.`);
        await print(`${typeof found.value === 'string' ? found.value : JSON.stringify(found.value)}\n`);
      }),
    );
  const change = (key: string, value: SettingValue, options: ServerOptions) =>
    using(options, async ({ client }) => {
      const { needs_restart } = await client.call('patchSettings', { body: { [key]: value } });
      say(
        needs_restart.includes(key) ? `${key} is set; it takes effect at the next start.` : `${key} is set.`,
      );
    });
  withServerOptions(settings.command('set'))
    .argument('<key>')
    .argument('<value>', 'JSON, or plain text')
    .description('change a setting')
    .action((key: string, value: string, options: ServerOptions) =>
      change(key, settingValue(value), options),
    );
  withServerOptions(settings.command('unset'))
    .argument('<key>')
    .description('put a setting back to its default')
    .action((key: string, options: ServerOptions) => change(key, null, options));
};

/** `earshot keys`, `users` and `settings`. */
export const addAccountCommands = (program: Command): void => {
  addKeys(program);
  addUsers(program);
  addSettings(program);
};
