import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { FFMPEG, OPUS } from '../../packages/desktop/build/ffmpeg/recipe.ts';
import { ROOT } from '../support/paths.ts';

const Entry = z.object({
  version: z.string().optional(),
  license: z.string().optional(),
  link: z.boolean().optional(),
  os: z.union([z.string(), z.array(z.string())]).optional(),
  dependencies: z.record(z.string(), z.string()).optional(),
  optionalDependencies: z.record(z.string(), z.string()).optional(),
});

const Lockfile = z.object({ packages: z.record(z.string(), Entry) });

/** A package of the lockfile. */
type Package = {
  /** Where it lies, from the project's root; a name may come in several versions. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  /** SPDX, or undefined if the package names none. */
  readonly licence: string | undefined;
  /** Whether it is for one platform only, and absent on others. */
  readonly isForPlatform: boolean;
  /** Names of what it needs. */
  readonly needs: readonly string[];
};

/** Licences whose packages may ship: a notice is all that they ask for. */
const SHIPPED = [
  'MIT',
  'MIT-0',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'OFL-1.1',
  'Unlicense',
] as const;

/** Also allowed for tools, which do not ship. */
const TOOLS = ['MPL-2.0', 'CC-BY-4.0', 'CC0-1.0', 'Python-2.0', 'WTFPL'] as const;

/** What packages without the field say in their files. */
const UNNAMED: Readonly<Record<string, string>> = {
  'async@0.2.10': 'MIT',
};

/** Compiled into the engine; what they depend on is for their own programs. */
const COMPILED = ['nodejs-whisper', 'node-addon-api', 'node-api-headers'] as const;

/** A Node to run the sources with; the installers have Electron's. */
const isNodeBinary = (name: string): boolean => /^node-(?:bin-)?(?:darwin|linux|win)-/.test(name);

