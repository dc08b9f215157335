// Lints openapi.json with Spectral and Redocly, generates clients with three generators, compiles them, and runs them against a
// server. The tools come from npm into a temporary folder: they are many, and serve this check alone.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const TOOLS = {
  '@redocly/cli': '2.77.0',
  '@stoplight/spectral-cli': '6.16.3',
  oazapfts: '7.5.0',
  'openapi-fetch': '0.17.0',
  'openapi-typescript': '7.13.0',
  orval: '8.38.0',
  typescript: '5.9.3',
};
const TSCONFIG = {
  compilerOptions: {
    module: 'nodenext',
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
    strict: true,
    skipLibCheck: true,
    outDir: 'dist',
  },
  files: ['use.ts'],
};

const folder = mkdtempSync(join(tmpdir(), 'earshot-clients-'));
const write = (name, content) => writeFileSync(join(folder, name), content);
const run = (program, ...args) => execFileSync(program, args, { cwd: folder, stdio: 'inherit' });
const npx = (...args) => run('npx', '--no-install', ...args);

const generate = () => {
  write('package.json', JSON.stringify({ type: 'module', private: true, dependencies: TOOLS }));
  write('tsconfig.json', JSON.stringify(TSCONFIG));
  write('.spectral.yaml', 'extends: ["spectral:oas"]\n');
  const output = { target: './orval.ts', client: 'fetch' };
  write(
    'orval.config.mjs',
    `export default { earshot: ${JSON.stringify({ input: './openapi.json', output })} };\n`,
  );
  copyFileSync('openapi.json', join(folder, 'openapi.json'));
  copyFileSync('test/generated-clients/use.txt', join(folder, 'use.ts'));
  run('npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund');
  npx('spectral', 'lint', 'openapi.json', '--fail-severity', 'warn');
  npx('redocly', 'lint', 'openapi.json', '--max-problems', '20');
  // Fields with a default need not be sent.
  npx('openapi-typescript', 'openapi.json', '--default-non-nullable=false', '-o', 'openapi-typescript.ts');
  npx('oazapfts', 'openapi.json', 'oazapfts.ts');
  npx('orval', '--config', 'orval.config.mjs');
  npx('tsc', '-p', 'tsconfig.json');
};

const use = async () => {
  const data = join(folder, 'data');
  const args = ['electron/cli/bootstrap/main.mjs', 'serve', '--json', '--port', '0', '--data-dir', data];
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    let line = '';
    while (!line.includes('\n')) line += String((await once(server.stdout, 'data'))[0]);
    const { url } = JSON.parse(line.slice(line.indexOf('{'), line.indexOf('\n', line.indexOf('{'))));
    run(process.execPath, 'dist/use.js', url, readFileSync(join(data, 'local-key'), 'utf8').trim());
  } finally {
    server.kill();
    await once(server, 'exit');
  }
};

try {
  generate();
  await use();
  console.log('The generated clients compile and work.');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
