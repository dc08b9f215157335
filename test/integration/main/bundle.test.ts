import { isAscii } from 'node:buffer';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { analyze } from '../../../electron/core/analysis/analyze.ts';
import { AnalysisThreads } from '../../../electron/core/analysis/analyze-in-thread.ts';
import { createSpeakerModelTrial } from '../../../electron/core/engines/diarizer/diarizer.ts';
import { forkNodeWorker } from '../../../electron/core/engines/worker/client.ts';
import { testAddon } from '../../support/addon.ts';
import { fixturePath, ONE_SENTENCE } from '../../support/fixtures.ts';
import { ROOT } from '../../support/paths.ts';
import { speakerModels } from '../../support/speaker-models.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { transcriptOf } from '../../unit/analysis/support/transcripts.ts';

/** A whole `npm test` has just built the bundle. */
const isBuilt = process.env.EARSHOT_TEST_PROGRAM === 'bundled';

/** Inside the project, so that the bundle finds the native packages, which it does not hold. */
const FOLDER = isBuilt ? join(ROOT, 'out') : join(ROOT, '.earshot', `bundle-test-${process.pid}`);

/** In `npm test` the services of all other tests analyze and tell voices apart in what it has built. */
const isAlone = !isBuilt;

const bundled = (name: string): string => join(FOLDER, 'main', name);

beforeAll(async () => {
  if (isBuilt) return;
  const program = join(ROOT, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js');
  const build = join(import.meta.dirname, 'support', 'main-only.config.ts');
  await promisify(execFile)(process.execPath, [program, 'build', '--config', build], {
    cwd: ROOT,
    env: { ...process.env, EARSHOT_BUNDLE: join(FOLDER, 'main') },
  });
});

afterAll(async () => {
  if (!isBuilt) await rm(FOLDER, { recursive: true, force: true });
});

describe('the bundle of the desktop program', () => {
  it('holds a file for everything that runs beside the main process', () => {
    for (const name of ['index.js', 'earshot.js', 'worker.js', 'analysis-thread.js', 'database-thread.js']) {
      expect(existsSync(bundled(name)), name).toBe(true);
    }
  });

  it('is ASCII, of which V8 keeps a byte for each character instead of two', async () => {
    const files = (await readdir(join(FOLDER, 'main'))).filter((name) => name.endsWith('.js'));
    const others = files.filter((name) => !isAscii(readFileSync(bundled(name))));
    expect([files.length > 5, others]).toEqual([true, []]);
  });

  it('has the command line, with the version of the sources', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [bundled('earshot.js'), '--version']);
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(stdout.trim()).toBe(version);
  });

  it('starts without what a service may never need: downloads, the guide’s Markdown, exports', async () => {
    const preload = join(ROOT, 'test', 'support', 'loaded-code.mjs');
    const serve = ['serve', '--json', '--port', '0', '--data-dir', temporaryFolder()];
    const service = spawn(process.execPath, [`--import=${preload}`, bundled('earshot.js'), ...serve], {
      env: { ...process.env, EARSHOT_ADDON: await testAddon() },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const errors = text(service.stderr);
    await once(service.stdout, 'data');
    service.kill('SIGTERM');
    const { files, own }: { files: string[]; own: string[] } = JSON.parse(
      (await errors).trim().split('\n').at(-1) ?? '',
    );
    expect(own).toContain('NativeModule http');
    expect(own).not.toContain('NativeModule internal/deps/undici/undici');
    const chunks = files.filter((url) => url.startsWith('file:')).map((url) => fileURLToPath(url));
    expect(chunks.length).toBeGreaterThan(20);
    const names = readdirSync(join(FOLDER, 'main')).filter((name) => name.endsWith('.js'));
    // The last is what string-width compiles as it is loaded.
    for (const part of ['node_modules/undici/', 'node_modules/marked/', 'RGI_Emoji']) {
      const having = names.map(bundled).filter((file) => readFileSync(file, 'latin1').includes(part));
      expect(having, part).not.toEqual([]);
      expect(having.filter((file) => chunks.includes(file))).toEqual([]);
    }
  });

  it('transcribes away from the sources, with the three native packages alone', async () => {
    const program = temporaryFolder();
    await cp(join(FOLDER, 'main'), join(program, 'out', 'main'), { recursive: true });
    await writeFile(join(program, 'package.json'), '{"type":"module"}');
    await mkdir(join(program, 'node_modules'));
    const platform = `${process.platform}-${process.arch}`;
    const native = ['@node-rs', 'better-sqlite3', 'sherpa-onnx-node', `sherpa-onnx-${platform}`];
    for (const name of native)
      await cp(join(ROOT, 'node_modules', name), join(program, 'node_modules', name), { recursive: true });
    await symlink(join(ROOT, 'resources'), join(program, 'resources'));
    const transcribe = ['transcribe', fixturePath(ONE_SENTENCE)];
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(program, 'out', 'main', 'earshot.js'), ...transcribe, '--data-dir', temporaryFolder()],
      { cwd: program, env: { ...process.env, EARSHOT_ADDON: await testAddon() } },
    );
    expect(stdout).toMatch(/\[00:00\.\d → 00:0\d\.\d\] {2}\w/);
  });
});

if (isAlone)
  describe('the parts of the bundle by themselves', () => {
    it('analyses in the bundled thread as the sources do', async () => {
      const transcript = transcriptOf(['Maria Lopez lives in Paris.', 'Her number is 555-014-2367.']);
      const asked = { entity_detection: true, topics: true, summarization: true };
      const entry = pathToFileURL(bundled('analysis-thread.js'));
      const made = await new AnalysisThreads(entry).analyze(transcript, asked, { secret: 'x' });
      expect(made.entities?.length).toBeGreaterThan(1);
      expect(made).toEqual(await analyze(transcript, asked, { secret: 'x' }));
    });

    it('starts the bundled worker', async () => {
      const { segmentation, embedding } = speakerModels;
      const tryModel = createSpeakerModelTrial(forkNodeWorker(bundled('worker.js')));
      await tryModel({ part: 'embedding', path: embedding, counterpart: segmentation });
    });
  });