const readPackages = (): Map<string, Package> => {
  const { packages } = Lockfile.parse(JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')));
  const entries = Object.entries(packages).flatMap(([path, entry]): [string, Package][] => {
    if (path === '' || entry.link === true || !path.includes('node_modules/')) return [];
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const version = entry.version ?? '';
    const licence = entry.license ?? UNNAMED[`${name}@${version}`];
    const needs = Object.keys({ ...entry.dependencies, ...entry.optionalDependencies });
    return [[path, { path, name, version, licence, isForPlatform: entry.os !== undefined, needs }]];
  });
  return new Map(entries);
};

/** Names of the packages that the sources import, which the bundler puts into the window and the program. */
const importedBySources = (): string[] => {
  const sources = globSync('{renderer,electron}/**/*.{ts,tsx,css}', { cwd: ROOT }).map((path) =>
    readFileSync(join(ROOT, path), 'utf8'),
  );
  const names = sources.flatMap((source) =>
    [...source.matchAll(/(?:from |import |import\()['"]((?:@[\w-]+\/)?[\w.-]+)/g)].map(
      (match) => match[1] ?? '',
    ),
  );
  // Electron is not bundled, and Node's own modules are no packages.
  return [...new Set(names)].filter((name) => !/^(?:electron|node)$/.test(name));
};

/** Finds `name` as Node does: in the package's own folder, then in the folders around it. */
const resolve = (packages: ReadonlyMap<string, Package>, from: string, name: string): Package | undefined => {
  let folder = from;
  while (folder !== '') {
    const found = packages.get(`${folder}/node_modules/${name}`);
    if (found !== undefined) return found;
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')));
  }
  return packages.get(`node_modules/${name}`);
};

const shippedPackages = (packages: ReadonlyMap<string, Package>): Package[] => {
  const manifest = z
    .object({ dependencies: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
  const found = new Set<Package>();
  const add = (from: string, name: string): void => {
    const one = resolve(packages, from, name);
    if (one === undefined || found.has(one) || isNodeBinary(name)) return;
    found.add(one);
    if (COMPILED.some((compiled) => compiled === name)) return;
    for (const needed of one.needs) add(one.path, needed);
  };
  for (const name of [...Object.keys(manifest.dependencies), ...importedBySources(), ...COMPILED])
    add('', name);
  return [...found].toSorted(
    (a, b) => a.name.localeCompare(b.name, 'en') || a.version.localeCompare(b.version, 'en'),
  );
};

/** Where what ships lies, from the project's root: the packages of the notices, and Electron, which brings its own. */
export const shippedPaths = (): ReadonlySet<string> =>
  new Set([...shippedPackages(readPackages()).map(({ path }) => path), 'node_modules/electron']);

/** Whether one of the licences that an SPDX expression offers is allowed; of those joined by AND, each must be. */
const isAllowed = (licence: string, allowed: readonly string[]): boolean =>
  licence
    .replaceAll(/[()]/g, '')
    .split(/ or /i)
    .some((choice) => choice.split(/ and /i).every((one) => allowed.includes(one.trim())));

/** Needed packages, optional ones for any platform too, that the lockfile lacks, for which `npm ci` refuses it. */
export const unlockedPackages = (): string[] => {
  const packages = readPackages();
  return [...packages.values()].flatMap(({ path, needs }) =>
    needs
      .filter((name) => resolve(packages, path, name) === undefined)
      .map((name) => `${path} needs ${name}`),
  );
};

/** Packages of the lockfile, tools too, whose licence is unknown or not allowed: `name@version: licence`. */
export const licenceProblems = (): string[] => {
  const packages = readPackages();
  const shipped = new Set(shippedPackages(packages));
  return [...packages.values()]
    .filter((one) => {
      const allowed = shipped.has(one) ? SHIPPED : [...SHIPPED, ...TOOLS];
      return one.licence === undefined || !isAllowed(one.licence, allowed);
    })
    .map(({ name, version, licence }) => `${name}@${version}: ${licence ?? 'no licence'}`);
};

const licenceText = ({ path, isForPlatform }: Package): string | undefined => {
  const folder = join(ROOT, path);
  // What only some platforms install would make the result depend on the platform.
  if (isForPlatform || !existsSync(folder)) return undefined;
  const file = readdirSync(folder)
    .toSorted()
    .find((name) => /^(?:licen[cs]e|copying)(?:[.-](?:md|txt|mit))?$/i.test(name));
  return file === undefined
    ? undefined
    : readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim();
};

const COPYRIGHT = /^(?:original code )?copyright\b.*(?:\d{4}|\(c\)|©| by | contributors|<)/i;

const copyrights = (text: string | undefined): string => {
  const lines = (text ?? '').split('\n').map((line) => line.replace(/^[\s/*#>-]+/, '').trim());
  const named = lines.filter((line) => COPYRIGHT.test(line) && !/\[yyyy\]|owner/i.test(line));
  return [...new Set(named)].join('; ').replaceAll('|', '\\|');
};

const HEAD = `# Third-party notices

Earshot is made with the following packages, each under its own licence. whisper.cpp and ggml come inside \`nodejs-whisper\`
(MIT, Copyright (c) 2023-2026 The ggml authors). Electron and Chromium bring their notices along. Chromium for the
tests, ClamAV, and the ffmpeg of the sources and of the package without Electron are not part of Earshot: it uses those of the
machine.

The desktop packages bring ffmpeg and ffprobe (${FFMPEG.name}, Copyright (c) 2000-2026 the FFmpeg developers) along as programs of
their own, under the GNU Lesser General Public License, version 2.1 or later, without parts under the GPL; they contain
libopus (${OPUS.name}, BSD-3-Clause, Copyright 2001-2023 Xiph.Org, Skype Limited, Octasic and others). Both licenses, the options
that they were made with, and where their sources are lie beside them, in \`resources/ffmpeg\`; another build can take their
place there. The sources are also beside each release.

The models that come along, in \`resources/models\`, are Whisper base (MIT, Copyright (c) 2022 OpenAI), pyannote segmentation 3.0 (MIT,
Copyright (c) 2020 CNRS), CAM++ of 3D-Speaker (Apache 2.0), Silero VAD (MIT, Copyright (c) 2020-present Silero Team) and "Rampart:
Client-side PII redaction for AI assistants" by National Design Studio (https://huggingface.co/nationaldesignstudio/rampart,
Copyright 2026 National Design Studio, CC BY 4.0, https://creativecommons.org/licenses/by/4.0/), redistributed unmodified. Both speaker
models were converted: the README there says how. Their licenses lie beside them. The recordings of \`resources/samples\` are in
the public domain.

\`npm run notices\` writes this file from the lockfile.
`;

/** The text of THIRD-PARTY-NOTICES.md: what ships, from the lockfile, and a text of each licence. */
export const notices = (): string => {
  const packages = readPackages();
  const shipped = shippedPackages(packages);
  const rows = shipped.map((one) =>
    `| ${[one.name, one.version, one.licence, copyrights(licenceText(one))].join(' | ')} |`.replace(
      '|  |',
      '| |',
    ),
  );
  const licences = new Set(shipped.map(({ licence }) => licence ?? ''));
  const texts = new Map<string, string>();
  // Not every package brings its licence's text; another one has it.
  for (const one of [...shipped, ...packages.values()]) {
    const licence = one.licence ?? '';
    if (!licences.has(licence) || texts.has(licence)) continue;
    const text = licenceText(one);
    if (text !== undefined) texts.set(licence, text);
  }
  const sections = [...texts]
    .toSorted(([a], [b]) => a.localeCompare(b, 'en'))
    .map(([licence, text]) => `### ${licence}\n\n\`\`\`\`text\n${text}\n\`\`\`\`\n`);
  return [
    HEAD,
    `| package | version | licence | copyright |\n|---|---|---|---|\n${rows.join('\n')}\n`,
    '## Licence texts\n',
    'One text of each licence, from one of the packages above; the copyright lines of the others are in the table.\n',
    ...sections,
  ].join('\n');
};
