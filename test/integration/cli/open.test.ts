import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { fixturePath } from '../../support/fixtures.ts';
import { SYNTHETIC, spawnEarshot } from '../../support/server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';

/** A program in place of a browser: notes its options, and ends once the file `close` exists. */
const BROWSER = `#!/bin/sh
printf '%s\\n' "$@" > "$0.options.new"
mv "$0.options.new" "$0.options"
until [ -e "$0.close" ]; do sleep 0.1; done
`;

const fakeBrowser = (script = BROWSER): string => {
  const path = join(temporaryFolder(), 'browser');
  writeFileSync(path, script);
  chmodSync(path, 0o755);
  return path;
};

const open = (dataDir: string, browser: string, ...given: string[]): Promise<ChildProcess> =>
  spawnEarshot(['open', ...given, ...SYNTHETIC, '--port', '0', '--data-dir', dataDir], {
    EARSHOT_CHROMIUM: browser,
    DISPLAY: ':99',
  });

const optionsOf = async (browser: string): Promise<string[]> => {
  await until(() => existsSync(`${browser}.options`));
  return readFileSync(`${browser}.options`, 'utf8').trim().split('\n');
};

const ended = async (child: ChildProcess) => {
  if (child.stderr === null) throw new Error('no output to read');
  const closed = once(child, 'close');
  const said = await text(child.stderr);
  const [code] = await closed;
  return { code, said };
};

const linkIn = (options: readonly string[]): URL =>
  new URL(options.find((option) => option.startsWith('--app='))?.slice('--app='.length) ?? '');

/** A whole line with a link: what is written may come in pieces. */
const LINK = /http:\S+#token=\S+(?=\s)/;

it.runIf(process.platform === 'linux')(
  'earshot open runs the service as long as its window is open, which leads to the form for a recording',
  async () => {
    const dataDir = temporaryFolder();
    const browser = fakeBrowser();
    const first = ended(await open(dataDir, browser, pathToFileURL(fixturePath('00-one-sentence.wav')).href));
    const options = await optionsOf(browser);
    expect(options).toContain(`--user-data-dir=${join(dataDir, 'window')}`);
    const link = linkIn(options);
    expect(link.hash).toMatch(/^#token=/);
    const place = new URLSearchParams(link.hash.slice(1)).get('to') ?? '';
    expect(place).toMatch(/^\/new\?stored=%2Fusr_.*one-sentence.*&name=00-one-sentence\.wav$/);
    expect((await fetch(`${link.origin}/v1/health`)).ok).toBe(true);

    // Another window of the service that runs, and one where a link leads.
    const other = fakeBrowser();
    const second = await ended(await open(dataDir, other));
    expect([second.code, second.said]).toEqual([0, expect.stringContaining('is running already')]);
    const otherLink = linkIn(await optionsOf(other));
    expect(otherLink.origin).toBe(link.origin);
    expect(otherLink.hash).toMatch(/^#token=[^&]+$/);
    expect(otherLink.hash).not.toBe(link.hash);
    writeFileSync(`${other}.close`, '');
    const third = fakeBrowser();
    expect((await ended(await open(dataDir, third, 'earshot://queue'))).code).toBe(0);
    expect(linkIn(await optionsOf(third)).hash).toMatch(/^#token=[^&]+&to=%2Fqueue$/);
    writeFileSync(`${third}.close`, '');
    for (const given of ['earshot://settings/delete', '/nowhere/talk.mp3']) {
      const refused = await ended(await open(dataDir, third, given));
      expect([refused.code, refused.said]).toEqual([2, expect.stringContaining(given)]);
    }

    writeFileSync(`${browser}.close`, '');
    expect((await first).code).toBe(0);
    await expect(fetch(`${link.origin}/v1/health`)).rejects.toThrow();
  },
);

it.runIf(process.platform === 'linux')(
  'a browser that does not start leaves the service running',
  async () => {
    const browser = fakeBrowser('#!/bin/sh\nexit 1\n');
    const child = await open(temporaryFolder(), browser);
    const stopped = ended(child);
    const printed = await new Promise<string>((resolve) => {
      let said = '';
      child.stderr?.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        const found = LINK.exec(said)?.[0];
        if (found !== undefined) resolve(found);
      });
    });
    const link = new URL(printed);
    expect((await fetch(`${link.origin}/v1/health`)).ok).toBe(true);
    execFileSync('kill', [String(child.pid)]);
    expect((await stopped).code).toBe(0);
  },
);
