import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../../electron/contract/routes.ts';
import { type Browser, borrowBrowser } from '../../support/browser.ts';
import { ffmpeg } from '../../support/ffmpeg.ts';
import { fixturePath } from '../../support/fixtures.ts';
import { ROOT } from '../../support/paths.ts';
import { discard, startServer, type TestServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const run = promisify(execFile);
const PROGRAM = readFileSync(join(import.meta.dirname, 'program.txt'), 'utf8');

let server: TestServer;
let folder: string;
let project: string;
let installed: string;

/** The oldest Node that the client supports, if this machine has it beside the one that runs the tests. */
const oldNode = (process.env.PATH ?? '')
  .split(delimiter)
  .map((path) => join(path, 'node'))
  .filter((path) => existsSync(path) && !path.includes('node_modules'))
  .find((path) => /^v2[0-3]\./.test(execFileSync(path, ['--version'], { encoding: 'utf8' })));

beforeAll(async () => {
  folder = temporaryFolder();
  project = join(folder, 'project');
  mkdirSync(project);
  const built = join(folder, 'built');
  execFileSync(process.execPath, [join(ROOT, 'packages', 'earshot-client', 'build', 'main.ts'), built]);
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: built });
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'project', type: 'module' }));
  const npm = ['install', '--offline', '--no-audit', '--no-fund', join(folder, tarball)];
  execFileSync('npm', npm, { cwd: project, stdio: 'ignore' });
  installed = join(project, 'node_modules', 'earshot-client');
  const clip = join(project, 'talk.mp3');
  await ffmpeg('-i', fixturePath('01-short-note.wav'), '-t', '4.3', clip);
  server = await startServer({ quick: true, model: 'starter-parakeet' });
});

afterAll(async () => {
  await discard(server);
});

describe('the package', () => {
  it('installs without dependencies', () => {
    expect(readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      'earshot-client',
    ]);
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({ name: 'earshot-client', license: 'MIT', type: 'module' });
    expect(manifest.version).toBe(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version);
    expect(manifest).not.toHaveProperty('dependencies');
    const imports = readdirSync(installed)
      .filter((name) => /\.(js|d\.ts)$/.test(name))
      .flatMap((name) => [...readFileSync(join(installed, name), 'utf8').matchAll(/from '([^']+)'/g)]);
    expect(imports.every(([, specifier]) => specifier?.startsWith('./'))).toBe(true);
    expect(readdirSync(installed)).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'index.d.ts']));
  });

  it('has a method for every operation of the contract', async () => {
    const { createEarshot } = await import(join(installed, 'index.js'));
    expect(Object.keys(createEarshot())).toEqual(
      expect.arrayContaining([...Object.keys(routes), 'upload', 'follow', 'waitFor', 'transcribe']),
    );
  });
});

/** Uses the client wrongly in each line from the third on. */
const WRONG = `import { createEarshot } from 'earshot-client';
const earshot = createEarshot();
await earshot.getTranscript();
await earshot.createTranscript({ body: { audio_url: 1 } });
await earshot.createTranscript({ body: { audio_url: 'a', langauge: 'de' } });
(await earshot.health()).uptimes;
await earshot.getTranscript({ params: { name: 'tr_1' } });
await earshot.aaiCreate({ body: { audio_url: 'a', speech_understanding: { request: { translation: {} } } } });
`;

describe('a program in TypeScript', () => {
  /** What the compiler said. Both programs in one run, which writes a program's JavaScript despite errors in the other. */
  let said: string;
  beforeAll(async () => {
    for (const [name, text] of Object.entries({ program: PROGRAM, wrong: WRONG }))
      writeFileSync(join(project, `${name}.ts`), text);
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
    const target = ['--target', 'es2022', '--lib', 'es2022,dom,dom.iterable,dom.asynciterable'];
    const module = ['--module', 'nodenext', '--types', ''];
    const args = [tsc, ...strict, ...target, ...module, 'program.ts', 'wrong.ts'];
    const compiled = run(process.execPath, args, { cwd: project });
    said = await compiled.then(
      ({ stdout }) => stdout,
      (error: unknown) =>
        error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error),
    );
  });

  it('compiles against its types and runs in Node', async () => {
    // Every error names its file; what the other program is told goes on in indented lines.
    const errors = said.split('\n').filter((line) => /^\S/.test(line) && !line.startsWith('wrong.ts('));
    expect(errors).toEqual([]);
    const { stdout } = await run(oldNode ?? process.execPath, ['program.js'], {
      cwd: project,
      env: { ...process.env, EARSHOT_URL: server.url, EARSHOT_API_KEY: server.key },
    });
    const seen = JSON.parse(stdout);
    expect(seen.text).toMatch(/^Good morning/);
    expect(seen).toMatchObject({
      uploaded: 1,
      progressed: true,
      events: ['snapshot', 'file.created', 'transcript.created'],
      missing: { name: 'ApiError', status: 404, code: 'transcript_not_found', named: true },
      failed: { name: 'TranscriptionError', code: 'not_media' },
      stopped: 'AbortError',
      models: ['universal-3-5-pro', 'universal-2'],
      asked: ['David Clark'],
      logprobs: true,
      srt: true,
    });
  });

  it('does not compile with wrong types', () => {
    const lines = [...said.matchAll(/wrong\.ts\((\d+),/g)].map(([, line]) => Number(line));
    expect(lines).toEqual([3, 4, 5, 6, 7, 8]);
  });
});

describe('a page of another origin', () => {
  let pages: Server;
  let browser: Browser;
  let origin: string;
  beforeAll(async () => {
    pages = createServer((request, response) => {
      const name = new URL(request.url ?? '/', 'http://localhost').pathname.slice(1);
      const isModule = /^(?:eventsource-parser\/)?[\w-]+\.js$/.test(name);
      response.setHeader('content-type', isModule ? 'text/javascript' : 'text/html');
      response.end(isModule ? readFileSync(join(installed, name)) : '<!doctype html><title>A page</title>');
    });
    await new Promise<void>((ready) => pages.listen(0, '127.0.0.1', ready));
    const address = pages.address();
    origin = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
    browser = await borrowBrowser();
  });
  afterAll(async () => {
    await browser.close();
    pages.closeAllConnections();
    await new Promise((closed) => pages.close(closed));
  });

  const inPage = async (page: Page) => {
    const seen: unknown = await page.evaluate(`(async () => {
      const { createEarshot } = await import('/index.js');
      const earshot = createEarshot({ baseUrl: '${server.url}', key: '${server.key}' });
      const bytes = new Uint8Array(${JSON.stringify([...readFileSync(join(project, 'talk.mp3'))])});
      const shares = [];
      try {
        const { text } = await earshot.transcribe(new File([bytes], 'talk.mp3', { type: 'audio/mpeg' }), {
          onUpload: (share) => shares.push(share),
        });
        return { text, sent: shares.at(-1) };
      } catch (error) {
        return { failed: error.name };
      }
    })()`);
    return seen;
  };

  it('uploads and transcribes in a browser once its origin is allowed', async () => {
    const page = await (await browser.newContext()).newPage();
    await page.goto(origin);
    expect(await inPage(page)).toEqual({ failed: 'TypeError' });
    await server.client.call('patchSettings', { body: { 'network.allowedOrigins': [origin] } });
    expect(await inPage(page)).toEqual({ text: expect.stringMatching(/^Good morning/), sent: 1 });
  });
});
