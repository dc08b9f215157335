// The developer's loop without Electron: the service from its sources, restarted when one of them changes, and the
// window with hot module replacement on a page whose /v1 leads to that service.
//
//   npm run dev [-- options of earshot serve]
//
// Works on a data folder and a port of its own, with a fixed key, so that a restart neither
// signs the page out nor touches anybody's recordings.

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createServer } from 'vite';
import { root } from './places.mjs';
import { printLine } from './processes.mjs';

const key = process.env.EARSHOT_API_KEY ?? `ek_${randomBytes(24).toString('hex')}`;

const service = spawn(
  process.execPath,
  [
    ...['--watch', '--watch-preserve-output', join(root, 'electron', 'cli', 'main.ts'), 'serve', '--json'],
    ...['--port', '3278', ...process.argv.slice(2)],
  ],
  { cwd: root, env: { ...process.env, EARSHOT_API_KEY: key }, stdio: ['ignore', 'pipe', 'inherit'] },
);

/** Signs the page in: what the link that `earshot serve` prints does, but for every reload. */
const signIn = {
  name: 'earshot-sign-in',
  transformIndexHtml: () => [
    {
      tag: 'script',
      injectTo: 'head-prepend',
      children: `sessionStorage.setItem('earshot.session', ${JSON.stringify(key)});`,
    },
  ],
};

const serveWindow = async (url) => {
  process.env.EARSHOT_DEV_SERVICE = url;
  const { default: config } = await import('../../../electron.vite.config.ts');
  const { plugins = [], ...renderer } = config.renderer ?? {};
  const server = await createServer({
    ...renderer,
    configFile: false,
    plugins: [...plugins, signIn],
    server: { ...renderer.server, host: '127.0.0.1' },
  });
  await server.listen();
  return server;
};

let page;
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
  process.on(signal, () => service.kill(signal));
service.once('exit', async (code) => {
  await (await page)?.close();
  process.exit(code ?? 0);
});
createInterface({ input: service.stdout }).on('line', async (line) => {
  if (!line.startsWith('{')) return;
  const { url } = JSON.parse(line);
  const isFirst = page === undefined;
  page ??= serveWindow(url);
  const [address] = (await page).resolvedUrls?.local ?? [];
  printLine(
    isFirst
      ? `\n  Window   ${address}\n  API      ${url}/v1\n  Key      ${key}\n`
      : 'The service has restarted.',
  );
});
