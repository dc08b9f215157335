// The layers of ARCHITECTURE.md, as rules: a layer imports those below it, never up.

const CONTRACT = 'electron/contract/';
const BASE = 'electron/core/base/';
const STORES = 'electron/core/stores/';
const ENGINES = 'electron/core/engines/';
const ANALYSIS = 'electron/core/analysis/';
const EXPORTS = 'electron/core/exports/';
const PIPELINE = 'electron/core/pipeline/';
const JOBS = 'electron/core/jobs/';
const SERVICES = 'electron/core/services/';
const HTTP = 'electron/core/http/';
const SEARCH = 'electron/core/search/';
const CONFIG = 'electron/core/config.ts';
const APP = 'electron/core/app.ts';
const DAMAGED_PAGE = 'electron/core/damaged-page.ts';
const LIB = 'renderer/lib/';
const I18N = 'renderer/i18n/';
const UI = 'renderer/ui/';
const API = 'renderer/api/';
const WINDOW_STORES = 'renderer/stores/';
const HOOKS = 'renderer/hooks/';
const DOMAIN = 'renderer/domain/';
const FEATURES = 'renderer/features/';

/** Each layer and what of our own it may import, beside itself. */
const LAYERS = {
  [CONTRACT]: [],
  [BASE]: [CONTRACT],
  [SEARCH]: [BASE, CONTRACT],
  [STORES]: [SEARCH, BASE, CONTRACT],
  [ENGINES]: [BASE, CONTRACT],
  [ANALYSIS]: [BASE, CONTRACT],
  [EXPORTS]: [BASE, CONTRACT],
  [PIPELINE]: [ENGINES, ANALYSIS, STORES, BASE, CONTRACT],
  [JOBS]: [PIPELINE, STORES, BASE, CONTRACT],
  [SERVICES]: [JOBS, PIPELINE, ENGINES, ANALYSIS, EXPORTS, SEARCH, STORES, BASE, CONTRACT],
  // Exports, search and analysis are pure functions that turn a transcript into the form of an API.
  [HTTP]: [SERVICES, EXPORTS, SEARCH, ANALYSIS, BASE, CONTRACT],
  [APP]: ['electron/core/', CONTRACT],
  'electron/worker/': [ENGINES, BASE, CONTRACT],
  'electron/cli/': [APP, DAMAGED_PAGE, 'electron/core/repair.ts', CONFIG, BASE, CONTRACT],
  'electron/preload/': [CONTRACT],
  'electron/main/': [APP, DAMAGED_PAGE, CONFIG, BASE, CONTRACT],
  [LIB]: [CONTRACT],
  [I18N]: [LIB, CONTRACT],
  [UI]: [LIB, CONTRACT],
  [API]: [I18N, LIB, CONTRACT],
  [WINDOW_STORES]: [API, I18N, LIB, CONTRACT],
  [HOOKS]: [WINDOW_STORES, API, I18N, LIB, CONTRACT],
  [DOMAIN]: [HOOKS, WINDOW_STORES, API, UI, I18N, LIB, CONTRACT],
  [FEATURES]: [DOMAIN, HOOKS, WINDOW_STORES, API, UI, I18N, LIB, CONTRACT],
  'renderer/': [CONTRACT],
  // The engine's build shares the set-up's lock and cache folder.
  'native/': ['electron/cli/bootstrap/places.mjs'],
  // Packages are made of the built program and the engine.
  'packages/': [CONTRACT, 'electron/core/base/layout.ts', 'native/'],
};

const literal = (path) => path.replace(/[.]/g, '\\.');
const oneOf = (paths) => `^(?:${paths.map(literal).join('|')})`;
const packages = (...names) => `(?:^|/)node_modules/(?:@types/)?(?:${names.map(literal).join('|')})(?:/|$)`;

const layerRules = Object.entries(LAYERS).map(([layer, below]) => ({
  name: `layer ${layer}`,
  comment: `${layer} may import only ${below.join(', ') || 'nothing of ours'}`,
  severity: 'error',
  from: { path: oneOf([layer]) },
  to: { path: '^(?:electron|renderer|native|packages|test)/', pathNot: oneOf([layer, ...below]) },
}));

/** A package, and the only place that may import it. */
const owned = (name, comment, place, ...names) => ({
  name,
  comment,
  severity: 'error',
  from: { path: '^(?:electron|renderer|native)/', pathNot: place },
  to: { path: packages(...names) },
});

export default {
  forbidden: [
    ...layerRules,
    {
      name: 'no cycles',
      comment: 'Two files that need each other are one file, or need a third.',
      severity: 'error',
      from: { path: '^(?:electron|renderer|native|packages|test)/' },
      // A type-only circle is none at run time.
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'worker engines are independent',
      comment: 'An engine brings its tasks to the worker host; neither knows another engine.',
      severity: 'error',
      from: { path: '^electron/core/engines/(whisper|diarizer|tagger|worker)/' },
      to: { path: '^electron/core/engines/', pathNot: '^electron/core/engines/(?:$1|worker)/' },
    },
    {
      name: 'screens are independent',
      comment: 'What two screens share belongs to the domain.',
      severity: 'error',
      from: { path: `^${FEATURES}([^/]+)/` },
      to: { path: `^${FEATURES}`, pathNot: `^${FEATURES}$1/` },
    },
    {
      name: 'the window has no circles of types either',
      comment: 'A type that two files need of each other belongs to the lower one.',
      severity: 'error',
      from: { path: '^renderer/' },
      to: { circular: true },
    },
    {
      name: 'nothing imports tests',
      comment: 'What a test and the product share belongs to the product.',
      severity: 'error',
      from: { pathNot: '^test/|\\.config\\.ts$' },
      to: { path: '^test/' },
    },
    {
      name: 'resolvable',
      comment: 'An import that leads nowhere.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'contract imports zod and the event stream parser alone',
      comment: 'The contract is shared with the window and the client package: no Node, no other package.',
      severity: 'error',
      from: { path: oneOf([CONTRACT]) },
      to: {
        dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-optional', 'npm-no-pkg'],
        pathNot: packages('zod', 'eventsource-parser'),
      },
    },
    {
      name: 'analysis is pure',
      comment: 'Analyses are functions over a transcript: no files, no network, no processes.',
      severity: 'error',
      // The two halves of the thread that they run in, so that a server's event loop is never held up.
      from: { path: oneOf([ANALYSIS]), pathNot: '(?:analysis-thread|analyze-in-thread)[.]ts$' },
      to: { path: '^(?:node:)?(?:fs|net|http|https|child_process|worker_threads|dgram)(?:/|$)' },
    },
    {
      name: 'no Node in the window',
      comment: 'The window is a web page.',
      severity: 'error',
      from: { path: '^renderer/' },
      to: { dependencyTypes: ['core'] },
    },
    owned(
      'electron stays outside',
      'Only the desktop host knows Electron.',
      '^electron/(?:main|preload)/',
      'electron',
    ),
    owned(
      'SQL stays in the stores',
      'Only the stores know the database.',
      oneOf([STORES]),
      'kysely',
      'better-sqlite3',
    ),
    owned(
      'checksums stay in the stores',
      'They are those of stored blocks.',
      oneOf([STORES]),
      '@node-rs/crc32',
    ),
    owned('one file drives ffmpeg', 'It is archived upstream.', '^electron/core/engines/', 'fluent-ffmpeg'),
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^test/fixtures/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mts', '.mjs', '.js', '.cjs', '.json', '.d.ts', '.css', '.node'],
    },
  },
};
