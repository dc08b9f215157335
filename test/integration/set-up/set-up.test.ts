import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeProject, type Project } from './project.ts';

let project: Project;
beforeEach(() => {
  project = makeProject();
});

const stamp = () => join(project.root, 'node_modules', '.earshot-stamp');

/** Adds an npm that records its command and installs the project's package. */
function addNpm() {
  const leaf = join(project.root, 'node_modules', 'leaf');
  project.addProgram(
    'npm',
    `echo "$1" >> "${project.root}/npm-calls"; mkdir -p "${leaf}"; sleep 0.5; echo '{"version":"1.0.0"}' > "${leaf}/package.json"`,
  );
}

const npmCalls = () => {
  const path = join(project.root, 'npm-calls');
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
};

describe('the packages', () => {
  it('are installed once if missing, with output on stderr only', async () => {
    addNpm();
    const first = await project.run(['build']);
    expect(first).toMatchObject({ code: 0, stdout: '' });
    expect(first.stderr).toMatch(/packages\s+installing the locked npm packages · \d/);
    expect(await project.run(['build'])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(npmCalls()).toEqual(['ci']);
  });

  it('are accepted without npm after a manual install', async () => {
    project.addPackages();
    expect(await project.run(['build'])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(existsSync(stamp())).toBe(true);
  });

  it('are installed again after a change of the lockfile', async () => {
    addNpm();
    await project.run(['build']);
    const lockfile = join(project.root, 'package-lock.json');
    writeFileSync(
      lockfile,
      readFileSync(lockfile, 'utf8').replaceAll('"version":"1.0.0"', '"version":"1.0.1"'),
    );
    await project.run(['build']);
    expect(npmCalls()).toEqual(['ci', 'ci']);
  });

  it('are installed by one of two concurrent set-ups while the other waits', async () => {
    addNpm();
    const both = await Promise.all([project.run(['build']), project.run(['build'])]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(npmCalls()).toEqual(['ci']);
  });

  it('are installed despite the lock of a set-up that died', async () => {
    addNpm();
    mkdirSync(join(project.root, '.earshot'));
    // Above every system's limit of process ids.
    writeFileSync(join(project.root, '.earshot', 'setup.lock'), '99999999');
    expect((await project.run(['build'])).code).toBe(0);
    expect(npmCalls()).toEqual(['ci']);
  });

  it('are installed by npm install if npm ci refuses the lockfile', async () => {
    const calls = join(project.root, 'npm-calls');
    project.addProgram(
      'npm',
      `echo "$1" >> "${calls}"; [ "$1" = install ] && { mkdir -p node_modules; exit 0; }; echo "npm error code EUSAGE"; exit 1`,
    );
    expect((await project.run(['build'])).code).toBe(0);
    expect(npmCalls()).toEqual(['ci', 'install']);
  });

  it('come from npm’s own cache without a network, which one sentence names if they are not there', async () => {
    const calls = join(project.root, 'npm-calls');
    project.addProgram('npm', `echo "$@" >> "${calls}"; echo "npm error code ENOTCACHED"; exit 1`);
    // No machine has this name, and none listens on the other.
    for (const registry of ['http://registry.invalid/', 'http://127.0.0.1:9/']) {
      const { code, stderr } = await project.run(['build'], { npm_config_registry: registry });
      expect(code).toBe(1);
      expect(stderr.trim().split('\n').at(-1)).toBe(
        `No network: the npm packages must be installed, and ${new URL(registry).hostname} cannot be reached. Connect and try again.`,
      );
    }
    expect(npmCalls().every((call) => call.includes('--offline'))).toBe(true);
  });

  it('come from the registry of npm’s own configuration', async () => {
    project.addProgram(
      'npm',
      '[ "$1" = config ] && { echo http://127.0.0.1:9/; exit 0; }; echo "npm error code ENOTCACHED"; exit 1',
    );
    const { stderr } = await project.run(['build'], { npm_config_registry: '' });
    expect(stderr).toContain(
      'No network: the npm packages must be installed, and 127.0.0.1 cannot be reached.',
    );
  });

  it('show the end of a failed npm’s output, and leave no stamp', async () => {
    project.addProgram('npm', 'echo "npm error network down" >&2; exit 7');
    const { code, stdout, stderr } = await project.run(['build']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('npm could not install the packages (exit code 7)');
    expect(stderr).toContain('npm error network down');
    expect(stderr).toContain('packages.log');
    expect(existsSync(stamp())).toBe(false);
  });
});

describe('system programs', () => {
  it('are listed if missing, with the command that installs them', async () => {
    project.addPackages();
    project.addProgram('dnf', 'exit 1');
    const { code, stdout, stderr } = await project.run(['transcribe']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^Not found: ffmpeg, ffprobe\. Install with:/);
    expect(stderr).toContain('dnf install -y ffmpeg-free');
  });

  it('include the ffmpeg of FFMPEG_PATH, which must exist', async () => {
    project.addPackages();
    const { code, stderr } = await project.run(['transcribe'], { FFMPEG_PATH: '/no/such/ffmpeg' });
    expect(code).toBe(1);
    expect(stderr).toContain('FFMPEG_PATH is /no/such/ffmpeg, and there is no such file.');
  });
});

describe('the program of a task', () => {
  /** Completes the project, with `source` as its command line. */
  function ready(source: string) {
    project.addPackages();
    for (const name of ['ffmpeg', 'ffprobe']) project.addProgram(name, 'exit 0');
    mkdirSync(join(project.root, 'native'));
    writeFileSync(
      join(project.root, 'native', 'build.mjs'),
      "export const addonPath = () => '/built/engine.node'; export const whisperCliPath = () => '/built/cli';",
    );
    writeFileSync(join(project.root, 'electron', 'cli', 'main.ts'), source);
  }

  it('receives its arguments and the engine, and is the only one to write to stdout', async () => {
    ready('console.log(JSON.stringify([process.argv.slice(2), process.env.EARSHOT_ADDON]));');
    const { code, stdout, stderr } = await project.run(['transcribe', 'a file.mp3', '--format', 'srt']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual([
      ['transcribe', 'a file.mp3', '--format', 'srt'],
      '/built/engine.node',
    ]);
  });

  it('has the window built where it names its address', async () => {
    ready('process.exit(0);');
    mkdirSync(join(project.root, 'renderer'));
    for (const source of ['renderer/index.html', 'electron.vite.config.ts'])
      writeFileSync(join(project.root, source), '');
    for (const word of ['serve', 'open']) {
      // This project has nothing to build it with.
      const { stderr } = await project.run(['earshot', word]);
      expect(stderr).toContain('building the window');
    }
    expect(await project.run(['earshot', 'keys', 'list'])).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('leaves no compiled code of an earlier build in the cache', async () => {
    ready('process.exit(0);');
    const builder = join(project.root, 'node_modules', 'electron-vite', 'bin');
    for (const folder of [builder, join(project.root, 'renderer')]) mkdirSync(folder, { recursive: true });
    for (const source of ['renderer/index.html', 'electron.vite.config.ts'])
      writeFileSync(join(project.root, source), '');
    writeFileSync(join(builder, 'electron-vite.js'), '');
    const compiled = join(dirname(project.root), '.cache', 'earshot', 'code', 'of-the-last-build');
    mkdirSync(compiled, { recursive: true });
    const { code, stderr } = await project.run(['earshot', 'serve']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('building the window') });
    expect(existsSync(compiled)).toBe(false);
  });

  it('says its version without any set-up, and its help with the packages alone', async () => {
    expect(await project.run(['earshot', '--version'])).toEqual({ code: 0, stdout: '1.0.0\n', stderr: '' });
    project.addPackages();
    writeFileSync(join(project.root, 'electron', 'cli', 'main.ts'), 'console.log(process.argv.slice(2));');
    for (const args of [
      ['earshot', '--help'],
      ['earshot', 'completion', 'bash'],
      ['transcribe', '-h'],
    ])
      expect(await project.run(args)).toMatchObject({ code: 0, stderr: '' });
  });

  it('determines the exit code', async () => {
    ready('process.exit(42);');
    expect((await project.run(['earshot'])).code).toBe(42);
  });

  it('determines the exit code by the signal that ended it', async () => {
    ready("process.kill(process.pid, 'SIGTERM'); setTimeout(() => {}, 60_000);");
    expect((await project.run(['earshot'])).code).toBe(143);
  });

  it('receives a signal to the set-up once, and may finish', async () => {
    ready(`
      let heard = 0;
      process.on('SIGINT', () => { heard += 1; setTimeout(() => { console.log('heard ' + heard); process.exit(130); }, 300); });
      process.kill(process.ppid, 'SIGINT');
      setTimeout(() => {}, 60_000);`);
    expect(await project.run(['earshot'])).toEqual({ code: 130, stdout: 'heard 1\n', stderr: '' });
  });
});

it('says first which Node is needed if this one is too old', async () => {
  const old = join(project.root, 'old.cjs');
  writeFileSync(
    old,
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.8' } });",
  );
  const { code, stderr } = await project.run(['transcribe'], { NODE_OPTIONS: `--require=${old}` });
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^Earshot needs Node 20 or later, and this is v\S+\. Install it from \S+ and try again\.\n$/,
  );
});

it('rejects an unknown task with the list of tasks', async () => {
  const { code, stderr } = await project.run(['nonsense']);
  expect(code).toBe(2);
  expect(stderr).toContain('Unknown task "nonsense". Known: transcribe, earshot');
});
